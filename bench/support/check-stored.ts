import { shardOf } from '../../src/kernel/ids.ts'
import type { Sale } from './catalog.ts'
import { queryOnce } from './query.ts'
import type { Target } from './service.ts'

type Stored = { orders: number; tickets: number }

/**
 * Whether the orders and tickets that were acknowledged as sold are those that are stored as sold, no more and no fewer; answers
 * what is wrong. Together with `parterre verify`, by which a ticket is in one order, it proves that no ticket was sold twice: one
 * that was would have been acknowledged twice and be stored once.
 */
export async function checkStored({ database_url }: Target, sale: Sale): Promise<string[]> {
  const [stored] = await queryOnce<Stored>(database_url, {
    text: `SELECT (SELECT count(*)::integer FROM orders
                   WHERE shard = ANY($1::smallint[]) AND event = ANY($2::text[]) AND status = 'done') AS orders,
                  (SELECT count(*)::integer FROM tickets
                   WHERE shard = ANY($1::smallint[]) AND event = ANY($2::text[]) AND status = 'sold') AS tickets`,
    values: [sale.events.map(({ id }) => shardOf(id)), sale.events.map(({ id }) => id)],
  })
  const { orders, tickets } = sale.acknowledged
  if (stored!.orders === orders && stored!.tickets === tickets) return []
  return [
    `${orders} orders of ${tickets} tickets were acknowledged, ${stored!.orders} orders of ${stored!.tickets} tickets are stored`,
  ]
}
