/**
 * Writes src/grpc/generated, the messages and services of the schema; with `--check` compares instead, and exits 1 when a
 * file there is not what the schema says or the schema is not in buf's format.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const SCHEMA = fileURLToPath(new URL('.', import.meta.url))
const GENERATED = fileURLToPath(new URL('../src/grpc/generated', import.meta.url))
const BUF = fileURLToPath(new URL('../node_modules/.bin/buf', import.meta.url))

function buf(...args: string[]): void {
  execFileSync(BUF, args, { cwd: SCHEMA, stdio: 'inherit' })
}

function generate(folder: string): void {
  buf('generate', '--output', folder)
}

function textsIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const paths = files.map((file) => join(file.parentPath, file.name))
  return new Map(paths.toSorted().map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]))
}

function check(): void {
  buf('format', '--diff', '--exit-code')
  const folder = mkdtempSync(join(tmpdir(), 'parterre-proto-'))
  try {
    generate(folder)
    const wanted = textsIn(folder)
    const found = textsIn(GENERATED)
    const names = new Set([...wanted.keys(), ...found.keys()])
    const differing = [...names].filter((name) => wanted.get(name) !== found.get(name))
    if (differing.length === 0) return
    process.stderr.write(
      `src/grpc/generated is not what proto/ says (${differing.join(', ')}): run npm run generate\n`,
    )
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
if (values.check) check()
else generate(GENERATED)
