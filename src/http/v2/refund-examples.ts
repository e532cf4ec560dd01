/** The examples of the OpenAPI document: a ticket of the order in `order-examples.ts` is given back. */
import { ORDER_EXAMPLE } from './order-examples.ts'

const { data: order, refs } = ORDER_EXAMPLE
const [, ticket] = order.tickets

export const REFUND_ID = '6920b4000007c3a5e100000c'

export const NEW_REFUND_REQUEST_EXAMPLES = {
  by_buyer: {
    summary: 'The buyer asked to give a ticket back',
    value: {
      order: order.id,
      culprit: 'user',
      tickets: [ticket?.id],
      requested_at: '2025-11-21T21:48:00+03:00',
    },
  },
  by_organizer: {
    summary: "It is the organizer's fault",
    value: { order: order.id, culprit: 'org', tickets: order.tickets.map(({ id }) => id) },
  },
}

export const REFUND_DECISION_EXAMPLES = {
  approve: { summary: 'Approve', value: { status: 'approved' } },
  reject: { summary: 'Reject', value: { status: 'rejected' } },
}

const REFUND_REQUEST = {
  id: REFUND_ID,
  status: 'new',
  culprit: 'user',
  created_at: '2025-11-21 18:48:32',
  finished_at: null,
  requested_at: '2025-11-21 18:48:00',
  refund_nominal: '4200.00',
  delta: '4200.00',
  customer_money: '4200.00',
  event: order.event,
  org: order.org,
  order: order.id,
  policy: 'law_ru_193',
  tickets: [ticket?.id],
  vendor: order.vendor,
}

const REFS = {
  events: refs.events,
  orders: { [order.id]: { id: order.id, number: order.number, code: order.code } },
  partners: refs.partners,
  tickets: {
    [String(ticket?.id)]: {
      id: ticket?.id,
      serial: ticket?.serial,
      number: ticket?.number,
      set: ticket?.set,
      seat: ticket?.seat,
      barcode: ticket?.barcode,
      price: ticket?.price,
      nominal: ticket?.nominal,
      discount: ticket?.discount,
      extra: ticket?.extra,
      full: ticket?.full,
      refund_nominal: '4200.00',
    },
  },
}

export const REFUND_ANSWER_EXAMPLE = { data: REFUND_REQUEST, refs: REFS }

export const REFUND_LIST_EXAMPLE = {
  data: [REFUND_REQUEST],
  pagination: { page: 1, page_size: 50, total: 1 },
  total_count: 1,
  refs: REFS,
}
