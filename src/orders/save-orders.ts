/**
 * Writes what the commands of a batch ended with. What other batches wait for, the balances and then the counts, comes last, so
 * that they wait no longer than for these and the commit.
 */
import assert from 'node:assert/strict'
import { saveCounts, saveTickets } from '../inventory/tickets.ts'
import type { CountMove, TicketChange } from '../inventory/tickets.ts'
import type { Ledger } from '../partners/ledger.ts'
import type { PromoUses } from '../promo/promo-uses.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Order, OrderTicket } from './commands.ts'
import {
  completeOrders,
  endOrders,
  insertOrders,
  isOnlyCompleted,
  isOnlyEnded,
  updateOrders,
} from './desk-rows.ts'
import type { VersionOf } from './desk-rows.ts'
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

type Changes = {
  readonly inserts: Order[]
  readonly updates: Order[]
  readonly completions: Order[]
  readonly ends: Order[]
  readonly tickets: TicketChange[]
  readonly counts: Map<string, CountMove>
}

export type SaveOptions = {
  readonly ledger: Ledger
  readonly uses: PromoUses
  /** Of orders that existed before. */
  readonly versionOf: VersionOf
  /** Epoch milliseconds. */
  readonly now: number
}

/** The statements are sent at once, and answered by the promises; each fails unless it changes all that it should. */
export function saveOrders(
  tx: Queryable,
  settlements: readonly Saved[],
  { ledger, uses, versionOf, now }: SaveOptions,
): Promise<unknown>[] {
  const changes: Changes = {
    inserts: [],
    updates: [],
    completions: [],
    ends: [],
    tickets: [],
    counts: new Map(),
  }
  for (const settlement of settlements) collect(changes, settlement)
  const { inserts, updates, completions, ends, tickets, counts } = changes
  const sent: Promise<unknown>[] = []
  if (inserts.length > 0) sent.push(insertOrders(tx, inserts))
  if (updates.length > 0) sent.push(updateOrders(tx, updates, versionOf))
  if (completions.length > 0) sent.push(completeOrders(tx, completions, versionOf))
  if (ends.length > 0) sent.push(endOrders(tx, ends, versionOf))
  sent.push(...saveTickets(tx, tickets), ...uses.save(tx))
  for (const { order, payment_move } of settlements)
    if (payment_move !== undefined) sent.push(savePayment(tx, order, payment_move, now))
  sent.push(...ledger.save(tx, 'sale', now), ...saveCounts(tx, counts))
  return sent
}

function collect({ inserts, updates, completions, ends, tickets, counts }: Changes, settlement: Saved): void {
  const { before, order, granted, rewritten, released, is_new } = settlement
  if (is_new) inserts.push(order)
  else if (isOnlyCompleted(before, order)) completions.push(order)
  else if (isOnlyEnded(before, order)) ends.push(order)
  else updates.push(order)
  for (const { id } of released) tickets.push({ id, holder: order.id, becomes: null })
  move(counts, granted, { vacant: -1, held: 1, sold: 0 })
  move(counts, released, { vacant: 1, held: -1, sold: 0 })
  const is_granted = new Set(granted.map(({ id }) => id))
  const is_done = order.status === 'done'
  for (const ticket of is_done ? order.tickets : [...granted, ...rewritten]) {
    assert.equal(ticket.barcode !== null, is_done)
    const reserved_till = is_done ? null : order.expired_after
    const holder = is_granted.has(ticket.id) ? null : order.id
    tickets.push({ id: ticket.id, holder, becomes: { order: order.id, ticket, reserved_till } })
  }
  if (is_done) move(counts, order.tickets, { vacant: 0, held: -1, sold: 1 })
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
