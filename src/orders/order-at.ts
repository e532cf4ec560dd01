import type { Order } from './commands.ts'
import { totals } from './price-order.ts'
import { statusAt } from './rules/order-state.ts'

/** The order as it is at `now` (epoch milliseconds): one whose time is over is expired, whether it was swept yet or not. */
export function orderAt(order: Order, now: number): Order {
  const status = statusAt(order, now)
  return status === order.status ? order : { ...order, ...totals([]), status, tickets: [] }
}
