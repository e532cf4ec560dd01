/**
 * Pages by number over a list that grows at its top: counted from the top, a record moves to a later page with each one that is
 * added, and a reader would meet it twice. So the store remembers, for each key, where the pages it has read end, and the next
 * page begins there. A page that was not read before is counted from the nearest one before it.
 *
 * The memory lasts an hour, and holds the last 1,000 pages of a key. The key is all that tells readers apart: two that read one
 * list by one key at the same time, page by page, move each other's place.
 */
import { createHash } from 'node:crypto'
import type { Queryable } from './db/db.ts'
import { statements } from './list-pages-rows.ts'

/** Whose list: `list` is all that makes it what it is, its filters and the size of its pages, as text. */
export type ListReader = { readonly api_key: string; readonly list: string }

/** The end of a page that was read; `total` is how many records the list had. */
export type PageEnd = { readonly page: number; readonly last: string; readonly total: number }

/** The page nearest before `page` that was read; undefined when there is none. */
export async function recallPageBefore(
  db: Queryable,
  { api_key, list }: ListReader,
  page: number,
): Promise<PageEnd | undefined> {
  if (page === 1) return undefined
  const [end] = await db.query<PageEnd>(statements.recall_page, [api_key, digest(list), page])
  return end
}

/** To be done before the page is answered. */
export async function rememberPage(
  db: Queryable,
  { api_key, list }: ListReader,
  { page, last, total }: PageEnd,
): Promise<void> {
  await db.execute(statements.remember_page, [api_key, digest(list), page, last, total])
  await db.execute(statements.forget_pages, [api_key])
}

function digest(list: string): Buffer {
  return createHash('sha256').update(list).digest()
}
