/**
 * The open orders that this process saved last, each with the version of its row: a buyer's next request follows soon, and then
 * the order need not be read, only locked. A copy is believed while the row has that version, so any other process, and whatever
 * else changes orders, may have them too. Tickets of an order change with its row.
 */
import type { Order } from './commands.ts'

/** An order as this process saved it last, and the `xmin` that its row had then. */
export type RecentOrder = { readonly order: Order; readonly version: string }

export type RecentOrders = {
  get(order: string): RecentOrder | undefined
  /** The orders were saved by a transaction that has committed; its id is their version. */
  keep(orders: readonly Order[], version: string): void
  /** They may not be as they were saved here. */
  forget(orders: readonly string[]): void
}

/** `orders_max`: how many are kept; the one saved longest ago goes first. */
export function createRecentOrders({ orders_max }: { orders_max: number }): RecentOrders {
  const recent = new Map<string, RecentOrder>()
  return {
    get: (order) => recent.get(order),
    forget(orders) {
      for (const id of orders) recent.delete(id)
    },
    keep(orders, version) {
      for (const order of orders) {
        recent.delete(order.id)
        if (order.status === 'executed') recent.set(order.id, { order, version })
      }
      for (const id of recent.keys()) {
        if (recent.size <= orders_max) return
        recent.delete(id)
      }
    },
  }
}
