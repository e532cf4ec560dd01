/** The shapes of the order operations as the OpenAPI document describes them (contract, Resources and Endpoints). */
import { Type, type TSchema } from 'typebox'
import { COUNT_MAX, LIST_MAX } from './read-order-actions.ts'
import {
  CODE_MAX,
  FIELDS_MAX,
  NAME_MAX,
  PROMOCODES_MAX,
  RAW_KEY_MAX,
  RAW_KEYS_MAX,
  RAW_TEXT_MAX,
  VENDOR_ORDER_ID_MAX,
} from './read-order-fields.ts'
import { NEW_ORDER_EXAMPLES, ORDER_CHANGE_EXAMPLES, ORDER_EXAMPLE } from './order-examples.ts'
import { ById, Money, ObjectId, Time } from './schema-parts.ts'

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const LocalName = () => Type.Object({ default: Type.String(), en: Type.String(), ru: Type.String() })

const MONEY = {
  price: Money('Price of the set when the ticket was reserved.'),
  nominal: Money('Price less discount.'),
  discount: Money('What a promotion or a promocode takes off.'),
  extra: Money('Service fee of the seller.'),
  full: Money('What the buyer pays: nominal and extra.'),
}

const ORDER_TICKET = Type.Object({
  id: ObjectId('The ticket.'),
  serial: Type.String({ pattern: '^[A-Z]{3}$', description: 'Serial of the event.' }),
  number: Type.Integer({ description: 'Number within the serial.' }),
  set: ObjectId('The category of the ticket.'),
  seat: Type.Optional(
    Type.Object(
      { row: Type.String(), number: Type.String(), sector: ObjectId('The sector of the hall.') },
      { description: 'Only in seated categories.' },
    ),
  ),
  status: Type.Literal('reserved'),
  barcode: Nullable(Type.String({ pattern: '^\\d{17}$', description: 'Null until the order is done.' })),
  ...MONEY,
  tariff: Type.Null(),
})

const VALUES = Type.Object(
  {
    ...MONEY,
    sets_values: ById(
      Type.Object({
        id: ObjectId('The category.'),
        price: Money('Price today.'),
        nominal: Money('Price with discount.'),
        discount: Money('What a promotion or a promocode would take off.'),
        promocode: Nullable(ObjectId('The promocode that would apply.')),
        name: Type.String(),
      }),
      'An entry for each category of the event, also for those with no ticket in the order.',
    ),
    viral_promocodes: Type.Array(Type.Unknown()),
  },
  { description: 'Totals over the tickets.' },
)

const CUSTOMER = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: NAME_MAX })),
    email: Type.Optional(Type.String({ description: 'Where the tickets go; empty: nowhere.' })),
    phone: Type.Optional(Type.String({ maxLength: 32 })),
    lang: Type.Optional(Type.Enum(['en', 'ru'], { description: 'Language of the mail; en without it.' })),
  },
  { description: 'The buyer; merged field by field.' },
)

const VENDOR_DATA = Type.Object(
  {
    order_id: Type.Optional(Type.String({ maxLength: VENDOR_ORDER_ID_MAX })),
    raw: Type.Optional(
      Type.Record(
        Type.String({ maxLength: RAW_KEY_MAX }),
        Type.Union([Type.String({ maxLength: RAW_TEXT_MAX }), Type.Number(), Type.Boolean()]),
        { maxProperties: RAW_KEYS_MAX },
      ),
    ),
  },
  { description: "The vendor's own words about the order; replaced as a whole when sent." },
)

const FIELD_VALUES = Type.Array(
  Type.Object({ id: ObjectId('A custom field of the event.'), value: Type.Unknown() }),
  { maxItems: FIELDS_MAX },
)

const CUSTOM_FIELDS = Type.Object(
  {
    order: Type.Optional(FIELD_VALUES),
    tickets: Type.Optional(
      Type.Array(Type.Object({ ticket: ObjectId('A ticket of the order.'), fields: FIELD_VALUES }), {
        maxItems: FIELDS_MAX,
      }),
    ),
  },
  {
    description:
      "Values of the event's custom fields; null takes one away. Required ones are asked for at completion.",
  },
)

const ORDER = Type.Object({
  id: ObjectId('The order.'),
  status: Type.Enum(['executed', 'in_progress', 'done', 'cancelled', 'expired'], {
    description: '`executed`: holds its tickets until `expired_after`.',
  }),
  created_at: Time('When it was created.'),
  done_at: Type.Optional(Time('When it was completed.')),
  expired_after: Time('End of the reservation.'),
  event: ObjectId('The event.'),
  number: Type.Integer({ description: 'Running number, unique on the platform.' }),
  org: ObjectId('The organizer of the event.'),
  origin: Type.Enum(['api', 'salespoint', 'widget', 'control_panel'], {
    description: 'Kind of the key used.',
  }),
  promocodes: Type.Array(ObjectId('A promocode that was applied.')),
  settings: Type.Object(
    {
      invitation: Type.Boolean(),
      send_tickets: Type.Boolean(),
      courier: Type.Optional(Type.Boolean()),
      subscribe_agree: Type.Boolean(),
      smart_tickets: Type.Optional(Type.Boolean()),
      customer: Type.Optional(CUSTOMER),
    },
    { description: 'Three are always shown, the rest when set.' },
  ),
  tickets: Type.Array(ORDER_TICKET, { description: 'In the order they were reserved.' }),
  values: VALUES,
  vendor: ObjectId('The selling partner.'),
  vendor_data: VENDOR_DATA,
  custom_fields: Type.Optional(CUSTOM_FIELDS),
  code: Type.Optional(
    Type.String({ pattern: '^[a-z0-9]{8}$', description: 'What the buyer quotes; on a completed order.' }),
  ),
})

