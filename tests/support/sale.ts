/** Small values for the rules of a sale, made by hand: an event, who sells it, an order on it. Times are round `NOW`. */
import type { Deal, EventEntry, SetEntry } from '../../src/events/event-entry.ts'
import type { ChangeOrder, CreateOrder, Order, OrderTicket } from '../../src/orders/commands.ts'
import type { Caller } from '../../src/partners/caller.ts'

export const NOW = Date.UTC(2026, 10, 20, 12)
export const MINUTE_MS = 60_000

/** An id that shows what it is of: kind and number, in shard 7. */
const idOf = (kind: string, number: number) => `5f0000000007${kind.padStart(6, '0')}00000${number}`

export const ORG = idOf('a', 1)
export const VENDOR = idOf('a', 2)
export const EVENT = idOf('e', 1)
export const OTHER_EVENT = idOf('e', 2)
/** At 100.00, at 300.00, and closed without a key at 500.00. */
export const [STANDING, VIP, CLOSED] = [idOf('5', 1), idOf('5', 2), idOf('5', 3)]
export const DEAL = idOf('d', 1)
export const [VENDOR_ACCOUNT, ORG_ACCOUNT] = ['vendor_account', 'org_account']

export function makeSetEntry(id: string, fields: Partial<SetEntry> = {}): SetEntry {
  return {
    id,
    pos: 0,
    name: 'Set',
    desc: '',
    price: 10_000,
    rules: [],
    with_seats: false,
    sector: null,
    promokey_required: false,
    ...fields,
  }
}

/** 95 % to the organizer, 5 % to the vendor, and a fee of 4 % on top; in force for all events, always. */
export function makeDealEntry(fields: Partial<Deal> = {}): Deal {
  return {
    id: DEAL,
    org: ORG,
    vendor: VENDOR,
    events: null,
    org_share: 950_000,
    agent: 50_000,
    extra: 40_000,
    lifetime: { start: null, finish: null },
    active: true,
    refund_approval: 'vendor',
    account: VENDOR_ACCOUNT,
    ...fields,
  }
}

/** On sale, begins in an hour, ends in three; at most 5 tickets in an order, which lives 15 minutes. */
export function makeEntry(fields: Partial<EventEntry> = {}): EventEntry {
  const name = { default: '', en: '', ru: '' }
  return {
    shard: 7,
    id: EVENT,
    org: { id: ORG, name: 'Organizer', desc: '', tags: [], contact: {}, legal_detail: null, media: {} },
    venue: {
      id: idOf('b', 1),
      name: '',
      desc: '',
      address: '',
      city: { id: 1, name, timezone: 'Europe/Moscow', country: 'RU' },
      country: { id: 'RU', name },
      point: null,
    },
    map: null,
    sectors: [],
    title: { text: 'Event', desc: '' },
    status: 'public',
    lifetime: { start: NOW + 60 * MINUTE_MS, finish: NOW + 180 * MINUTE_MS },
    open_date: false,
    currency: 'RUB',
    age_rating: 0,
    meta: null,
    category: null,
    tags: [],
    artists: [],
    media: {},
    ticket_template: {},
    view_limits: {},
    order_lifetime_s: 900,
    max_tickets_per_order: 5,
    promokey_required: false,
    smart_tickets: null,
    refund_policy: 'general',
    promotions: [],
    custom_fields: [],
    updated_at: NOW,
    sets: [
      makeSetEntry(STANDING),
      makeSetEntry(VIP, { price: 30_000 }),
      makeSetEntry(CLOSED, { price: 50_000, promokey_required: true }),
    ],
    deals: [makeDealEntry()],
    org_account: ORG_ACCOUNT,
    ...fields,
  }
}

export function makeCaller(fields: Partial<Caller> = {}): Caller {
  return {
    key_id: idOf('c', 1),
    partner: { id: VENDOR, name: 'Vendor' },
    origin: 'api',
    permissions: ['orders'],
    events: null,
    ...fields,
  }
}

export const ORGANIZER = makeCaller({ partner: { id: ORG, name: 'Organizer' } })

export function makeCreate(fields: Partial<CreateOrder> = {}): CreateOrder {
  return { kind: 'create', caller: makeCaller(), event: makeEntry(), faults: [], ...fields }
}

export function makeChange(fields: Partial<ChangeOrder> = {}): ChangeOrder {
  return { kind: 'change', caller: makeCaller(), order: idOf('0', 1), faults: [], ...fields }
}

/** A ticket an order holds, at 100.00 under `makeDealEntry`. */
export function makeHeld(number: number, fields: Partial<OrderTicket> = {}): OrderTicket {
  return {
    id: idOf('f', number),
    set: STANDING,
    serial: 'AAA',
    number,
    seat: null,
    price: 10_000,
    discount: 0,
    nominal: 10_000,
    extra: 400,
    barcode: null,
    ...fields,
  }
}

/** The vendor's open order, made a minute ago; its totals are those of its tickets. */
export function makeOrder(fields: Partial<Order> = {}): Order {
  const tickets = fields.tickets ?? []
  const total = (of: 'price' | 'discount' | 'nominal' | 'extra') =>
    tickets.reduce((sum, ticket) => sum + ticket[of], 0)
  return {
    shard: 7,
    id: idOf('0', 1),
    event: EVENT,
    number: 1234,
    org: ORG,
    vendor: VENDOR,
    origin: 'api',
    status: 'executed',
    deal: DEAL,
    org_share: 950_000,
    extra_share: 40_000,
    currency: 'RUB',
    tickets,
    price: total('price'),
    discount: total('discount'),
    nominal: total('nominal'),
    extra: total('extra'),
    charge: 0,
    expired_after: NOW + 14 * MINUTE_MS,
    done_at: null,
    code: null,
    promocodes: [],
    promokey: null,
    settings: {},
    vendor_data: {},
    custom_fields: null,
    payment_till: null,
    ...fields,
  }
}
