import assert from 'node:assert/strict'
import { lockSold, returnTickets } from '../inventory/return-tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import { lockOrder, takeOutTickets } from '../orders/sold-orders.ts'
import type { LockedOrder } from '../orders/sold-orders.ts'
import type { Caller } from '../partners/caller.ts'
import { openLedger } from '../partners/ledger.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import { inTurn } from '../platform/db/in-turn.ts'
import { openPromoUses } from '../promo/promo-uses.ts'
import { ticketsUnderKey } from '../promo/promokeys.ts'
import type { KeepAnswer } from './create-refund-request.ts'
import { notify } from './notify.ts'
import { refundError } from './refund-request.ts'
import type { RefundRequest } from './refund-request.ts'
import { loadRequest, statements, termsOfOrder } from './refunds-rows.ts'
import type { TermsRow } from './refunds-rows.ts'

export type Decision = 'approved' | 'rejected'

export type ChangeRefundRequest = (
  caller: Caller,
  change: { readonly id: string; readonly decision: Decision },
  keep?: KeepAnswer,
) => Promise<RefundRequest>

/**
 * Approves or rejects a refund request: for the organizer, or for the vendor where their deal lets it. Approval takes the
 * tickets out of the order, puts them back on sale, voids their barcodes and gives the organizer's share back, once. Throws
 * DomainError<RefundErrorCode>, and `order_busy` while another request on the order is running.
 */
export function createChangeRefundRequest({ db }: { db: Db }): ChangeRefundRequest {
  return (caller, { id, decision }, keep) =>
    db.transaction(async (pooled) => {
      const tx = inTurn(pooled)
      const { order, request } = await lockRequest(tx, id, caller)
      const terms = await termsOfOrder(tx, order.id)
      if (caller.partner.id !== request.org && terms.refund_approval !== 'vendor')
        throw refundError('refund_decision_not_allowed')
      if (request.status !== 'new' && request.status !== 'in_progress')
        throw refundError('refund_request_ended', { status: request.status })
      if (decision === 'approved') {
        if (isOver(terms, order.now)) throw refundError('refund_event_finished')
        await payBack(tx, { order, request, terms })
      }
      const finished = await tx.execute(statements.finish_request, [
        order.shard,
        id,
        decision,
        new Date(order.now).toISOString(),
      ])
      assert.equal(finished, 1, 'a refund request changed under the lock of its order')
      const changed = await loadRequest(tx, id)
      await notify(tx, `refund_request_${decision}`, { request: changed, at: order.now })
      await keep?.(tx, changed)
      return changed
    })
}

/** A request changes under the lock of its order, so it is read once that is had. */
async function lockRequest(tx: Queryable, id: string, caller: Caller) {
  const values = [shardOf(id), id, caller.partner.id]
  const [found] = await tx.query<{ order: string }>(statements.order_of_request, values)
  const order = found && (await lockOrder(tx, found.order, caller))
  if (order === undefined) throw refundError('refund_request_not_found')
  return { order, request: await loadRequest(tx, id) }
}

/** A cancelled event is never over: its buyers are paid back after the day too. */
function isOver({ status, finish }: TermsRow, now: number): boolean {
  return status === 'finished' || (status !== 'cancelled' && finish <= now)
}

type Refund = { readonly order: LockedOrder; readonly request: RefundRequest; readonly terms: TermsRow }

/** In the order in which all transactions lock: order, tickets, promokey, accounts, counts. */
async function payBack(tx: Queryable, { order, request, terms }: Refund): Promise<void> {
  const sold = { shard: order.shard, order: order.id, tickets: request.ticket_records }
  await lockSold(tx, sold)
  await giveBackKey(tx, order, sold.tickets)
  if (request.share > 0) {
    const { vendor_account, org_account } = terms
    assert(vendor_account !== null && org_account !== null, `order ${order.id} was charged without accounts`)
    const ledger = await openLedger(tx, [vendor_account, org_account])
    ledger.post({
      debit_account: org_account,
      credit_account: vendor_account,
      ref: request.id,
      amount: request.share,
    })
    await Promise.all(ledger.save(tx, 'refund', order.now))
  }
  await takeOutTickets(tx, order, request.tickets)
  await returnTickets(tx, sold)
}

/** The tickets count no more against the limit of the order's promokey. */
async function giveBackKey(
  tx: Queryable,
  { shard, id, promokey }: LockedOrder,
  tickets: readonly { readonly set: string }[],
): Promise<void> {
  if (promokey === null) return
  const uses = await openPromoUses(tx, [{ shard, promocodes: [], promokeys: [promokey] }])
  const key = uses.promokey(promokey)
  if (key === undefined) return
  uses.moveKey({ key: promokey, order: id, tickets: -ticketsUnderKey(key, tickets), holds: false })
  await Promise.all(uses.save(tx))
}
