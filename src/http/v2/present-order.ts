/**
 * The answer of every order operation, `{data, refs}` (contract, Order and `refs`; decisions, 4 "Shape"). It is written
 * straight to JSON, because it is most of the work of an answer in a sale rush; what an event gives to every answer is
 * written once per entry of the catalog.
 *
 * The strings here are bytes: every character is one byte of the answer's UTF-8. One Cyrillic name would otherwise make the
 * whole answer a string of two-byte characters, and encoding that anew takes longer than all the rest.
 */
import type { EventEntry, Partner, SetEntry } from '../../events/event-entry.ts'
import { createdAt } from '../../kernel/ids.ts'
import { formatV2Time } from '../../kernel/iso-time.ts'
import { formatMoney } from '../../kernel/money.ts'
import type { Order, OrderResult, OrderTicket, Totals } from '../../orders/commands.ts'
import { priceInForce } from '../../pricing/quote.ts'

const NOT_ASCII = /[^\0-\x7f]/

/** The partner that sells the order. */
type Vendor = Pick<Partner, 'id' | 'name'>

const NOTHING: Totals = { price: 0, discount: 0, nominal: 0, extra: 0 }

/**
 * The JSON, in UTF-8, of an order as it is at `now`: one that was not paid in time is shown as expired, whether its tickets have
 * been swept back or not.
 */
export function presentOrder({ order, event, now }: OrderResult, vendor: Vendor): Buffer {
  const lapsed = order.status === 'executed' && order.expired_after <= now
  const shown: Order = lapsed ? { ...order, ...NOTHING, status: 'expired', tickets: [] } : order
  const fragments = fragmentsOf(event)
  const prices = pricesOf(event, fragments, now)
  const refs = refsJson(shown, { vendor, fragments, prices })
  return Buffer.from(`{"data":${dataJson(shown, prices)},"refs":${refs}}`, 'latin1')
}

/** Ids, codes, serials and barcodes are made of letters and digits, so they need no escapes. */
function dataJson(order: Order, prices: Prices): string {
  return (
    `{"id":"${order.id}","status":"${order.status}","created_at":"${time(createdAt(order.id))}",` +
    (order.done_at === null ? '' : `"done_at":"${time(order.done_at)}",`) +
    `"expired_after":"${time(order.expired_after)}","event":"${order.event}","number":${order.number},` +
    `"org":"${order.org}","origin":"${order.origin}","promocodes":[],` +
    `"settings":{"invitation":false,"send_tickets":false,"subscribe_agree":false},` +
    `"tickets":[${order.tickets.map(ticketJson).join(',')}],` +
    `"values":{${moneyJson(order)},"sets_values":${prices.sets_values},"viral_promocodes":[]},` +
    `"vendor":"${order.vendor}","vendor_data":{}` +
    (order.code === null ? '}' : `,"code":"${order.code}"}`)
  )
}

function ticketJson(ticket: OrderTicket): string {
  return (
    `{"id":"${ticket.id}","serial":"${ticket.serial}","number":${ticket.number},"set":"${ticket.set}",` +
    (ticket.seat === null ? '' : `"seat":${seatJson(ticket.seat)},`) +
    `"status":"reserved","barcode":${ticket.barcode === null ? 'null' : `"${ticket.barcode}"`},` +
    `${moneyJson(ticket)},"tariff":null}`
  )
}

function seatJson({ row, number, sector }: NonNullable<OrderTicket['seat']>): string {
  return `{"row":${jsonBytes(row)},"number":${jsonBytes(number)},"sector":"${sector}"}`
}

function moneyJson({ price, discount, nominal, extra }: Totals): string {
  return (
    `"price":"${formatMoney(price)}","nominal":"${formatMoney(nominal)}","discount":"${formatMoney(discount)}",` +
    `"extra":"${formatMoney(extra)}","full":"${formatMoney(nominal + extra)}"`
  )
}

type Refs = { readonly vendor: Vendor; readonly fragments: Fragments; readonly prices: Prices }

