/** The tables of the API document as shapes, written from it and not from the service, so that the demo checks one by the other. */
import {
  bool,
  byId,
  either,
  int,
  like,
  list,
  mapOf,
  nothing,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
  type Shaped,
} from './shapes.ts'

const objectid = like('an objectid', /^[0-9a-f]{24}$/)
const money = like('money of two digits', /^\d+\.\d\d$/)
const percent = like('a percentage', /^\d+(\.\d+)?%$/)
const time = like('a time YYYY-MM-DD HH:MM:SS', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const v1Time = like(
  'a time YYYY-MM-DDTHH:MM:SS.ffffff+00:00',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/,
)
const vevent = like(
  'a VEVENT block',
  /^BEGIN:VEVENT\r\nDTSTART[^\r]*:\d{8}T\d{6}Z\r\nDTEND[^\r]*:\d{8}T\d{6}Z\r\nEND:VEVENT\r\n$/,
)

const MONEY = { price: money, nominal: money, discount: money, extra: money, full: money }

/** A promocode's. */
const DISCOUNT = either(record({ percentage: percent }), record({ fix: money }))
const PERIOD = record({ start: optional(time), finish: optional(time) })

const TICKET = record({
  id: objectid,
  serial: text,
  number: int,
  set: objectid,
  seat: optional(record({ row: text, number: text, sector: objectid })),
  status: oneOf('reserved'),
  barcode: orNull(like('a barcode of 17 digits', /^\d{17}$/)),
  tariff: nothing,
  ...MONEY,
})

const SET_VALUES = record({
  id: objectid,
  name: text,
  price: money,
  nominal: money,
  discount: money,
  promocode: orNull(objectid),
})

const CUSTOMER = record({
  name: optional(text),
  email: optional(text),
  phone: optional(text),
  lang: optional(oneOf('en', 'ru')),
})

const ORDER = record({
  id: objectid,
  status: oneOf('executed', 'in_progress', 'done', 'cancelled', 'expired'),
  created_at: time,
  done_at: optional(time),
  expired_after: time,
  event: objectid,
  number: int,
  org: objectid,
  origin: oneOf('api', 'salespoint', 'widget', 'control_panel'),
  promocodes: list(objectid),
  settings: record({
    invitation: bool,
    send_tickets: bool,
    courier: optional(bool),
    subscribe_agree: bool,
    customer: optional(CUSTOMER),
  }),
  tickets: list(TICKET),
  values: record({ ...MONEY, sets_values: byId(SET_VALUES), viral_promocodes: list(object) }),
  vendor: objectid,
  vendor_data: record({ order_id: optional(text), raw: optional(object) }),
  code: optional(text),
})

const names = record({ default: text, en: text, ru: text })

const EVENT_REFS = byId(
  record({
    id: objectid,
    lifetime: record({ start: time, finish: time }),
    org: objectid,
    status: text,
    timezone: text,
    title: record({ desc: text, text }),
    venue: objectid,
    age_rating: int,
  }),
)
const PARTNER_REFS = byId(record({ id: objectid, name: text }))

const REFS = record({
  events: EVENT_REFS,
  partners: PARTNER_REFS,
  promocodes: byId(
    record({ id: objectid, code: text, discount: DISCOUNT, lifetime: optional(PERIOD), viral: bool }),
  ),
  sets: byId(record({ id: objectid, name: text, price: money, with_seats: bool })),
  venues: byId(
    record({
      id: objectid,
      name: text,
      desc: text,
      address: text,
      city: record({ _id: int, name: names, timezone: text }),
      country: record({ _id: text, name: names }),
    }),
  ),
})

/** Every order operation; `errors` are about promocodes that cannot be used. */
export const ORDER_ANSWER = record({
  data: ORDER,
  errors: optional(list(record({ code: text, msg: text }))),
  refs: REFS,
})
export type OrderAnswer = Shaped<typeof ORDER_ANSWER>
export type Order = OrderAnswer['data']

/** `total` is the number of pages, `total_count` that of rows. */
const PAGE = { pagination: record({ page: int, page_size: int, total: int }), total_count: int }
const page = record(PAGE)
export type Page = Shaped<typeof page>

/** GET /v2/resources/orders */
export const ORDER_LIST = record({ data: list(ORDER), ...PAGE, refs: REFS })
export type OrderList = Shaped<typeof ORDER_LIST>

const REFUND_REQUEST = record({
  id: objectid,
  status: oneOf('new', 'in_progress', 'approved', 'rejected'),
  culprit: oneOf('user', 'org'),
  created_at: time,
  finished_at: optional(orNull(time)),
  requested_at: optional(orNull(time)),
  refund_nominal: money,
  delta: money,
  customer_money: money,
  event: objectid,
  org: objectid,
  order: objectid,
  policy: text,
  tickets: list(objectid),
  vendor: objectid,
})

const REFUND_REFS = record({
  events: EVENT_REFS,
  orders: byId(record({ id: objectid })),
  partners: PARTNER_REFS,
  tickets: byId(record({ id: objectid })),
})

/** POST and PATCH of refund requests */
export const REFUND_ANSWER = record({ data: REFUND_REQUEST, refs: REFUND_REFS })
export type RefundAnswer = Shaped<typeof REFUND_ANSWER>

/** GET /v2/resources/refund_requests */
export const REFUND_LIST = record({ data: list(REFUND_REQUEST), ...PAGE, refs: REFUND_REFS })

/** POST /v2/services/promocodes/check */
export const PROMOCODE = record({
  data: record({
    discount: DISCOUNT,
    lifetime: optional(PERIOD),
    sets: list(objectid),
    tickets_count: record({ min: optional(int), max: optional(int) }),
  }),
  refs: record({ sets: byId(record({ id: objectid, name: text, price: money })) }),
})
export type Promocode = Shaped<typeof PROMOCODE>['data']
export type Discount = Promocode['discount']

/** The same, when the promocode cannot be used. */
export const PROMOCODE_REFUSAL = record({ error: text, reason: text, errors: list(text) })

/** Every refusal. */
export const REFUSAL = record({ errors: list(text) })

const contact = record({ address: text, email: text, name: text, phones: list(text), www: text })
const PARTNER = { id: objectid, name: text, desc: text, media: object, tags: list(text), contact }
const V1_PRICE = { price_org: money, price_extra: money, price: money }
/** Integers when they look like integers. */
const label = either(int, text)

const SET = record({
  id: objectid,
  pos: int,
  name: text,
  desc: text,
  amount: int,
  amount_vacant: int,
  ...V1_PRICE,
  with_seats: bool,
  seats: orNull(mapOf(list(label))),
  sector: orNull(object),
  rules: list(record({ id: objectid, cal: vevent, current: bool, ...V1_PRICE })),
})

const VENUE = record({
  id: objectid,
  name: text,
  desc: text,
  address: text,
  country: record({ id: like('a two-letter code', /^[A-Z]{2}$/), name: mapOf(text) }),
  city: record({ id: int, country: text, name: mapOf(text), timezone: text }),
  point: orNull(record({ type: oneOf('Point'), coordinates: list(number) })),
})

const EVENT = record({
  id: objectid,
  created_at: v1Time,
  updated_at: v1Time,
  lifetime: vevent,
  status: text,
  age_rating: int,
  allow_other_ps: bool,
  deal: orNull(record({ org: percent, agent: percent, extra: percent, media: list(text) })),
  partner: record(PARTNER),
  org: record(PARTNER),
  legal_detail: orNull(
    record({ name: text, inn: text, ogrn: optional(text), ogrnip: optional(text), address: text }),
  ),
  tags: list(text),
  tickets_amount: int,
  tickets_amount_vacant: int,
  title: record({ text, desc: text }),
  media: object,
  ticket_template: record({ fan_cover_url: orNull(text), name: orNull(text), text_color: orNull(text) }),
  map: either(object, nothing),
  venue: VENUE,
  sets: list(SET),
})

/** GET /v1/services/simple/events */
export const EVENTS = list(EVENT)
export type LegacyEvent = Shaped<typeof EVENT>

/** GET /v1/resources/events/{id}/tickets */
export const TICKETS = list(
  record({
    id: objectid,
    number: int,
    serial: text,
    set: objectid,
    status: oneOf('vacant', 'reserved', 'sold', 'pending'),
    reserved_till: orNull(v1Time),
    seat: record({ number: label, row: label, sector: objectid }),
  }),
)
export type LegacyTicket = Shaped<typeof TICKETS>[number]
