/** Writes what the commands of a batch ended with: orders, tickets, counts, the ledger, shard by shard. */
import assert from 'node:assert/strict'
import { saveTickets } from '../inventory/tickets.ts'
import type { TicketChanges } from '../inventory/tickets.ts'
import type { Ledger } from '../partners/ledger.ts'
import type { PromoUses } from '../promo/promo-uses.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Order, OrderTicket } from './commands.ts'
import { insertOrders, updateOrders } from './desk-rows.ts'
import { savePayment } from './payments.ts'
import type { PaymentMove } from './payments.ts'
import type { Settlement } from './settle-order.ts'

export type Saved = Settlement & {
  readonly is_new: boolean
  /** What becomes of the order's payment, if anything does. */
  readonly payment_move: PaymentMove | undefined
}

type ShardChanges = { inserts: Order[]; updates: Order[]; tickets: TicketChanges }

/** The statements are sent at once, and answered by the promises. `now` is epoch milliseconds. */
export function saveOrders(
  tx: Queryable,
  settlements: readonly Saved[],
  { ledger, uses, now }: { ledger: Ledger; uses: PromoUses; now: number },
): Promise<unknown>[] {
  const shards = new Map<number, ShardChanges>()
  for (const settlement of settlements) collect(shards, settlement)
  const sent: Promise<unknown>[] = []
  for (const [shard, { inserts, updates, tickets }] of [...shards].toSorted(([a], [b]) => a - b)) {
    if (inserts.length > 0) sent.push(all(inserts.length, insertOrders(tx, shard, inserts)))
    if (updates.length > 0) sent.push(all(updates.length, updateOrders(tx, shard, updates)))
    sent.push(...saveTickets(tx, shard, tickets))
  }
  for (const { order, payment_move } of settlements)
    if (payment_move !== undefined) sent.push(savePayment(tx, order, payment_move, now))
  return [...uses.save(tx), ...ledger.save(tx, 'sale', now), ...sent]
}

async function all(expected: number, execution: Promise<number>): Promise<void> {
  assert.equal(await execution, expected, 'an order changed under its lock')
}

function collect(shards: Map<number, ShardChanges>, settlement: Saved): void {
  const { order, granted, rewritten, released, is_new } = settlement
  let changes = shards.get(order.shard)
  if (changes === undefined) {
    changes = { inserts: [], updates: [], tickets: { hold: [], sell: [], release: [], counts: new Map() } }
    shards.set(order.shard, changes)
  }
  const { inserts, updates, tickets } = changes
  if (is_new) inserts.push(order)
  else updates.push(order)
  for (const ticket of [...granted, ...rewritten])
    tickets.hold.push({ ticket, order: order.id, reserved_till: order.expired_after })
  for (const ticket of released) tickets.release.push({ id: ticket.id, order: order.id })
  move(tickets, granted, { vacant: -1, held: 1, sold: 0 })
  move(tickets, released, { vacant: 1, held: -1, sold: 0 })
  if (order.status !== 'done') return
  for (const { id, barcode } of order.tickets) {
    assert(barcode !== null)
    tickets.sell.push({ id, order: order.id, barcode })
  }
  move(tickets, order.tickets, { vacant: 0, held: -1, sold: 1 })
}

function move(
  { counts }: TicketChanges,
  tickets: readonly OrderTicket[],
  by: { vacant: number; held: number; sold: number },
): void {
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
