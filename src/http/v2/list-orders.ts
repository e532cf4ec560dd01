import { Type } from 'typebox'
import { ORDER_STATUSES } from '../../orders/commands.ts'
import type { ListOrders } from '../../orders/list-orders.ts'
import type { OrderFilters } from '../../orders/order-selection.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import {
  readBoolean,
  readChoices,
  readObjectIds,
  readTimeRange,
  refuseUnknown,
  type Query,
} from '../query.ts'
import { sendJson } from '../send-json.ts'
import { ORDER_EXAMPLE } from './order-examples.ts'
import { ORDER_ANSWER } from './order-schemas.ts'
import { PAGING_ANSWER, PAGING_QUERY, readPaging } from './paging.ts'
import { presentOrderList } from './present-order-list.ts'

export type ListOrdersDeps = {
  listOrders: ListOrders
  /** The name of a partner that exists. */
  partnerName: (id: string) => Promise<string>
}

/** The filters of the list, which the export takes too. */
export const ORDER_FILTERS = {
  created_at: Type.String({
    description: 'Created in the range `from,to` of ISO 8601 date-times, ends included; a side may be empty.',
  }),
  status: Type.Array(Type.Enum([...ORDER_STATUSES]), { description: 'In any of these statuses.' }),
  events: Type.Array(Type.String({ pattern: '^[0-9a-f]{24}$' }), { description: 'For any of these events.' }),
  only_with_customer: Type.Boolean({
    default: false,
    description: 'Only orders whose `settings` have a customer.',
  }),
}

const QUERY = Type.Partial(Type.Object({ ...ORDER_FILTERS, ...PAGING_QUERY }))

const schema = {
  tags: ['orders'],
  operationId: 'listOrders',
  summary: 'List orders',
  description:
    'The orders that the caller sold, and those on the events it organizes, newest first. Lists are comma-separated or repeated; an ' +
    'unknown parameter is refused; a page past the last is empty. Page after page with the same filters and page size, no order ' +
    'comes twice while others are created: for an hour a page begins where the one before it, last read with the same key, ended, ' +
    'and the totals are those of when the first page was read. Readers that work side by side use a key each.',
  querystring: QUERY,
  response: {
    200: {
      description: 'The orders of the page.',
      content: {
        'application/json': {
          schema: Type.Object({
            data: Type.Array(ORDER_ANSWER.properties.data),
            ...PAGING_ANSWER,
            refs: ORDER_ANSWER.properties.refs,
          }),
          examples: {
            page: {
              value: {
                data: [ORDER_EXAMPLE.data],
                pagination: { page: 1, page_size: 50, total: 1 },
                total_count: 1,
                refs: ORDER_EXAMPLE.refs,
              },
            },
          },
        },
      },
    },
    400: refusal('A parameter is wrong or unknown.', {
      page_size: ['page_size must be an integer from 1 to 200'],
      created_at: ['created_at must be from,to'],
      unknown: [
        'limit is not a parameter of this list; it takes created_at, status, events, only_with_customer, page, page_size',
      ],
    }),
    ...KEY_REFUSALS,
  },
}

/** GET /v2/resources/orders */
export function registerListOrders(app: AppInstance, { listOrders, partnerName }: ListOrdersDeps): void {
  app.get('/v2/resources/orders', { schema, config: { permission: 'orders' } }, async (request, reply) => {
    const { caller, query } = request
    refuseUnknown(query, Object.keys(QUERY.properties))
    const filters = readOrderFilters(query)
    const paging = readPaging(query)
    const { results, total_count } = await listOrders(caller, { filters, ...paging })
    const vendors = await Promise.all(
      results.map(async ({ order: { vendor } }) =>
        vendor === caller.partner.id ? caller.partner : { id: vendor, name: await partnerName(vendor) },
      ),
    )
    return sendJson(reply, presentOrderList({ results, vendors, total_count, paging }))
  })
}

/** Throws DomainError<QueryErrorCode>. */
export function readOrderFilters(query: Query): OrderFilters {
  return {
    created_at: readTimeRange(query, 'created_at'),
    status: readChoices(query, 'status', ORDER_STATUSES),
    events: readObjectIds(query, 'events'),
    only_with_customer: readBoolean(query, 'only_with_customer'),
  }
}
