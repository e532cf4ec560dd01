import { Type } from 'typebox'
import { formatV2Time } from '../../kernel/iso-time.ts'
import { NOTIFICATION_TYPES } from '../../partners/notifications.ts'
import { DELIVERY_STATUSES, listDeliveries, type Delivery } from '../../partners/webhooks.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { readChoice, readInteger, readObjectId, refuseUnknown, type Query } from '../query.ts'

const PARAMETERS = ['webhook', 'status', 'page', 'page_size']
const PAGE_MAX = 1_000_000_000
const PAGE_SIZE = 50
const PAGE_SIZE_MAX = 200

const Id = (description: string) => Type.String({ pattern: '^[0-9a-f]{24}$', description })
const Time = (description: string) => Type.String({ description })
const Nullable = <T extends ReturnType<typeof Type.String | typeof Type.Integer>>(type: T) =>
  Type.Union([type, Type.Null()])

const DELIVERY = Type.Object({
  notification: Id('Of the notification; it is the header `webhook-id`.'),
  type: Type.Enum([...NOTIFICATION_TYPES]),
  created_at: Time('When it happened, UTC.'),
  webhook: Id('Of the webhook.'),
  url: Type.String({ description: 'Where it is sent to.' }),
  status: Type.Enum([...DELIVERY_STATUSES]),
  attempts: Type.Integer({ description: 'Made since it was written or replayed.' }),
  last_status: Nullable(Type.Integer({ description: 'The status of the last answer.' })),
  last_error: Nullable(Type.String({ description: 'Why the last attempt failed.' })),
  next_at: Nullable(Time('When it is attempted next, UTC; null when it is not.')),
  delivered_at: Nullable(Time('When it was delivered, UTC.')),
})

const EXAMPLE: Delivery = {
  notification: '6920a1f00000c3a5e100002a',
  type: 'order_done',
  created_at: Date.UTC(2025, 10, 21, 17, 30),
  webhook: '6920a1f00000c3a5e1000029',
  url: 'https://tickets.example/parterre',
  status: 'pending',
  attempts: 2,
  last_status: 500,
  last_error: 'answered 500',
  next_at: Date.UTC(2025, 10, 21, 17, 30, 22),
  delivered_at: null,
}

const schema = {
  tags: ['webhooks'],
  operationId: 'listDeliveries',
  summary: 'List what became of notifications',
  description:
    'The deliveries of the notifications of the last 30 days to the webhooks of the partner whose key this is, newest first.',
  querystring: Type.Partial(
    Type.Object({
      webhook: Id('To this webhook.'),
      status: Type.Enum([...DELIVERY_STATUSES], { description: 'In this status.' }),
      page: Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 }),
      page_size: Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE }),
    }),
  ),
  response: {
    200: {
      description: 'A page; past the last one it is empty.',
      content: {
        'application/json': {
          schema: Type.Object({
            data: Type.Array(DELIVERY),
            pagination: Type.Object({
              page: Type.Integer(),
              page_size: Type.Integer(),
              total: Type.Integer({ description: 'Pages.' }),
            }),
            total_count: Type.Integer({ description: 'Deliveries on all pages.' }),
          }),
          examples: {
            page: {
              value: {
                data: [presentDelivery(EXAMPLE)],
                pagination: { page: 1, page_size: PAGE_SIZE, total: 1 },
                total_count: 1,
              },
            },
          },
        },
      },
    },
    400: refusal('A parameter is wrong.', { page: ['page must be an integer from 1 to 1000000000'] }),
    ...KEY_REFUSALS,
  },
}

/** GET /v2/resources/webhooks/deliveries */
export function registerListDeliveries(app: AppInstance, { db }: { db: Queryable }): void {
  app.get<{ Querystring: Query }>(
    '/v2/resources/webhooks/deliveries',
    { schema, config: { permission: 'admin' } },
    async ({ caller, query }) => {
      refuseUnknown(query, PARAMETERS)
      const page = readInteger(query, 'page', { min: 1, max: PAGE_MAX }) ?? 1
      const page_size = readInteger(query, 'page_size', { min: 1, max: PAGE_SIZE_MAX }) ?? PAGE_SIZE
      const { deliveries, total_count } = await listDeliveries(db, caller.partner.id, {
        webhook: readObjectId(query, 'webhook'),
        status: readChoice(query, 'status', DELIVERY_STATUSES),
        page,
        page_size,
      })
      return {
        data: deliveries.map(presentDelivery),
        pagination: { page, page_size, total: Math.ceil(total_count / page_size) },
        total_count,
      }
    },
  )
}

function presentDelivery({ created_at, next_at, delivered_at, ...rest }: Delivery) {
  return {
    ...rest,
    created_at: formatV2Time(created_at),
    next_at: timeOrNull(next_at),
    delivered_at: timeOrNull(delivered_at),
  }
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : formatV2Time(at)
}
