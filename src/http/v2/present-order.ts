/**
 * The answer of every order operation, `{data, refs}` (contract, Order and `refs`; decisions, 4 "Shape"). It is written
 * straight to JSON, because it is most of the work of an answer in a sale rush; what an event gives to every answer is
 * written once per entry of the catalog.
 *
 * The strings here are bytes: every character is one byte of the answer's UTF-8. One Cyrillic name would otherwise make the
 * whole answer a string of two-byte characters, and encoding that anew takes longer than all the rest.
 */
import assert from 'node:assert/strict'
import type { EventEntry, Partner, SetEntry } from '../../events/event-entry.ts'
import { createdAt } from '../../kernel/ids.ts'
import { formatV2Time } from '../../kernel/iso-time.ts'
import { formatMoney } from '../../kernel/money.ts'
import type { Order, OrderResult, OrderSettings, OrderTicket, Totals } from '../../orders/commands.ts'
import { orderAt } from '../../orders/order-at.ts'
import { judgeOwnPromocodes, termsOfOrder } from '../../orders/price-order.ts'
import { priceInForce } from '../../pricing/quote.ts'
import { quoteSets } from '../../pricing/quote-order.ts'
import type { OfferTerms } from '../../promo/offers.ts'
import type { Promocode } from '../../promo/promocodes.ts'
import { presentEvent } from './present-event.ts'
import { presentPromocode, presentPromocodeFault } from './present-promocode.ts'

const NOT_ASCII = /[^\0-\x7f]/

/** The partner that sells the order. */
type Vendor = Pick<Partner, 'id' | 'name'>

/**
 * The JSON, in UTF-8, of an order as it is at `now`: one that was not paid in time is shown as expired, whether its tickets have
 * been swept back or not.
 */
export function presentOrder(result: OrderResult, vendor: Vendor): Buffer {
  const { data, refs } = orderParts(result, vendor)
  return Buffer.from(`{"data":${data},${faultsJson(result.faults)}"refs":${refs}}`, 'latin1')
}

/** The two members of the answer, for a list to put together: JSON, a character for each byte of its UTF-8. */
export function orderParts(
  { order, event, now, promocodes = [] }: OrderResult,
  vendor: Vendor,
): { data: string; refs: string } {
  const shown = orderAt(order, now)
  const fragments = fragmentsOf(event)
  const prices = pricesOf(event, fragments, now)
  // What a done order was sold under stays with it, also when a refund leaves it fewer tickets.
  const usable = shown.status === 'done' ? promocodes : judgeOwnPromocodes(shown, promocodes).usable
  const terms = termsOfOrder(shown, event, usable)
  const sets_values = hasOffers(terms)
    ? setsValuesJson(event, { tickets: shown.tickets, terms, now })
    : prices.sets_values
  const refs = refsJson(shown, { vendor, fragments, prices, promocodes })
  return { data: dataJson(shown, sets_values), refs }
}

/** `errors` next to `data`: why promocodes that were sent do not apply. */
function faultsJson(faults: OrderResult['faults'] = []): string {
  return faults.length === 0 ? '' : `"errors":${jsonBytes(faults.map(presentPromocodeFault))},`
}

function hasOffers({ invitation, promotions, promocodes }: OfferTerms): boolean {
  return invitation || promotions.length > 0 || promocodes.length > 0
}

type Offered = { readonly tickets: readonly OrderTicket[]; readonly terms: OfferTerms; readonly now: number }

/** The sets at today's price, with the discount the order would get. */
function setsValuesJson({ sets }: EventEntry, { tickets, terms, now }: Offered): string {
  const quotes = quoteSets(
    sets.map((set) => ({ id: set.id, price: priceInForce(set, now) })),
    tickets,
    terms,
  )
  const entries = sets.map(({ id, name }) => {
    const quote = quotes.get(id)
    assert(quote)
    const { price, nominal, discount, promocode } = quote
    return [
      id,
      {
        id,
        price: formatMoney(price),
        nominal: formatMoney(nominal),
        discount: formatMoney(discount),
        promocode,
        name,
      },
    ]
  })
  return jsonBytes(Object.fromEntries(entries))
}

/** Ids, codes, serials and barcodes are made of letters and digits, so they need no escapes. */
function dataJson(order: Order, sets_values: string): string {
  return (
    `{"id":"${order.id}","status":"${order.status}","created_at":"${time(createdAt(order.id))}",` +
    (order.done_at === null ? '' : `"done_at":"${time(order.done_at)}",`) +
    `"expired_after":"${time(order.expired_after)}","event":"${order.event}","number":${order.number},` +
    `"org":"${order.org}","origin":"${order.origin}","promocodes":${idsJson(order.promocodes)},` +
    `"settings":${settingsJson(order.settings)},` +
    `"tickets":[${order.tickets.map(ticketJson).join(',')}],` +
    `"values":{${moneyJson(order)},"sets_values":${sets_values},"viral_promocodes":[]},` +
    `"vendor":"${order.vendor}","vendor_data":${jsonBytes(order.vendor_data)}` +
    (order.custom_fields === null ? '' : `,"custom_fields":${jsonBytes(order.custom_fields)}`) +
    (order.code === null ? '}' : `,"code":"${order.code}"}`)
  )
}

function idsJson(ids: readonly string[]): string {
  return ids.length === 0 ? '[]' : `["${ids.join('","')}"]`
}

const DEFAULT_SETTINGS = { invitation: false, send_tickets: false, subscribe_agree: false }
const DEFAULT_SETTINGS_JSON = JSON.stringify(DEFAULT_SETTINGS)

/** Three are always shown, the rest when set. */
function settingsJson(settings: OrderSettings): string {
  for (const _ in settings) return jsonBytes({ ...DEFAULT_SETTINGS, ...settings })
  return DEFAULT_SETTINGS_JSON
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

type Refs = {
  readonly vendor: Vendor
  readonly fragments: Fragments
  readonly prices: Prices
  readonly promocodes: readonly Promocode[]
}

function refsJson(order: Order, { vendor, fragments, prices, promocodes }: Refs): string {
  const { events, org, venues } = fragments
  const partners = vendor.id === order.org ? org : `${org},${vendorJson(vendor)}`
  const sets = [...new Set(order.tickets.map((ticket) => ticket.set))].map((set) => prices.sets.get(set))
  const codes =
    promocodes.length === 0
      ? '{}'
      : jsonBytes(Object.fromEntries(promocodes.map((one) => [one.id, presentPromocode(one)])))
  return `{"events":${events},"partners":{${partners}},"promocodes":${codes},"sets":{${sets.join(',')}},"venues":${venues}}`
}

/** What an event gives to the answer and does not change with time. */
type Fragments = { readonly events: string; readonly org: string; readonly venues: string; prices?: Prices }

const fragments_of_events = new WeakMap<EventEntry, Fragments>()

function fragmentsOf(event: EventEntry): Fragments {
  let fragments = fragments_of_events.get(event)
  if (fragments === undefined) {
    fragments = {
      events: jsonBytes({ [event.id]: presentEvent(event) }),
      org: partnerJson(event.org),
      venues: venuesJson(event),
    }
    fragments_of_events.set(event, fragments)
  }
  return fragments
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
