/**
 * Writes what the commands of a batch ended with. What other batches wait for, the balances and then the counts, comes last, so
 * that they wait no longer than for these and the commit.
 */
import assert from 'node:assert/strict'
import { saveCounts, saveTickets } from '../inventory/tickets.ts'
import type { CountMove, TicketChanges } from '../inventory/tickets.ts'
import type { Ledger } from '../partners/ledger.ts'
import type { PromoUses } from '../promo/promo-uses.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Order, OrderTicket } from './commands.ts'
import { completeOrders, insertOrders, isOnlyCompleted, updateOrders } from './desk-rows.ts'
import { savePayment } from './payments.ts'
import type { PaymentMove } from './payments.ts'
import type { Settlement } from './settle-order.ts'

export type Saved = Settlement & {
  /** The order as it was. */
  readonly before: Order
  readonly is_new: boolean
  /** What becomes of the order's payment, if anything does. */
  readonly payment_move: PaymentMove | undefined
}

type ShardChanges = {
  inserts: Order[]
  updates: Order[]
  completions: Order[]
  tickets: TicketChanges
  counts: Map<string, CountMove>
}

/** The statements are sent at once, and answered by the promises; each fails unless it changes all that it should. `now` is epoch milliseconds. */
export function saveOrders(
  tx: Queryable,
  settlements: readonly Saved[],
  { ledger, uses, now }: { ledger: Ledger; uses: PromoUses; now: number },
): Promise<unknown>[] {
  const by_shard = new Map<number, ShardChanges>()
  for (const settlement of settlements) collect(by_shard, settlement)
  const shards = [...by_shard].toSorted(([a], [b]) => a - b)
  const sent: Promise<unknown>[] = []
  for (const [shard, { inserts, updates, completions, tickets }] of shards) {
    if (inserts.length > 0) sent.push(insertOrders(tx, shard, inserts))
    if (updates.length > 0) sent.push(updateOrders(tx, shard, updates))
    if (completions.length > 0) sent.push(completeOrders(tx, shard, completions))
    sent.push(...saveTickets(tx, shard, tickets))
  }
  sent.push(...uses.save(tx))
  for (const { order, payment_move } of settlements)
    if (payment_move !== undefined) sent.push(savePayment(tx, order, payment_move, now))
  sent.push(...ledger.save(tx, 'sale', now))
  for (const [shard, { counts }] of shards) sent.push(...saveCounts(tx, shard, counts))
  return sent
}

function collect(shards: Map<number, ShardChanges>, settlement: Saved): void {
  const { before, order, granted, rewritten, released, is_new } = settlement
  let changes = shards.get(order.shard)
  if (changes === undefined) {
    changes = {
      inserts: [],
      updates: [],
      completions: [],
      tickets: { hold: [], sell: [], release: [] },
      counts: new Map(),
    }
    shards.set(order.shard, changes)
  }
  const { inserts, updates, completions, tickets, counts } = changes
  if (is_new) inserts.push(order)
  else if (isOnlyCompleted(before, order)) completions.push(order)
  else updates.push(order)
  for (const ticket of [...granted, ...rewritten])
    tickets.hold.push({ ticket, order: order.id, reserved_till: order.expired_after })
  for (const ticket of released) tickets.release.push({ id: ticket.id, order: order.id })
  move(counts, granted, { vacant: -1, held: 1, sold: 0 })
  move(counts, released, { vacant: 1, held: -1, sold: 0 })
  if (order.status !== 'done') return
  for (const { id, barcode } of order.tickets) {
    assert(barcode !== null)
    tickets.sell.push({ id, order: order.id, barcode })
  }
  move(counts, order.tickets, { vacant: 0, held: -1, sold: 1 })
}

function move(counts: Map<string, CountMove>, tickets: readonly OrderTicket[], by: CountMove): void {
  for (const { set } of tickets) {
    const count = counts.get(set)
    if (count === undefined) counts.set(set, { ...by })
    else {
      count.vacant += by.vacant
      count.held += by.held
      count.sold += by.sold
    }
  }
}
