/** The shapes of the refund operations as the OpenAPI document describes them (contract, decisions 5). */
import { Type } from 'typebox'
import { CULPRITS, REFUND_STATUSES } from '../../refunds/refund-request.ts'
import { PAGING_ANSWER } from './paging.ts'
import { LIST_MAX } from './read-refund-request.ts'
import {
  NEW_REFUND_REQUEST_EXAMPLES,
  REFUND_ANSWER_EXAMPLE,
  REFUND_DECISION_EXAMPLES,
  REFUND_LIST_EXAMPLE,
} from './refund-examples.ts'
import { ById, Money, ObjectId, Time } from './schema-parts.ts'

const REFUND_REQUEST = Type.Object({
  id: ObjectId('The refund request.'),
  status: Type.Enum([...REFUND_STATUSES]),
  culprit: Type.Enum([...CULPRITS], { description: 'Whose fault it is: the buyer, or the organizer.' }),
  created_at: Time('When it was created.'),
  finished_at: Type.Union([Time('When it was approved or rejected.'), Type.Null()]),
  requested_at: Time('When the buyer asked; what is paid back is counted from here to the start.'),
  refund_nominal: Money('What is paid back of the nominal of the tickets.'),
  delta: Type.String({ deprecated: true, description: 'The same as `refund_nominal`.' }),
  customer_money: Money(
    'What the buyer gets: `refund_nominal`, and the service fee when the culprit is org.',
  ),
  event: ObjectId('The event.'),
  org: ObjectId('The organizer.'),
  order: ObjectId('The order.'),
  policy: Type.Enum(['general', 'law_ru_193', 'schedule'], {
    description: 'The refund policy of the event at the time; `schedule`: one of its own.',
  }),
  tickets: Type.Array(ObjectId('A ticket that is given back.'), { minItems: 1 }),
  vendor: ObjectId('The partner that sold the order.'),
})

const REFS = Type.Object(
  {
    events: ById(
      Type.Object({
        id: ObjectId('The event.'),
        lifetime: Type.Object({ start: Time('Its start.'), finish: Time('Its end.') }),
        org: ObjectId('The organizer.'),
        status: Type.String(),
        timezone: Type.String({ description: 'IANA name of the time zone of the venue.' }),
        title: Type.Object({ desc: Type.String(), text: Type.String() }),
        venue: ObjectId('The venue.'),
        age_rating: Type.Integer(),
      }),
    ),
    orders: ById(Type.Object({ id: ObjectId('The order.'), number: Type.Integer(), code: Type.String() })),
    partners: ById(Type.Object({ id: ObjectId('The partner.'), name: Type.String() })),
    tickets: ById(
      Type.Object({
        id: ObjectId('The ticket.'),
        serial: Type.String(),
        number: Type.Integer(),
        set: ObjectId('The category.'),
        seat: Type.Optional(
          Type.Object({ row: Type.String(), number: Type.String(), sector: ObjectId('The sector.') }),
        ),
        barcode: Type.String({ description: 'As it was sold; void once the request is approved.' }),
        price: Money('Price when it was sold.'),
        nominal: Money('Price less discount.'),
        discount: Money('What was taken off.'),
        extra: Money('Service fee of the seller.'),
        full: Money('What the buyer paid.'),
        refund_nominal: Money('What is paid back of the nominal.'),
      }),
    ),
  },
  { description: 'The records that the requests name, by their ids; tickets as they were sold.' },
)

export const REFUND_ANSWER = Type.Object(
  { data: REFUND_REQUEST, refs: REFS },
  { $id: 'RefundAnswer', description: 'The refund request as it is now.', examples: [REFUND_ANSWER_EXAMPLE] },
)

export const REFUND_LIST = Type.Object(
  {
    data: Type.Array(REFUND_REQUEST),
    ...PAGING_ANSWER,
    refs: REFS,
  },
  { $id: 'RefundList', description: 'A page of refund requests.', examples: [REFUND_LIST_EXAMPLE] },
)

export const NEW_REFUND_REQUEST = Type.Object(
  {
    order: ObjectId('A done order.'),
    culprit: Type.Enum([...CULPRITS], {
      description: '`org`: all is paid back, the service fee too. `user`: as the policy of the event says.',
    }),
    tickets: Type.Array(ObjectId('A ticket of the order.'), { minItems: 1, maxItems: LIST_MAX }),
    requested_at: Type.Optional(
      Type.String({ description: 'When the buyer asked, an ISO 8601 date-time; without it, now.' }),
    ),
  },
  { 'x-examples': NEW_REFUND_REQUEST_EXAMPLES },
)

export const REFUND_DECISION = Type.Object(
  { status: Type.Enum(['approved', 'rejected']) },
  { 'x-examples': REFUND_DECISION_EXAMPLES },
)

export const REFUND_REQUEST_ID = Type.Object({ id: ObjectId('The refund request.') })
