import type { Queryable } from '../platform/db/db.ts'
import { loadStatements } from '../platform/db/sql-file.ts'
import type { Order } from './commands.ts'

export const statements = loadStatements(new URL('./desk-rows.sql', import.meta.url), [
  'lock_orders',
  'orders_of_vendors',
  'read_clock',
  'read_order_code_key',
  'insert_orders',
  'update_orders',
])

/** A row of the table: the order with the ids of its tickets in place of the tickets. */
export type OrderRow = Omit<Order, 'tickets'> & { tickets: string[] }

/** Writes new orders of one shard; answers the number of rows. */
export function insertOrders(tx: Queryable, shard: number, orders: readonly Order[]): Promise<number> {
  return tx.execute(statements.insert_orders, [
    shard,
    orders.map((order) => order.id),
    orders.map((order) => order.event),
    orders.map((order) => order.number),
    orders.map((order) => order.org),
    orders.map((order) => order.vendor),
    orders.map((order) => order.origin),
    orders.map((order) => order.status),
    orders.map((order) => order.deal),
    orders.map((order) => order.org_share),
    orders.map((order) => order.extra_share),
    orders.map((order) => order.currency),
    orders.map(ticketIds),
    orders.map((order) => order.price),
    orders.map((order) => order.discount),
    orders.map((order) => order.nominal),
    orders.map((order) => order.extra),
    orders.map((order) => order.charge),
    orders.map((order) => timestamp(order.expired_after)),
    orders.map((order) => timestamp(order.done_at)),
    orders.map((order) => order.code),
  ])
}

/** Writes changed orders of one shard; answers the number of rows. */
export function updateOrders(tx: Queryable, shard: number, orders: readonly Order[]): Promise<number> {
  return tx.execute(statements.update_orders, [
    shard,
    orders.map((order) => order.id),
    orders.map((order) => order.status),
    orders.map((order) => order.deal),
    orders.map((order) => order.org_share),
    orders.map((order) => order.extra_share),
    orders.map(ticketIds),
    orders.map((order) => order.price),
    orders.map((order) => order.discount),
    orders.map((order) => order.nominal),
    orders.map((order) => order.extra),
    orders.map((order) => order.charge),
    orders.map((order) => timestamp(order.done_at)),
    orders.map((order) => order.code),
  ])
}

/** unnest() flattens arrays of arrays, so the inner ones travel as text. */
function ticketIds(order: Order): string {
  return `{${order.tickets.map((ticket) => ticket.id).join(',')}}`
}

function timestamp(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
