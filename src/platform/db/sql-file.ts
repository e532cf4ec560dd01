import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One named block of a `*-rows.sql` file; the name is also that of the prepared statement. */
export type Statement = { readonly name: string; readonly text: string }

const BLOCK = /^-- name: ([a-z_]+)$/gm

/**
 * The blocks of a `.sql` file, each headed by `-- name: block_name`. `wanted` are the names the caller uses: one that is
 * missing, and one the file has that nobody wants, are bugs.
 */
export function loadStatements<Name extends string>(
  url: URL,
  wanted: readonly Name[],
): { readonly [name in Name]: Statement } {
  const blocks = parseStatements(readFileSync(url, 'utf8'), fileURLToPath(url))
  assert.deepEqual(
    blocks.map((block) => block.key).toSorted(),
    [...wanted].toSorted(),
    `the blocks of ${fileURLToPath(url)} are not those that are used`,
  )
  return Object.fromEntries(blocks.map(({ key, name, text }) => [key, { name, text }])) as {
    [name in Name]: Statement
  }
}

/** All blocks of a file's text; `path` makes the statements' names unique (`orders/desk-rows` -> `orders_desk_rows`). */
export function parseStatements(text: string, path: string): (Statement & { key: string })[] {
  const file = `${basename(dirname(path))}_${basename(path, '.sql')}`.replaceAll('-', '_')
  return [...text.matchAll(BLOCK)].map((match, index, all) => ({
    key: match[1] as string,
    name: `${file}_${match[1]}`,
    text: text.slice(match.index + match[0].length, all[index + 1]?.index).trim(),
  }))
}
