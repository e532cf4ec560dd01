/**
 * How many orders a selection has. Orders are never deleted, and the time in an order's id is that of its commit within moments,
 * so below an id of some minutes ago nothing is added any more: as long as status and customer do not matter, the number below
 * it is remembered, and only what came since is counted. Each process remembers for itself.
 */
import { firstIdOf } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { ORDER_STATUSES } from './commands.ts'
import { statements } from './list-orders-rows.ts'
import type { OrderSelection } from './order-selection.ts'

/** `now` is the database's clock, epoch milliseconds. */
export type CountOrders = (tx: Queryable, selection: OrderSelection, now: number) => Promise<number>

/** Far longer than the transaction that creates an order takes. */
const SETTLED_AFTER_S = 300

const SELECTIONS_MAX = 1000

/** The orders with ids below `id` are `count`, for good. */
type Settled = { readonly id: string; readonly count: number }

export function createCountOrders(): CountOrders {
  const known = new Map<string, Settled>()

  async function countFromSettled(tx: Queryable, selection: OrderSelection, now: number): Promise<number> {
    const { partner, events, shards, from, below } = selection
    const key = JSON.stringify([partner, events, from, below])
    const base = known.get(key) ?? { id: from, count: 0 }
    const settled_id = firstIdOf(Math.floor(now / 1000) - SETTLED_AFTER_S)
    const values = [partner, below, base.id, settled_id]
    const [row] = await (events === null
      ? tx.query<{ settled: number; total: number }>(statements.count_of_partner, values)
      : tx.query<{ settled: number; total: number }>(statements.count_of_events, [...values, shards, events]))
    const { settled, total } = row ?? { settled: 0, total: 0 }
    known.delete(key)
    known.set(key, settled_id > base.id ? { id: settled_id, count: base.count + settled } : base)
    const [oldest] = known.keys()
    if (known.size > SELECTIONS_MAX && oldest !== undefined) known.delete(oldest)
    return base.count + total
  }

  return (tx, selection, now) =>
    selection.statuses === null && !selection.only_with_customer
      ? countFromSettled(tx, selection, now)
      : countFiltered(tx, selection, now)
}

async function countFiltered(tx: Queryable, selection: OrderSelection, now: number): Promise<number> {
  const { partner, events, shards, from, below, statuses, only_with_customer } = selection
  const range = [partner, below, from]
  const at = new Date(now).toISOString()
  const of_partner = only_with_customer
    ? statements.count_of_partner_with_customer
    : statements.count_of_partner_by_status
  const [row] = await (events === null
    ? tx.query<{ total: number }>(of_partner, [...range, statuses ?? ORDER_STATUSES, at])
    : tx.query<{ total: number }>(statements.count_of_events_filtered, [
        ...range,
        statuses,
        only_with_customer,
        at,
        shards,
        events,
      ]))
  return row?.total ?? 0
}
