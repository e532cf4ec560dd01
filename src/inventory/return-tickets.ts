/** Tickets that were sold and go back on sale: an approved refund's. */
import assert from 'node:assert/strict'
import type { Queryable } from '../platform/db/db.ts'
import type { Ticket } from './tickets.ts'
import { saveCounts } from './tickets.ts'
import { statements } from './tickets-rows.ts'

/** Tickets that an order, which the transaction has locked, has sold. */
export type SoldTickets = {
  readonly shard: number
  readonly order: string
  readonly tickets: readonly Pick<Ticket, 'id' | 'set'>[]
}

/** Locks the tickets in the order of their ids: for a transaction that locks accounts before it returns them. */
export async function lockSold(tx: Queryable, { shard, order, tickets }: SoldTickets): Promise<void> {
  const rows = await tx.query(statements.lock_sold, [shard, idsOf(tickets), order])
  assert.equal(rows.length, tickets.length, 'an order has a ticket that it has not sold')
}

/**
 * sold -> vacant, with the counts of the sets. The barcodes are void from the commit on. What a process remembers as vacant
 * (vacancy.ts) does not have these tickets; it learns of them when it asks the database before calling a set sold out.
 */
export async function returnTickets(tx: Queryable, { shard, order, tickets }: SoldTickets): Promise<void> {
  const returned = await tx.execute(statements.return_tickets, [
    shard,
    idsOf(tickets),
    tickets.map(() => order),
  ])
  assert.equal(returned, tickets.length, 'a ticket changed under the lock of its order')
  const counts = Map.groupBy(tickets, ({ set }) => set)
  const moves = [...counts].map(
    ([set, { length }]) => [set, { vacant: length, held: 0, sold: -length }] as const,
  )
  await Promise.all(saveCounts(tx, new Map(moves)))
}

function idsOf(tickets: SoldTickets['tickets']): string[] {
  return tickets.map(({ id }) => id)
}
