/** The order whose answer the OpenAPI document has as its example, as the desk gives it. */
import type { EventEntry, SetEntry } from '../../src/events/event-entry.ts'
import { parseIsoTime } from '../../src/kernel/iso-time.ts'
import type { Order, OrderResult } from '../../src/orders/commands.ts'
import type { Caller } from '../../src/partners/caller.ts'
import { ORDER_EXAMPLE } from '../../src/http/v2/order-examples.ts'

const { data, refs } = ORDER_EXAMPLE
const [standing_ticket, seated_ticket] = data.tickets
const [standing, seated] = Object.values(refs.sets)
const [venue] = Object.values(refs.venues)
const [org, vendor] = Object.values(refs.partners)
const [event] = Object.values(refs.events)

function at(text: string): number {
  return parseIsoTime(text)!
}

const partner = { desc: '', tags: [], contact: {}, legal_detail: null, media: {} }
const set = { pos: 0, desc: '', rules: [], sector: null, promokey_required: false }

export const SETS: SetEntry[] = [
  { ...set, ...standing!, price: 150_000 },
  { ...set, ...seated!, price: 420_000, pos: 1, sector: seated_ticket!.seat!.sector },
]

export const EVENT: EventEntry = {
  ...event!,
  shard: 7,
  org: { ...partner, ...org! },
  venue: {
    ...venue!,
    city: { ...venue!.city, id: venue!.city._id, country: 'ru' },
    country: { ...venue!.country, id: venue!.country._id },
    point: null,
  },
  map: null,
  sectors: [],
  status: 'public',
  lifetime: { start: at(event!.lifetime.start), finish: at(event!.lifetime.finish) },
  open_date: false,
  currency: 'RUB',
  meta: null,
  category: null,
  tags: [],
  artists: [],
  media: {},
  ticket_template: {},
  view_limits: {},
  order_lifetime_s: 900,
  max_tickets_per_order: 50,
  promokey_required: false,
  smart_tickets: null,
  refund_policy: 'general',
  promotions: [],
  custom_fields: [],
  updated_at: 0,
  sets: SETS,
  deals: [],
  org_account: '',
}

export const ORDER: Order = {
  shard: 7,
  id: data.id,
  event: data.event,
  number: data.number,
  org: data.org,
  vendor: data.vendor,
  origin: 'api',
  status: 'done',
  deal: null,
  org_share: 1_000_000,
  extra_share: 100_000,
  currency: 'RUB',
  tickets: [
    {
      ...pick(standing_ticket!),
      seat: null,
      price: 150_000,
      discount: 0,
      nominal: 150_000,
      extra: 15_000,
    },
    {
      ...pick(seated_ticket!),
      seat: seated_ticket!.seat!,
      price: 420_000,
      discount: 0,
      nominal: 420_000,
      extra: 42_000,
    },
  ],
  price: 570_000,
  discount: 0,
  nominal: 570_000,
  extra: 57_000,
  charge: 570_000,
  expired_after: at(data.expired_after),
  done_at: at(data.done_at),
  code: data.code,
  promocodes: [],
  promokey: null,
  settings: {},
  vendor_data: {},
  custom_fields: null,
  payment_till: null,
}

function pick({ id, set: of_set, serial, number, barcode }: (typeof data.tickets)[number]) {
  return { id, set: of_set, serial, number, barcode }
}

export const RESULT: OrderResult = { order: ORDER, event: EVENT, now: at(data.done_at) }

export const VENDOR = vendor!

export const CALLER: Caller = {
  key_id: '6920a1f00000c3a5e100000b',
  partner: VENDOR,
  origin: 'api',
  permissions: ['orders', 'events'],
  events: null,
}
