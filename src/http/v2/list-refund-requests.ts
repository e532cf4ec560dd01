import { Type } from 'typebox'
import type { Catalog } from '../../events/event-entry.ts'
import type { ListRefundRequests, RefundFilters } from '../../refunds/list-refund-requests.ts'
import { REFUND_STATUSES } from '../../refunds/refund-request.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { readChoices, readObjectIds, readTimeRange, refuseUnknown } from '../query.ts'
import type { Query } from '../query.ts'
import { sendJson } from '../send-json.ts'
import { pagingJson, PAGING_QUERY, readPaging } from './paging.ts'
import { presentRefundRefs, presentRefundRequest } from './present-refund-request.ts'

export type ListRefundRequestsDeps = { listRefundRequests: ListRefundRequests; catalog: Catalog }

const RANGE = 'in the range `from,to` of ISO 8601 date-times, ends included; a side may be empty.'

const QUERY = Type.Partial(
  Type.Object({
    created_at: Type.String({ description: `Created ${RANGE}` }),
    finished_at: Type.String({ description: `Approved or rejected ${RANGE}` }),
    events: Type.Array(Type.String({ pattern: '^[0-9a-f]{24}$' }), {
      description: 'Of any of these events.',
    }),
    status: Type.Array(Type.Enum([...REFUND_STATUSES]), { description: 'In any of these statuses.' }),
    ...PAGING_QUERY,
  }),
)

const schema = {
  tags: ['refunds'],
  operationId: 'listRefundRequests',
  summary: 'List refund requests',
  description:
    'The refund requests of what the caller sold and of its own events, newest first. Lists are comma-separated or repeated. ' +
    'An unknown parameter is refused; a page past the last is empty.',
  querystring: QUERY,
  response: {
    200: { $ref: 'RefundList#' },
    400: refusal('A parameter is wrong or unknown.', {
      page: ['page must be an integer from 1 to 1000000000'],
    }),
    ...KEY_REFUSALS,
  },
}

/** GET /v2/resources/refund_requests */
export function registerListRefundRequests(app: AppInstance, deps: ListRefundRequestsDeps): void {
  app.get(
    '/v2/resources/refund_requests',
    { schema, config: { permission: 'refunds' } },
    async (request, reply) => {
      const { caller, query } = request
      refuseUnknown(query, Object.keys(QUERY.properties))
      const paging = readPaging(query)
      const { requests, total_count } = await deps.listRefundRequests(caller, {
        filters: readFilters(query),
        ...paging,
      })
      const data = JSON.stringify(requests.map(presentRefundRequest))
      const refs = JSON.stringify(await presentRefundRefs(requests, deps.catalog))
      return sendJson(reply, `{"data":${data},${pagingJson(paging, total_count)},"refs":${refs}}`)
    },
  )
}

function readFilters(query: Query): RefundFilters {
  return {
    created_at: readTimeRange(query, 'created_at'),
    finished_at: readTimeRange(query, 'finished_at'),
    events: readObjectIds(query, 'events'),
    status: readChoices(query, 'status', REFUND_STATUSES),
  }
}
