import { createdAt, newId } from '../kernel/ids.ts'
import { InvalidFields } from '../orders/order-errors.ts'
import { lockOrder } from '../orders/sold-orders.ts'
import type { LockedOrder } from '../orders/sold-orders.ts'
import type { Caller } from '../partners/caller.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import { notify } from './notify.ts'
import { refundError } from './refund-request.ts'
import type { Culprit, RefundRequest, RefundTicket } from './refund-request.ts'
import { loadRequest, statements, termsOfOrder } from './refunds-rows.ts'
import { policyName, refundOfTicket, refundPercent } from './rules/refund-amount.ts'

export type NewRefundRequest = {
  readonly order: string
  readonly culprit: Culprit
  /** Ids; one that is given twice counts once. */
  readonly tickets: readonly string[]
  /** When the buyer asked, epoch milliseconds; without it, now. */
  readonly requested_at: number | undefined
}

/** What the transport writes in the transaction with the request: the answer it is going to give. */
export type KeepAnswer = (tx: Queryable, request: RefundRequest) => Promise<unknown>

export type CreateRefundRequest = (
  caller: Caller,
  wanted: NewRefundRequest,
  keep?: KeepAnswer,
) => Promise<RefundRequest>

/**
 * Makes a request to refund tickets of a done order, for the vendor that sold it or the organizer of its event. What it pays
 * back is fixed here; approval moves it. Throws DomainError<RefundErrorCode>, InvalidFields, and `order_busy` while another
 * request on the order is running.
 */
export function createCreateRefundRequest({ db }: { db: Db }): CreateRefundRequest {
  return (caller, wanted, keep) =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, wanted.order, caller)
      if (order === undefined) throw refundError('refund_order_not_found', { order: wanted.order })
      const tickets = await refundableTickets(tx, order, wanted.tickets)
      const request = await insertRequest(tx, order, { ...wanted, tickets })
      await notify(tx, 'refund_request_created', { request, at: order.now })
      await keep?.(tx, request)
      return request
    })
}

async function refundableTickets(tx: Queryable, order: LockedOrder, wanted: readonly string[]) {
  if (order.status !== 'done')
    throw refundError('refund_order_status', { order: order.id, status: order.status })
  if (order.tickets.length === 0) throw refundError('refund_nothing_left')
  const ids = new Set(wanted)
  const tickets = order.tickets.filter(({ id }) => ids.has(id))
  if (tickets.length < ids.size) throw refundError('refund_bad_tickets')
  const in_use = await tx.query(statements.tickets_in_use, [order.shard, order.id, [...ids]])
  if (in_use.length > 0) throw refundError('refund_tickets_in_use')
  return tickets
}

type Wanted = Omit<NewRefundRequest, 'tickets'> & { readonly tickets: LockedOrder['tickets'] }

async function insertRequest(tx: Queryable, order: LockedOrder, wanted: Wanted): Promise<RefundRequest> {
  const { culprit } = wanted
  const requested_at = requestedAt(wanted.requested_at, order)
  const { refund_policy: policy, start } = await termsOfOrder(tx, order.id)
  const percent = refundPercent({ policy, culprit, requested_at, start })
  if (typeof percent === 'string') throw refundError(percent)
  const amounts = wanted.tickets.map(({ nominal }) =>
    refundOfTicket(nominal, { percent, org_share: order.org_share }),
  )
  const records = wanted.tickets.map((ticket, index): RefundTicket => ({
    ...ticket,
    refunded: amounts[index]?.refunded ?? 0,
  }))
  const refund_nominal = total(records, ({ refunded }) => refunded)
  const extra = culprit === 'org' ? total(records, (ticket) => ticket.extra) : 0
  const id = newId(order.shard, order.now)
  await tx.execute(statements.insert_request, [
    order.shard,
    id,
    order.event,
    order.org,
    order.vendor,
    order.id,
    culprit,
    policyName(policy),
    records.map((ticket) => ticket.id),
    JSON.stringify(records),
    refund_nominal,
    refund_nominal + extra,
    total(amounts, ({ share }) => share),
    new Date(createdAt(id)).toISOString(),
    new Date(requested_at).toISOString(),
  ])
  return loadRequest(tx, id)
}

/** What clients send has the seconds that an order's answer shows, so the second of its completion is not too early. */
function requestedAt(wanted: number | undefined, { now, done_at }: LockedOrder): number {
  if (wanted === undefined) return now
  if (wanted > now) throw new InvalidFields(['requested_at must not be in the future'])
  if (done_at !== null && wanted < Math.floor(done_at / 1000) * 1000)
    throw new InvalidFields(['requested_at must not be before the order was done'])
  return wanted
}

function total<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((sum, one) => sum + of(one), 0)
}