function refsJson(order: Order, { vendor, fragments, prices }: Refs): string {
  const { events, org, venues } = fragments
  const partners = vendor.id === order.org ? org : `${org},${vendorJson(vendor)}`
  const sets = [...new Set(order.tickets.map((ticket) => ticket.set))].map((set) => prices.sets.get(set))
  return `{"events":${events},"partners":{${partners}},"promocodes":{},"sets":{${sets.join(',')}},"venues":${venues}}`
}

/** What an event gives to the answer and does not change with time. */
type Fragments = { readonly events: string; readonly org: string; readonly venues: string; prices?: Prices }

const fragments_of_events = new WeakMap<EventEntry, Fragments>()

function fragmentsOf(event: EventEntry): Fragments {
  let fragments = fragments_of_events.get(event)
  if (fragments === undefined) {
    fragments = {
      events: eventsJson(event),
      org: partnerJson(event.org),
      venues: venuesJson(event),
    }
    fragments_of_events.set(event, fragments)
  }
  return fragments
}

function eventsJson({ id, lifetime, org, status, venue, title, age_rating }: EventEntry): string {
  return jsonBytes({
    [id]: {
      id,
      lifetime: { start: formatV2Time(lifetime.start), finish: formatV2Time(lifetime.finish) },
      org: org.id,
      status,
      timezone: venue.city.timezone,
      title: { desc: title.desc, text: title.text },
      venue: venue.id,
      age_rating,
    },
  })
}

function venuesJson({ venue: { id, name, desc, address, city, country } }: EventEntry): string {
  return jsonBytes({
    [id]: {
      id,
      name,
      desc,
      address,
      city: { _id: city.id, name: city.name, timezone: city.timezone },
      country: { _id: country.id, name: country.name },
    },
  })
}

const vendors_json = new WeakMap<Vendor, string>()

/** As long as a key is known, its partner is the same object. */
function vendorJson(vendor: Vendor): string {
  let json = vendors_json.get(vendor)
  if (json === undefined) vendors_json.set(vendor, (json = partnerJson(vendor)))
  return json
}

/** A member of `refs.partners`. */
function partnerJson({ id, name }: Vendor): string {
  return `"${id}":{"id":"${id}","name":${jsonBytes(name)}}`
}

/** What the sets cost from `since` until, but not at, `until`: no price rule begins or ends between. */
type Prices = {
  readonly since: number
  readonly until: number
  readonly sets_values: string
  /** Set id -> its member of `refs.sets`. */
  readonly sets: ReadonlyMap<string, string>
}

function pricesOf(event: EventEntry, fragments: Fragments, now: number): Prices {
  const { prices } = fragments
  if (prices !== undefined && prices.since <= now && now < prices.until) return prices
  fragments.prices = pricesAt(event.sets, now)
  return fragments.prices
}

function pricesAt(sets: readonly SetEntry[], now: number): Prices {
  const priced = sets.map((set) => ({ set, price: formatMoney(priceInForce(set, now)) }))
  const changes = sets.flatMap((set) =>
    set.rules.flatMap(({ lifetime }) => [lifetime.start, lifetime.finish]),
  )
  return {
    since: now,
    until: Math.min(...changes.filter((at) => at > now)),
    sets_values: jsonBytes(
      Object.fromEntries(priced.map(({ set, price }) => [set.id, setValues(set, price)])),
    ),
    sets: new Map(priced.map(({ set, price }) => [set.id, `"${set.id}":${jsonBytes(setRef(set, price))}`])),
  }
}

function setValues({ id, name }: SetEntry, price: string): object {
  return { id, price, nominal: price, discount: '0.00', promocode: null, name }
}

function setRef({ id, name, with_seats }: SetEntry, price: string): object {
  return { id, name, price, with_seats }
}

/** The JSON of a value, a character for each byte of its UTF-8. */
function jsonBytes(value: unknown): string {
  const text = JSON.stringify(value)
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text
}

/** Times of orders are the same few seconds over and over. */
const TIMES_MAX = 4096
const times = new Map<number, string>()

function time(at: number): string {
  const second = Math.floor(at / 1000)
  let text = times.get(second)
  if (text === undefined) {
    if (times.size >= TIMES_MAX) times.clear()
    text = formatV2Time(at)
    times.set(second, text)
  }
  return text
}
