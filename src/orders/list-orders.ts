/**
 * Pages of orders, newest first. The order of ids is that of creation to the second, so no other column is needed to sort or to
 * cut by time. A page begins where the reader's page before it ended, if the key has read that, so that no order comes twice
 * while orders are created; else so many orders are passed over, in the index alone unless they are filtered by customer.
 */
import assert from 'node:assert/strict'
import type { Catalog } from '../events/event-entry.ts'
import { ticketsById } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import type { Caller } from '../partners/caller.ts'
import { promocodesById } from '../promo/promocodes.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import { recallPageBefore, rememberPage, type PageEnd } from '../platform/list-pages.ts'
import { ORDER_STATUSES, type Order, type OrderResult } from './commands.ts'
import { createCountOrders, type CountOrders } from './count-orders.ts'
import type { OrderRow } from './desk-rows.ts'
import { statements } from './list-orders-rows.ts'
import { orderOf } from './load-batch.ts'
import { selectOrders, type OrderFilters, type OrderSelection } from './order-selection.ts'

/** `page` from 1. */
export type OrderPageRequest = {
  readonly filters: OrderFilters
  readonly page: number
  readonly page_size: number
}

/** `total_count`: how many orders all pages have. */
export type OrderPage = { readonly results: readonly OrderResult[]; readonly total_count: number }

/** The orders that the caller sold, and those on the events it organizes; past the last page there are none. */
export type ListOrders = (caller: Caller, request: OrderPageRequest) => Promise<OrderPage>

export function createListOrders({ db, catalog }: { db: Db; catalog: Catalog }): ListOrders {
  const countOrders = createCountOrders()
  return async (caller, { filters, page, page_size }) => {
    const selection = selectOrders(caller, filters)
    const reader = { api_key: caller.key_id, list: JSON.stringify(['orders', selection, page_size]) }
    const before = await recallPageBefore(db, reader, page)
    const read = await db.transaction(
      (tx) => readPage(tx, { selection, page, page_size, before, countOrders }),
      'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    )
    const { orders, now, total_count } = read
    const last = orders.at(-1)
    if (read.has_next && last !== undefined)
      await rememberPage(db, reader, { page, last: last.id, total: total_count })
    const found = await catalog.events([...new Set(orders.map((order) => order.event))])
    const events = new Map(found.map((event) => [event.id, event]))
    const promocodes = await promocodesById(
      db,
      orders.flatMap((order) => order.promocodes),
    )
    const results = orders.map((order) => {
      const event = events.get(order.event)
      assert(event, 'an order is of an event that does not exist')
      const own = order.promocodes.map((id) => promocodes.get(id)).filter((code) => code !== undefined)
      return { order, event, now, promocodes: own }
    })
    return { results, total_count }
  }
}

type PageOptions = {
  readonly selection: OrderSelection
  readonly page: number
  readonly page_size: number
  readonly before: PageEnd | undefined
  readonly countOrders: CountOrders
}

type PageRead = {
  readonly orders: readonly Order[]
  readonly now: number
  readonly total_count: number
  readonly has_next: boolean
}

async function readPage(tx: Queryable, options: PageOptions): Promise<PageRead> {
  const { selection, page, page_size, before } = options
  const now = await readClock(tx)
  const total = before?.total ?? (await options.countOrders(tx, selection, now))
  const offset = (page - 1 - (before?.page ?? 0)) * page_size
  const passed = (page - 1) * page_size
  const from_here =
    before === undefined ? selection : { ...selection, below: lower(selection.below, before.last) }
  const is_past = passed >= total && (before === undefined || offset > 0)
  // One more than the page has, to know whether another page follows.
  const window = { limit: page_size + 1, offset, now }
  const ids = is_past ? [] : await findIds(tx, from_here, window)
  const has_next = ids.length > page_size
  return {
    orders: await readOrders(tx, ids.slice(0, page_size)),
    now,
    // The total of a reading is that of its first page; where its pages show more orders than that, or end earlier, since
    // orders have changed their status meanwhile, what they show counts.
    total_count: has_next
      ? Math.max(total, passed + ids.length)
      : ids.length === 0
        ? total
        : passed + ids.length,
    has_next,
  }
}

/** The database's clock, epoch milliseconds. */
export async function readClock(tx: Queryable): Promise<number> {
  const [clock] = await tx.query<{ now: number }>(statements.read_clock)
  assert(clock, 'the database has no clock')
  return clock.now
}

function lower(a: string, b: string): string {
  return a < b ? a : b
}

export type Window = {
  readonly limit: number
  readonly offset: number
  readonly now: number
}

/** Ids of the selection's orders, newest first. */
export async function findIds(tx: Queryable, selection: OrderSelection, window: Window): Promise<string[]> {
  const { partner, events, shards, from, below, statuses, only_with_customer } = selection
  const { limit, offset, now } = window
  const values = [partner, below, from, limit, offset]
  const filters = [only_with_customer, new Date(now).toISOString()]
  const rows = await (events === null
    ? tx.query<{ id: string }>(statements.ids_of_partner, [...values, statuses ?? ORDER_STATUSES, ...filters])
    : tx.query<{ id: string }>(statements.ids_of_events, [...values, statuses, ...filters, shards, events]))
  return rows.map(({ id }) => id)
}

/** The orders of these ids, newest first, with their tickets. */
export async function readOrders(tx: Queryable, ids: readonly string[]): Promise<Order[]> {
  if (ids.length === 0) return []
  const rows = await tx.query<OrderRow>(statements.orders_by_ids, [ids.map(shardOf), ids])
  const tickets = await ticketsById(
    tx,
    rows.flatMap((row) => row.tickets),
  )
  return rows.map((row) => orderOf(row, tickets))
}
