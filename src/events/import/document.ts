/** The catalog file (contract, The catalog file): its form. Text is checked here, what it refers to is not. */
import { Type, type Static, type TSchema } from 'typebox'
import { ORIGINS, PERMISSIONS } from '../../partners/caller.ts'
import { NOTIFICATION_TYPES } from '../../partners/notifications.ts'
import { HIGHEST_LIMITS } from '../order-limits.ts'
import * as form from './document-forms.ts'
import { given, integer, isLabel, oneOf, record, refine, text } from './document-forms.ts'

const MAX_RECORDS = 100_000
/** Tickets of one set without seats. */
const MAX_AMOUNT = 500_000
const MAX_SEATS_IN_ROW = 1000
const MAX_SEATS_IN_MAP = 500_000

const optional = Type.Optional
const boolean = optional(Type.Boolean())
const list = <T extends TSchema>(type: T, maxItems = 1000) => Type.Array(type, { maxItems })
const identity = { id: optional(form.id), ref: optional(form.ref) }
const localName = record({ default: form.name, en: form.name, ru: form.name })

const partner = record({
  ...identity,
  name: form.name,
  desc: optional(form.desc),
  tags: optional(form.names),
  contact: optional(
    record({
      address: optional(text(500)),
      email: optional(form.email),
      name: optional(form.name),
      phones: optional(form.names),
      www: optional(text(500)),
    }),
  ),
  legal_detail: optional(
    record({
      name: text(500),
      inn: text(20),
      ogrn: optional(text(20)),
      ogrnip: optional(text(20)),
      address: text(500),
    }),
  ),
  media: optional(form.media),
})

const venue = record({
  ...identity,
  name: form.name,
  desc: optional(form.desc),
  address: text(500),
  city: record({
    id: integer(1, 2_147_483_647),
    name: localName,
    timezone: form.timezone,
    country: form.country,
  }),
  country: record({ id: form.country, name: localName }),
  point: optional(
    oneOf<[number, number]>(
      (value) =>
        Array.isArray(value) &&
        value.length === 2 &&
        value.every(Number.isFinite) &&
        Math.abs(value[0]) <= 180 &&
        Math.abs(value[1]) <= 90,
      'must be [longitude, latitude] in degrees',
    ),
  ),
})

const row = record({
  row: form.label,
  seats: oneOf<number | (string | number)[]>(
    (value) =>
      Array.isArray(value)
        ? value.length > 0 && value.length <= MAX_SEATS_IN_ROW && value.every(isLabel)
        : isCount(value) && value > 0 && value <= MAX_SEATS_IN_ROW,
    `must be a count of seats or a list of their numbers, from 1 to ${MAX_SEATS_IN_ROW}`,
  ),
  from: optional(integer(0, 100_000)),
  x: optional(Type.Number()),
  y: optional(Type.Number()),
  step: optional(Type.Number()),
})

function addSeats(sum: number, { seats }: Static<typeof row>): number {
  return sum + (typeof seats === 'number' ? seats : seats.length)
}

const map = record({
  ...identity,
  venue: form.reference,
  name: form.name,
  sectors: refine(
    list(record({ ...identity, name: form.name, with_seats: Type.Boolean(), rows: optional(list(row)) })),
    (sectors) => sectors.flatMap((sector) => sector.rows ?? []).reduce(addSeats, 0) <= MAX_SEATS_IN_MAP,
    `must not have more than ${MAX_SEATS_IN_MAP} seats`,
  ),
  svg: optional(Type.Record(Type.String(), text(2_000_000))),
})

const set = record({
  ...identity,
  name: form.name,
  desc: optional(form.desc),
  pos: optional(integer(0, 1_000_000)),
  price: form.price,
  with_seats: Type.Boolean(),
  amount: optional(integer(0, MAX_AMOUNT)),
  sector: optional(form.reference),
  rows: optional(list(form.label)),
  promokey_required: boolean,
  pending: optional(
    oneOf<number | { row: string | number; number: string | number }[]>(
      (value) => (Array.isArray(value) ? value.every(isSeat) : isCount(value)),
      'must be a count (without seats) or a list of {row, number} (with seats)',
    ),
  ),
  rules: optional(list(record({ id: optional(form.id), lifetime: form.period, price: form.price }))),
})

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isSeat(value: unknown): boolean {
  const { row: row_name, number, ...rest } = Object(value) as Record<string, unknown>
  return isLabel(row_name) && isLabel(number) && Object.keys(rest).length === 0
}

const promotion = refine(
  record({
    lifetime: optional(form.openPeriod),
    sets: optional(form.references),
    percentage: optional(form.percent),
    fix: optional(form.price),
    levels: optional(form.levels),
  }),
  ({ percentage, fix, levels }) => given(percentage, fix, levels) === 1,
  'needs exactly one of percentage, fix and levels',
)

