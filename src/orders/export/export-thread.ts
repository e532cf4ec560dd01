/** The thread of `writeExport`: reads the orders on a connection of its own and writes the files. */
import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { stringify, type Options } from 'csv-stringify/sync'
import { loadEvents, loadPartners } from '../../events/load-entries.ts'
import { createDb, type Db, type Queryable } from '../../platform/db/db.ts'
import { promocodesById } from '../../promo/promocodes.ts'
import type { Order } from '../commands.ts'
import { createCountOrders } from '../count-orders.ts'
import { findIds, readClock, readOrders } from '../list-orders.ts'
import { COLUMNS, rowsOf, type OrderRefs } from './order-rows.ts'
import type { ExportAnswer, ExportRequest } from './write-export.ts'
import { writeXlsx } from './xlsx-file.ts'

const PAGE_SIZE = 250

/** Events, partners and promocodes that are remembered. */
const KEPT_MAX = 500

/** The same texts in both files; a cell that a spreadsheet would take for a formula is made text by an apostrophe. */
const CSV: Options = { escape_formulas: true, record_delimiter: 'windows' }
const BOM = '\ufeff'

const port = parentPort
assert(port, 'this runs as a worker thread')
const request = workerData as ExportRequest
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
const answer = (message: ExportAnswer) => port.postMessage(message)

const db = createDb({ target: request.target, pool_size: 1, onError: () => {} })
const rows_written = await write(db)
await db.close()
answer({ rows: rows_written })

/** Answers how many rows there are. */
async function write(from: Db): Promise<number> {
  const { csv_path, xlsx_path, xlsx_rows_max } = request
  const csv = await open(csv_path, 'wx', 0o600)
  let rows_done = 0
  async function* pages() {
    await csv.writeFile(BOM + stringify([COLUMNS.map(({ title }) => title)], CSV))
    for await (const rows of readRows(from)) {
      await csv.writeFile(stringify(rows, CSV))
      rows_done += rows.length
      if (rows_done <= xlsx_rows_max) yield rows
    }
  }
  try {
    await writeXlsx(xlsx_path, pages())
  } finally {
    await csv.close()
  }
  return rows_done
}

/**
 * Page after page in short transactions, down by the id, so that no order comes twice. One transaction for all would show one
 * moment, and would keep PostgreSQL from clearing away the dead versions of the rows that every sale changes.
 */
async function* readRows(from: Db): AsyncGenerator<string[][]> {
  let { selection } = request
  let orders_total: number | undefined
  let orders_done = 0
  const names = createNames(from)
  const countOrders = createCountOrders()
  for (;;) {
    const { orders, now, total } = await from.transaction(async (tx) => {
      const read_at = await readClock(tx)
      const ids = await findIds(tx, selection, { limit: PAGE_SIZE, offset: 0, now: read_at })
      return {
        orders: await readOrders(tx, ids),
        now: read_at,
        total: orders_total ?? (await countOrders(tx, selection, read_at)),
      }
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
    orders_total = total
    const last = orders.at(-1)
    if (last === undefined) return
    const refsOf = await names(orders)
    yield orders.flatMap((order) => rowsOf(order, refsOf(order), now))
    orders_done += orders.length
    answer({ orders_done, orders_total: Math.max(orders_total, orders_done) })
    if (orders.length < PAGE_SIZE) return
    selection = { ...selection, below: last.id }
  }
}

/** Reads the records that orders name, and keeps them from page to page. */
function createNames(from: Queryable) {
  const keep = <Value>(load: (ids: string[]) => Promise<Map<string, Value>>) => {
    const kept = new Map<string, Value>()
    return async (ids: readonly string[]) => {
      if (kept.size > KEPT_MAX) kept.clear()
      const missing = [...new Set(ids)].filter((id) => !kept.has(id))
      if (missing.length > 0) for (const [id, value] of await load(missing)) kept.set(id, value)
      return kept
    }
  }
  const loadEvent = keep((ids) => loadEvents(from, ids))
  const loadPartner = keep((ids) => loadPartners(from, ids))
  const loadPromocode = keep((ids) => promocodesById(from, ids))
  return async (orders: readonly Order[]): Promise<(order: Order) => OrderRefs> => {
    const events = await loadEvent(orders.map(({ event }) => event))
    const partners = await loadPartner(orders.map(({ vendor }) => vendor))
    const promocodes = await loadPromocode(orders.flatMap((order) => order.promocodes))
    return (order) => {
      const event = events.get(order.event)
      const vendor = partners.get(order.vendor)
      assert(event && vendor, `order ${order.id} names an event or a partner that does not exist`)
      return {
        event,
        vendor: vendor.name,
        promocodes: order.promocodes.map((id) => promocodes.get(id)?.code ?? id),
      }
    }
  }
}
