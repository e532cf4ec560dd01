/** The shapes of the v1 listings as the OpenAPI document describes them (contract, Legacy event, set and seated ticket). */
import { Type } from 'typebox'
import type { TSchema } from 'typebox'

export const ObjectId = (description: string) => Type.String({ pattern: '^[0-9a-f]{24}$', description })
const Money = (description: string) => Type.String({ pattern: '^\\d+\\.\\d{2}$', description })
const Percent = (description: string) => Type.String({ pattern: '^\\d+(\\.\\d{1,4})?%$', description })
const Nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const Time = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}\\+00:00$',
    description: `${description}, UTC.`,
  })
const Vevent = (description: string) =>
  Type.String({
    description: `${description}: an iCalendar VEVENT block, DTSTART and DTEND in UTC, lines ended by CRLF.`,
  })
const LocalName = () => Type.Object({ default: Type.String(), en: Type.String(), ru: Type.String() })
/** A row's or a seat's label. */
const Label = (description: string) =>
  Type.Union([Type.Integer(), Type.String()], { description: `${description}; text when it is no integer.` })
const Media = (description: string) => Type.Object({}, { additionalProperties: true, description })
const Tags = () => Type.Array(Type.String())

const PRICE = {
  price_org: Money('Price of the category.'),
  price_extra: Money("Service fee under the caller's deal."),
  price: Money('Total: what a buyer pays.'),
}

const CONTACT = Type.Object({
  address: Type.String(),
  email: Type.String(),
  name: Type.String(),
  phones: Type.Array(Type.String()),
  www: Type.String(),
})

const SET = Type.Object({
  id: ObjectId('The category.'),
  pos: Type.Integer({ description: 'Order number for sorting.' }),
  name: Type.String(),
  desc: Type.String(),
  with_seats: Type.Boolean(),
  seats: Nullable(
    Type.Record(Type.String(), Type.Array(Label('A seat number')), {
      description: 'Row to the numbers of its seats, whoever has them; null without seats.',
    }),
  ),
  sector: Nullable(
    Type.Object({ id: ObjectId('The sector.'), name: Type.String(), with_seats: Type.Boolean() }),
  ),
  amount: Type.Integer({ description: 'All tickets.' }),
  amount_vacant: Type.Integer({ description: 'Tickets available for sale.' }),
  ...PRICE,
  rules: Type.Array(
    Type.Object({
      id: ObjectId('The price rule.'),
      cal: Vevent('When it is in force'),
      current: Type.Boolean({
        description: 'It is in force now. Of rules that overlap, the one that began last.',
      }),
      ...PRICE,
    }),
  ),
})

const LEGAL_DETAIL = Type.Object({
  name: Type.String(),
  inn: Type.String(),
  ogrn: Type.Optional(Type.String()),
  ogrnip: Type.Optional(Type.String()),
  address: Type.String(),
})

const VENUE = Type.Object({
  id: ObjectId('The venue.'),
  name: Type.String(),
  desc: Type.String(),
  address: Type.String(),
  country: Type.Object({ id: Type.String({ description: 'Two letters.' }), name: LocalName() }),
  city: Type.Object({
    id: Type.Integer(),
    name: LocalName(),
    timezone: Type.String(),
    country: Type.String(),
  }),
  point: Nullable(
    Type.Object({
      type: Type.Literal('Point'),
      coordinates: Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: 'Longitude, latitude.',
      }),
    }),
  ),
})

const DEAL = Type.Object({
  org: Percent('Share of the organizer.'),
  agent: Percent('Share of the seller.'),
  extra: Percent('Service fee on top.'),
  media: Type.Array(Type.String()),
})

export const LEGACY_EVENT = Type.Object({
  id: ObjectId('The event.'),
  created_at: Time('When it was created'),
  updated_at: Time('When it was last changed'),
  lifetime: Vevent('From start to finish'),
  status: Type.Enum(['public', 'stand_by', 'finished', 'cancelled'], {
    description: '`public`: tickets can be sold.',
  }),
  age_rating: Type.Integer(),
  allow_other_ps: Type.Boolean({
    description:
      'A seller may take payments by a payment system of its own: always true, the platform takes none.',
  }),
  org: Type.Object({
    id: ObjectId('The organizer.'),
    name: Type.String(),
    desc: Type.String(),
    tags: Tags(),
    contact: CONTACT,
    media: Media('Logos in several sizes.'),
  }),
  legal_detail: Nullable(LEGAL_DETAIL),
  tags: Tags(),
  title: Type.Object({ text: Type.String(), desc: Type.String() }),
  media: Media('`cover_original`, `cover`, `cover_small`.'),
  ticket_template: Type.Object({
    fan_cover_url: Nullable(Type.String()),
    name: Nullable(Type.String()),
    text_color: Nullable(Type.String()),
  }),
  map: Nullable(
    Type.Object({
      id: ObjectId('The hall scheme.'),
      name: Type.String(),
      svg: Type.Record(Type.String(), Type.String(), {
        description: 'Name of a vector image to its address.',
      }),
    }),
  ),
  venue: VENUE,
  deal: Nullable(DEAL),
  partner: Type.Object(
    {
      id: ObjectId('The partner.'),
      desc: Type.String(),
      media: Media('Logos.'),
      name: Type.String(),
      tags: Tags(),
      contact: CONTACT,
    },
    { description: 'The caller: the seller, or the organizer of its own events.' },
  ),
  tickets_amount: Type.Integer({ description: 'All tickets.' }),
  tickets_amount_vacant: Type.Integer({ description: 'Tickets available for sale.' }),
  sets: Type.Array(SET),
})

export const LEGACY_TICKET = Type.Object({
  id: ObjectId('The ticket.'),
  number: Type.Integer({ description: 'Number within the serial.' }),
  serial: Type.String(),
  set: ObjectId('The category.'),
  status: Type.Enum(['vacant', 'reserved', 'sold', 'pending']),
  reserved_till: Nullable(Time('End of the reservation of a reserved ticket')),
  seat: Type.Object({
    number: Label('Number'),
    row: Label('Row'),
    sector: ObjectId('The sector.'),
  }),
})