const promocode = refine(
  record({
    id: optional(form.id),
    code: text(64),
    percentage: optional(form.percent),
    fix: optional(form.price),
    lifetime: optional(form.openPeriod),
    sets: optional(form.references),
    tickets_count: optional(
      refine(
        record({ min: optional(integer(1, 10_000)), max: optional(integer(1, 10_000)) }),
        ({ min = 0, max = Infinity }) => min <= max,
        'min must not be above max',
      ),
    ),
    limit: optional(integer(1, 2_147_483_647)),
    viral: boolean,
  }),
  ({ percentage, fix }) => given(percentage, fix) === 1,
  'needs exactly one of percentage and fix',
)

const promokey = record({
  id: optional(form.id),
  code: text(64),
  sets: optional(form.references),
  lifetime: optional(form.openPeriod),
  limit: optional(integer(1, 2_147_483_647)),
  single_order: boolean,
})

const customField = record({
  ...identity,
  scope: Type.Enum(['order', 'ticket']),
  kind: Type.Enum(['date', 'checkbox', 'multiple', 'single', 'text', 'long_text']),
  name: form.name,
  required: boolean,
  options: optional(
    list(
      oneOf<string | number>(
        (value) =>
          typeof value === 'string' ? value.length > 0 && value.length <= 200 : Number.isFinite(value),
        'must be a text of up to 200 characters or a number',
      ),
    ),
  ),
  min: optional(integer(0, 1_000_000)),
  max: optional(integer(0, 1_000_000)),
  gt: optional(Type.Number()),
  gte: optional(Type.Number()),
  lt: optional(Type.Number()),
  lte: optional(Type.Number()),
  pattern: optional(form.pattern),
})

const nullableText = optional(
  oneOf<string | null>(
    (value) => value === null || (typeof value === 'string' && value.length <= 2000),
    'must be null or a text of up to 2000 characters',
  ),
)

const event = record({
  ...identity,
  org: form.reference,
  venue: form.reference,
  map: optional(form.reference),
  title: record({ text: text(500), desc: optional(form.desc) }),
  status: Type.Enum(['public', 'stand_by', 'finished', 'cancelled']),
  lifetime: form.period,
  open_date: boolean,
  currency: optional(form.currency),
  age_rating: optional(integer(0, 99)),
  tags: optional(form.names),
  category: optional(form.name),
  artists: optional(form.names),
  media: optional(form.media),
  meta: optional(form.reference),
  ticket_template: optional(
    record({ fan_cover_url: nullableText, name: nullableText, text_color: nullableText }),
  ),
  view_limits: optional(record({ salespoint: boolean, showroom: boolean })),
  order_lifetime_s: optional(integer(1, HIGHEST_LIMITS.order_lifetime_s)),
  max_tickets_per_order: optional(integer(1, HIGHEST_LIMITS.max_tickets_per_order)),
  promokey_required: boolean,
  smart_tickets: optional(record({ name: form.name, mode: Type.Enum(['none', 'only', 'any']) })),
  refund_policy: optional(form.refundPolicy),
  sets: list(set),
  promotions: optional(list(promotion)),
  promocodes: optional(list(promocode, MAX_RECORDS)),
  promokeys: optional(list(promokey, MAX_RECORDS)),
  custom_fields: optional(list(customField)),
})

const group = record({
  ...identity,
  org: form.reference,
  name: form.name,
  desc: optional(form.desc),
  age_rating: optional(integer(0, 99)),
  media: optional(form.media),
})

const deal = record({
  ...identity,
  org: form.reference,
  vendor: form.reference,
  events: optional(form.references),
  org_share: form.percent,
  agent: form.percent,
  extra: form.percent,
  lifetime: optional(form.openPeriod),
  active: boolean,
  refund_approval: optional(Type.Enum(['vendor', 'org'])),
})

const account = record({
  ref: optional(form.ref),
  partner: form.reference,
  currency: optional(form.currency),
  deposit: optional(form.deposit),
  credit_limit: optional(form.deposit),
})

const key = record({
  name: form.name,
  partner: form.reference,
  origin: optional(Type.Enum([...ORIGINS])),
  permissions: optional(list(Type.Enum([...PERMISSIONS]))),
  events: optional(form.references),
  expires: optional(form.moment),
})

const webhook = record({
  ref: optional(form.ref),
  partner: form.reference,
  url: form.webUrl,
  types: optional(list(Type.Enum([...NOTIFICATION_TYPES]))),
})

const section = <T extends TSchema>(type: T) => optional(list(type, MAX_RECORDS))

export const Catalog = record({
  partners: section(partner),
  venues: section(venue),
  maps: section(map),
  events: section(event),
  groups: section(group),
  deals: section(deal),
  accounts: section(account),
  keys: section(key),
  webhooks: section(webhook),
})

export type CatalogDocument = Static<typeof Catalog>
type Section<Name extends keyof CatalogDocument> = NonNullable<CatalogDocument[Name]>[number]
export type PartnerDocument = Section<'partners'>
export type VenueDocument = Section<'venues'>
export type MapDocument = Section<'maps'>
export type SectorDocument = MapDocument['sectors'][number]
export type EventDocument = Section<'events'>
export type SetDocument = EventDocument['sets'][number]
export type CustomFieldDocument = NonNullable<EventDocument['custom_fields']>[number]
export type GroupDocument = Section<'groups'>
export type DealDocument = Section<'deals'>
export type WebhookDocument = Section<'webhooks'>
