import { shardOf } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { loadStatements } from '../platform/db/sql-file.ts'
import type { Order } from './commands.ts'

export const statements = loadStatements(new URL('./desk-rows.sql', import.meta.url), [
  'lock_orders',
  'lock_recent_orders',
  'orders_of_vendors',
  'read_clock',
  'check_versions',
  'read_order_code_key',
  'insert_orders',
  'update_orders',
  'complete_orders',
  'end_orders',
])

/** A row of the table: the order with the ids of its tickets in place of the tickets. */
export type OrderRow = Omit<Order, 'tickets'> & { tickets: string[] }

type ClockRow = { now: number; version: string; numbers: string[] }

/** The version that an order's row must still have, by the id of the order; null: any. */
export type VersionOf = (order: string) => string | null

/**
 * Reads the database's clock, what version the transaction gives the rows it writes, and so many numbers for new orders. Fails when
 * the clock is past `good_until`, epoch milliseconds.
 */
export async function readClock(
  tx: Queryable,
  options: { numbers: number; good_until?: number },
): Promise<{ now: number; version: string; numbers: number[] }> {
  const values = [options.numbers, timestamp(options.good_until ?? null)]
  const [row] = await tx.query<ClockRow>(statements.read_clock, values)
  if (row === undefined) throw new Error('the database has no clock')
  return { now: row.now, version: row.version, numbers: row.numbers.map(Number) }
}

/** Fails unless the orders have their versions; the statement is sent at once. */
export function checkVersions(
  tx: Queryable,
  orders: readonly string[],
  versionOf: VersionOf,
): Promise<unknown>[] {
  if (orders.length === 0) return []
  return [tx.query(statements.check_versions, [orders.map(shardOf), orders, orders.map(versionOf)])]
}

/** Writes new orders. */
export function insertOrders(tx: Queryable, orders: readonly Order[]): Promise<unknown> {
  return tx.query(statements.insert_orders, [
    ...changingColumns(orders),
    orders.map((order) => order.event),
    orders.map((order) => order.number),
    orders.map((order) => order.org),
    orders.map((order) => order.vendor),
    orders.map((order) => order.origin),
    orders.map((order) => order.currency),
  ])
}

/** Writes changed orders; fails when one of them is not in a state that may change, or has another version. */
export function updateOrders(
  tx: Queryable,
  orders: readonly Order[],
  versionOf: VersionOf,
): Promise<unknown> {
  return tx.query(statements.update_orders, [
    ...changingColumns(orders),
    orders.map((order) => versionOf(order.id)),
  ])
}

/** Writes orders of which `isOnlyCompleted`, all at one time; fails when one of them is not open, or has another version. */
export function completeOrders(
  tx: Queryable,
  orders: readonly Order[],
  versionOf: VersionOf,
): Promise<unknown> {
  return tx.query(statements.complete_orders, [
    orders.map((order) => order.shard),
    orders.map((order) => order.id),
    orders.map((order) => order.charge),
    orders.map((order) => order.code),
    orders.map((order) => versionOf(order.id)),
    timestamp(orders[0]?.done_at ?? null),
  ])
}

/** Whether the order has become done, and else is as it was. */
export function isOnlyCompleted(before: Order, after: Order): boolean {
  return (
    before.status === 'executed' &&
    after.status === 'done' &&
    before.tickets.length === after.tickets.length &&
    before.tickets.every(({ id }, index) => id === after.tickets[index]?.id) &&
    hasSameTerms(before, after) &&
    before.price === after.price &&
    before.discount === after.discount &&
    before.nominal === after.nominal &&
    before.extra === after.extra &&
    before.payment_till === after.payment_till &&
    before.promocodes.length === 0 &&
    after.promocodes.length === 0
  )
}

/** Writes orders of which `isOnlyEnded`; fails when one of them is not open, or has another version. */
export function endOrders(tx: Queryable, orders: readonly Order[], versionOf: VersionOf): Promise<unknown> {
  return tx.query(statements.end_orders, [
    orders.map((order) => order.shard),
    orders.map((order) => order.id),
    orders.map((order) => order.status),
    orders.map((order) => versionOf(order.id)),
  ])
}

/** Whether the order has ended unpaid, and else is as it was, but for what it held. */
export function isOnlyEnded(before: Order, after: Order): boolean {
  return (
    (before.status === 'executed' || before.status === 'in_progress') &&
    (after.status === 'cancelled' || after.status === 'expired') &&
    after.tickets.length === 0 &&
    after.price === 0 &&
    after.discount === 0 &&
    after.nominal === 0 &&
    after.extra === 0 &&
    after.payment_till === null &&
    hasSameTerms(before, after) &&
    before.promocodes === after.promocodes
  )
}

/** Whether all is as it was but the state, what the order holds, and what comes of these. */
function hasSameTerms(before: Order, after: Order): boolean {
  return (
    before.expired_after === after.expired_after &&
    before.deal === after.deal &&
    before.org_share === after.org_share &&
    before.extra_share === after.extra_share &&
    before.promokey === after.promokey &&
    before.settings === after.settings &&
    before.vendor_data === after.vendor_data &&
    before.custom_fields === after.custom_fields
  )
}

/** Shard, id and what may change in the life of an order, a column each. */
function changingColumns(orders: readonly Order[]): unknown[][] {
  return [
    orders.map((order) => order.shard),
    orders.map((order) => order.id),
    orders.map((order) => timestamp(order.expired_after)),
    orders.map((order) => order.status),
    orders.map((order) => order.deal),
    orders.map((order) => order.org_share),
    orders.map((order) => order.extra_share),
    orders.map((order) => idsText(order.tickets.map((ticket) => ticket.id))),
    orders.map((order) => order.price),
    orders.map((order) => order.discount),
    orders.map((order) => order.nominal),
    orders.map((order) => order.extra),
    orders.map((order) => order.charge),
    orders.map((order) => timestamp(order.done_at)),
    orders.map((order) => order.code),
    orders.map((order) => idsText(order.promocodes)),
    orders.map((order) => order.promokey),
    orders.map((order) => JSON.stringify(order.settings)),
    orders.map((order) => JSON.stringify(order.vendor_data)),
    orders.map((order) => order.custom_fields && JSON.stringify(order.custom_fields)),
    orders.map((order) => timestamp(order.payment_till)),
  ]
}

/** unnest() flattens arrays of arrays, so the inner ones travel as text. Ids need no quotes, which would be escaped in turn. */
function idsText(ids: readonly string[]): string {
  return `{${ids.join(',')}}`
}

function timestamp(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
