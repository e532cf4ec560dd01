import { buy, wish } from './buy.ts'
import type { SaleEvent } from './catalog.ts'
import { rush, type Measured, type Rush } from './rush.ts'

/** A good sale, and not so much that nothing is left for what is measured beside it. */
const ORDERS_A_SECOND = 200
const CLIENTS = 16
const TICKETS_AN_ORDER = 2

/** Sells two tickets of the events in turn, so many orders a second. */
export function paceSales(
  options: Omit<Rush, 'clients' | 'pace'>,
  ...events: readonly SaleEvent[]
): Promise<Measured> {
  const bodies = events.map((event) => wish(event, TICKETS_AN_ORDER))
  let next = 0
  return rush({ ...options, clients: CLIENTS, pace: ORDERS_A_SECOND }, async (buyer) => {
    await buy(buyer, bodies[next++ % bodies.length]!, TICKETS_AN_ORDER)
  })
}
