/**
 * Outside payments (contract, decisions 4, in_progress): reading them, and writing them in the transaction of what they do to
 * their order. A payment changes only under the lock of its order.
 */
import { isObjectId, newId, shardOf } from '../kernel/ids.ts'
import type { Caller } from '../partners/caller.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { ChangeOrder, Order, Payment, PaymentStatus } from './commands.ts'
import { orderError } from './order-errors.ts'
import { statements } from './payments-rows.ts'

/** The payment a command names, or its order's pending one; undefined when there is none. The order is locked. */
export async function loadPayment(
  tx: Queryable,
  { order, payment }: ChangeOrder,
): Promise<Payment | undefined> {
  const id = payment === undefined || payment.step === 'begin' ? null : payment.id
  const [found] = await tx.query<Payment>(statements.payments_of_order, [shardOf(order), order, id])
  return found
}

/** The id of the order that the caller has the payment for. Throws `payment_not_found`. */
export async function findOrderOfPayment(db: Queryable, caller: Caller, id: string): Promise<string> {
  const [found] = isObjectId(id)
    ? await db.query<{ order: string }>(statements.order_of_payment, [shardOf(id), id, caller.partner.id])
    : []
  if (found === undefined) throw orderError('payment_not_found')
  return found.order
}

/** What a command does to payments: one begins, or those of the order are over. */
export type PaymentMove =
  | { readonly begun: Payment }
  | {
      readonly finished: Exclude<PaymentStatus, 'pending'>
      /** null: the pending one. */ readonly id: string | null
    }

const OUTCOMES = { done: 'confirmed', cancelled: 'failed', expired: 'expired' } as const

/** What a change of an order means for its payments. `now` is epoch milliseconds. */
export function paymentMove(
  { before, payment }: { before: Order; payment?: { found: Payment | undefined; is_late: boolean } },
  order: Order,
  now: number,
): PaymentMove | undefined {
  const { shard, id, event, tickets, status } = order
  if (before.status === status) return undefined
  if (status === 'in_progress') {
    const begun = { shard, id: newId(shard, now), order: id, event, tickets, created_at: now }
    return { begun: { ...begun, status: 'pending', finished_at: null } }
  }
  if (before.status === 'in_progress' && status !== 'executed')
    return { finished: OUTCOMES[status], id: null }
  return payment?.is_late ? { finished: 'confirmed', id: payment.found?.id ?? null } : undefined
}

/** The payment after the move. */
export function paymentAfter(
  found: Payment | undefined,
  move: PaymentMove | undefined,
  now: number,
): Payment | undefined {
  if (move === undefined || found === undefined) return move && 'begun' in move ? move.begun : found
  return 'begun' in move ? move.begun : { ...found, status: move.finished, finished_at: now }
}

/** Writes the move, or fails when there is no such payment; the statement is sent at once. `now` is epoch milliseconds. */
export async function savePayment(
  tx: Queryable,
  order: Order,
  move: PaymentMove,
  now: number,
): Promise<void> {
  if ('begun' in move) {
    const { shard, id, event, tickets, created_at } = move.begun
    const values = [shard, id, order.id, event, JSON.stringify(tickets), new Date(created_at).toISOString()]
    await tx.execute(statements.insert_payment, values)
    return
  }
  const { finished, id } = move
  const values = [order.shard, order.id, id, finished, new Date(now).toISOString()]
  await tx.query(statements.finish_payment, values)
}