const REFS = Type.Object(
  {
    events: ById(
      Type.Object({
        id: ObjectId('The event.'),
        lifetime: Type.Object({ start: Time('Its start.'), finish: Time('Its end.') }),
        org: ObjectId('The organizer.'),
        status: Type.String({ description: '`public`: tickets can be sold.' }),
        timezone: Type.String({ description: 'IANA name of the time zone of the venue.' }),
        title: Type.Object({ desc: Type.String(), text: Type.String() }),
        venue: ObjectId('The venue.'),
        age_rating: Type.Integer(),
      }),
    ),
    partners: ById(
      Type.Object({ id: ObjectId('The partner.'), name: Type.String() }),
      'The organizer and the vendor.',
    ),
    promocodes: ById(
      Type.Object({
        id: ObjectId('The promocode.'),
        code: Type.String(),
        discount: Type.Object({
          percentage: Type.Optional(Type.String({ pattern: '^\\d+(\\.\\d+)?%$' })),
          fix: Type.Optional(Money('Off each ticket.')),
        }),
        lifetime: Type.Optional(
          Type.Object({ start: Type.Optional(Time('Its start.')), finish: Type.Optional(Time('Its end.')) }),
        ),
        viral: Type.Boolean(),
      }),
      'Those applied.',
    ),
    sets: ById(
      Type.Object({
        id: ObjectId('The category.'),
        name: Type.String(),
        price: Money('Price today.'),
        with_seats: Type.Boolean(),
      }),
      'The categories of the tickets.',
    ),
    venues: ById(
      Type.Object({
        id: ObjectId('The venue.'),
        name: Type.String(),
        desc: Type.String(),
        address: Type.String(),
        city: Type.Object({ _id: Type.Integer(), name: LocalName(), timezone: Type.String() }),
        country: Type.Object({ _id: Type.String(), name: LocalName() }),
      }),
    ),
  },
  { description: 'The records that the order names, by their ids.' },
)

export const ORDER_ANSWER = Type.Object(
  {
    data: ORDER,
    errors: Type.Optional(
      Type.Array(Type.Object({ code: Type.String(), msg: Type.String() }), {
        description: 'Why promocodes that were sent do not apply; the request succeeded without them.',
      }),
    ),
    refs: REFS,
  },
  { $id: 'OrderAnswer', description: 'The order as it is now.', examples: [ORDER_EXAMPLE] },
)

const ACTIONS = {
  tickets: Type.Optional(
    Type.Array(ObjectId('A ticket of the event.'), {
      maxItems: LIST_MAX,
      description: 'The complete wanted list, with those reserved already. Not together with `random`.',
    }),
  ),
  random: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[0-9a-f]{24}$' }),
      Type.Integer({ minimum: 0, maximum: COUNT_MAX }),
      {
        maxProperties: LIST_MAX,
        description:
          'Category id to the complete wanted count; a category left out means 0. Not together with `tickets`.',
      },
    ),
  ),
  all_or_nothing: Type.Optional(
    Type.Boolean({
      description:
        'Reserve all that is asked for or leave the order as it was. Otherwise what cannot be reserved is skipped.',
    }),
  ),
  deal: Type.Optional(ObjectId('The deal to sell under when several fit; else the newest.')),
  promocodes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: CODE_MAX }), {
      maxItems: PROMOCODES_MAX,
      description: 'Codes, in any case: the whole wanted list. The best one applies to each category.',
    }),
  ),
  promokey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: CODE_MAX,
      description: 'Opens an event or categories that are closed.',
    }),
  ),
  settings: Type.Optional(
    Type.Object(
      {
        invitation: Type.Optional(
          Type.Boolean({ description: 'Every ticket is free; for the organizer, not from the API.' }),
        ),
        send_tickets: Type.Optional(
          Type.Boolean({ description: 'On completion the tickets go to the e-mail of the customer as PDF.' }),
        ),
        courier: Type.Optional(Type.Boolean({ description: 'For the salespoint.' })),
        subscribe_agree: Type.Optional(Type.Boolean()),
        smart_tickets: Type.Optional(Type.Boolean({ description: "By the event's integration." })),
        customer: Type.Optional(CUSTOMER),
      },
      { description: 'Merged over what is set.' },
    ),
  ),
  vendor_data: Type.Optional(VENDOR_DATA),
  custom_fields: Type.Optional(CUSTOM_FIELDS),
  expired_after: Type.Optional(
    Type.String({
      description: 'End of the reservation, ISO 8601; for the salespoint and the control panel.',
    }),
  ),
}

export const NEW_ORDER = Type.Object(
  {
    event: Type.Optional(
      ObjectId('The event to order tickets for. May be left out when `tickets` is a non-empty list.'),
    ),
    ...ACTIONS,
  },
  { 'x-examples': NEW_ORDER_EXAMPLES },
)

export const ORDER_CHANGE = Type.Object(
  {
    ...ACTIONS,
    status: Type.Optional(
      Type.Enum(['done', 'cancelled'], {
        description:
          '`done` completes the order: it is charged and its tickets get barcodes. `cancelled` cancels it.',
      }),
    ),
  },
  { 'x-examples': ORDER_CHANGE_EXAMPLES },
)

export const ORDER_ID = Type.Object({ id: ObjectId('The order.') })
