/** Refund requests as the API shows them (contract, decisions 5). */
import type { Catalog } from '../../events/event-entry.ts'
import { formatV2Time } from '../../kernel/iso-time.ts'
import { formatMoney } from '../../kernel/money.ts'
import type { RefundRequest, RefundTicket } from '../../refunds/refund-request.ts'
import { presentEvent } from './present-event.ts'

/** Where the records are read that requests name. */
type Records = Pick<Catalog, 'events' | 'partner'>

/** The record: `data` of an answer, and of a notification. */
export function presentRefundRequest(request: RefundRequest) {
  const refund_nominal = formatMoney(request.refund_nominal)
  return {
    id: request.id,
    status: request.status,
    culprit: request.culprit,
    created_at: formatV2Time(request.created_at),
    finished_at: request.finished_at === null ? null : formatV2Time(request.finished_at),
    requested_at: formatV2Time(request.requested_at),
    refund_nominal,
    delta: refund_nominal,
    customer_money: formatMoney(request.customer_money),
    event: request.event,
    org: request.org,
    order: request.order,
    policy: request.policy,
    tickets: request.tickets,
    vendor: request.vendor,
  }
}

/** The records that the requests name, by their ids. */
export async function presentRefundRefs(requests: readonly RefundRequest[], catalog: Records) {
  const idsOf = (of: (request: RefundRequest) => string[]) => [...new Set(requests.flatMap(of))]
  const [events, partners] = await Promise.all([
    catalog.events(idsOf(({ event }) => [event])),
    Promise.all(idsOf(({ org, vendor }) => [org, vendor]).map((id) => catalog.partner(id))),
  ])
  return {
    events: byId(events.map(presentEvent)),
    orders: byId(
      requests.map(({ order, order_number, order_code }) => ({
        id: order,
        number: order_number,
        code: order_code,
      })),
    ),
    partners: byId(partners.filter((partner) => partner !== undefined).map(({ id, name }) => ({ id, name }))),
    tickets: byId(requests.flatMap(({ ticket_records }) => ticket_records.map(presentTicket))),
  }
}

function presentTicket(ticket: RefundTicket) {
  const { id, serial, number, set, seat, barcode, price, nominal, discount, extra, refunded } = ticket
  return {
    id,
    serial,
    number,
    set,
    ...(seat !== null && { seat: { row: seat.row, number: seat.number, sector: seat.sector } }),
    barcode,
    price: formatMoney(price),
    nominal: formatMoney(nominal),
    discount: formatMoney(discount),
    extra: formatMoney(extra),
    full: formatMoney(nominal + extra),
    refund_nominal: formatMoney(refunded),
  }
}

function byId<Record extends { readonly id: string }>(records: readonly Record[]): { [id: string]: Record } {
  return Object.fromEntries(records.map((record) => [record.id, record]))
}

/** The JSON of the answer with one refund request. */
export async function renderRefundRequest(request: RefundRequest, catalog: Records): Promise<string> {
  const refs = await presentRefundRefs([request], catalog)
  return JSON.stringify({ data: presentRefundRequest(request), refs })
}
