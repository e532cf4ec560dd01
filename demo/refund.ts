/** The refund of one ticket of a done order: asked for, listed, approved. */
import { isDeepStrictEqual } from 'node:util'
import { checkNamed, checkOrder, checkPage, minor, same, sameMoney, sameTexts } from './checks.ts'
import {
  ORDER_ANSWER,
  REFUND_ANSWER,
  REFUND_LIST,
  REFUSAL,
  type Order,
  type RefundAnswer,
} from './document.ts'
import type { ListedEvent, Listing } from './listing.ts'
import { ORDERS, refuse } from './orders.ts'
import type { Seller } from './seller.ts'
import { either, type Shaped } from './shapes.ts'

const REFUNDS = '/v2/resources/refund_requests'

type RefundRequest = RefundAnswer['data']
type Refused = Shaped<typeof REFUSAL>
type RefundStage = { listing: Listing; event: ListedEvent; order: Order }

export type RefundOptions = RefundStage & {
  /** The deal is known to let the seller decide; under another one the organizer may be the only one who does. */
  is_sellers_decision: boolean
}

/** The order is done and has at least two tickets, seated ones. */
export async function playRefund(
  seller: Seller,
  { listing, event, order, is_sellers_decision }: RefundOptions,
): Promise<void> {
  const [ticket] = order.tickets
  const body = { order: order.id, culprit: 'org', tickets: [ticket!.id] }
  const { data: request } = await seller.send({
    step: 'A refund of one ticket is asked for, at the fault of the organizer: the service fee is paid back too',
    method: 'POST',
    path: `${REFUNDS}/`,
    body,
    status: 200,
    answer: REFUND_ANSWER,
    check: (answer) => checkRefund(answer, { order, status: 'new' }),
  })
  await refuse(seller, {
    step: 'It cannot be asked for twice',
    method: 'POST',
    path: `${REFUNDS}/`,
    body,
    error: 'Some tickets already use in another refund request',
  })
  await findInList(seller, order, request)
  if (await approve(seller, { order, request, is_sellers_decision })) {
    await checkEffects(seller, { listing, event, order })
  }
}

async function findInList(seller: Seller, order: Order, request: RefundRequest): Promise<void> {
  const query = new URLSearchParams({
    status: 'new',
    events: order.event,
    created_at: `${request.created_at},`,
  })
  await seller.send({
    step: 'It is in the list of what is to be decided',
    method: 'GET',
    path: `${REFUNDS}?${query.toString()}`,
    status: 200,
    answer: REFUND_LIST,
    check: ({ data, refs, ...paging }) => [
      ...checkPage(data, paging),
      ...data.flatMap(({ id, event, status }) => [
        ...same(`the event of ${id}`, event, order.event),
        ...same(`the status of ${id}`, status, 'new'),
      ]),
      ...data.flatMap((one) => checkRefs(one, refs)),
      ...(data.some((one) => isDeepStrictEqual(one, request))
        ? []
        : [`body.data must have ${request.id} as it was answered`]),
    ],
  })
}

/** Answers whether the request is approved now. */
async function approve(
  seller: Seller,
  {
    order,
    request: { id },
    is_sellers_decision,
  }: { order: Order; request: RefundRequest; is_sellers_decision: boolean },
): Promise<boolean> {
  const approval = { method: 'PATCH', path: `${REFUNDS}/${id}`, body: { status: 'approved' } } as const
  const answer = await seller.send<RefundAnswer | Refused>({
    ...approval,
    step: is_sellers_decision ? 'It is approved' : 'It is approved, unless the organizer alone decides',
    status: is_sellers_decision ? 200 : [200, 403],
    answer: is_sellers_decision ? REFUND_ANSWER : either(REFUND_ANSWER, REFUSAL),
    check: (decided) =>
      'data' in decided
        ? [...same('data.id', decided.data.id, id), ...checkRefund(decided, { order, status: 'approved' })]
        : [],
  })
  if (!('data' in answer)) return false
  await refuse(seller, {
    ...approval,
    step: 'It cannot be approved twice',
    error: 'Incorrect status approved for this operation',
  })
  return true
}

async function checkEffects(seller: Seller, { listing, event, order }: RefundStage): Promise<void> {
  const [ticket, ...left] = order.tickets
  await seller.send({
    step: 'The ticket is gone from the order, and what it cost from the totals',
    method: 'GET',
    path: `${ORDERS}/${order.id}`,
    status: 200,
    answer: ORDER_ANSWER,
    check: (answer) => [
      ...checkOrder(answer, { status: 'done', event, tickets: left.map(({ id }) => id), before: order }),
      ...(isDeepStrictEqual(answer.data.tickets, left) ? [] : ['the tickets left must be as they were']),
      ...sameMoney(
        'data.values.full',
        answer.data.values.full,
        minor(order.values.full) - minor(ticket!.full),
      ),
    ],
  })
  await listing.listSeats({ step: 'Its seat is vacant again', event, status: 'vacant', contains: ticket! })
}

/** The request is for the first ticket of the order, and the organizer's fault. */
function checkRefund(
  { data, refs }: RefundAnswer,
  { order, status }: { order: Order; status: RefundRequest['status'] },
): string[] {
  const { id, nominal, full } = order.tickets[0]!
  return [
    ...same('data.status', data.status, status),
    ...same('data.culprit', data.culprit, 'org'),
    ...same('data.order', data.order, order.id),
    ...(['event', 'org', 'vendor'] as const).flatMap((field) =>
      same(`data.${field}`, data[field], order[field]),
    ),
    ...sameTexts('data.tickets', data.tickets, [id]),
    ...sameMoney('data.refund_nominal', data.refund_nominal, minor(nominal)),
    ...same('data.delta', data.delta, data.refund_nominal),
    ...sameMoney('data.customer_money, nominal and extra,', data.customer_money, minor(full)),
    ...same('whether there is data.finished_at', Boolean(data.finished_at), status !== 'new'),
    ...checkRefs(data, refs),
  ]
}

function checkRefs(data: RefundRequest, refs: RefundAnswer['refs']): string[] {
  return checkNamed(refs, {
    events: [data.event],
    orders: [data.order],
    partners: [data.org, data.vendor],
    tickets: data.tickets,
  })
}
