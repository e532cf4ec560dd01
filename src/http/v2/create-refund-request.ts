import type { Catalog } from '../../events/event-entry.ts'
import { catalogIn } from '../../events/load-entries.ts'
import type { CreateRefundRequest } from '../../refunds/create-refund-request.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import type { RefundRequest } from '../../refunds/refund-request.ts'
import { keepWith } from './once-for.ts'
import { renderRefundRequest } from './present-refund-request.ts'
import { readNewRefundRequest } from './read-refund-request.ts'
import { NEW_REFUND_REQUEST } from './refund-schemas.ts'

export type CreateRefundRequestDeps = { createRefundRequest: CreateRefundRequest; catalog: Catalog }

const schema = {
  tags: ['refunds'],
  operationId: 'createRefundRequest',
  summary: 'Ask for a refund',
  description:
    'Makes a request to give back tickets of a done order. What it pays back is fixed now; approval moves the money.',
  body: NEW_REFUND_REQUEST,
  response: {
    200: { $ref: 'RefundAnswer#' },
    400: refusal('The request is wrong, or these tickets cannot be given back.', {
      missing: ['order is required', 'culprit is required', 'tickets is required'],
      culprit: ["culprit Value 'seller' not in list of avaiable values ['user', 'org']"],
      no_tickets: ['tickets list length is less than 1'],
      no_order: ['Order 6920b0000007c3a5e100000a not found'],
      wrong_status: ['wrong order (id: 6920b0000007c3a5e100000a) status: executed'],
      bad_tickets: ['bad tickets'],
      in_use: ['Some tickets already use in another refund request'],
      nothing_left: ['Empty tickets for refund'],
      started: ['Operation failed: Event started, and no after_event_start setting.'],
      too_late: ['No reason nor lower_minimal_days setting'],
    }),
    409: refusal('Another request to the order is running.', {
      conflict: ['Conflict: another request to this order is running'],
    }),
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
  },
}

/** POST /v2/resources/refund_requests */
export function registerCreateRefundRequest(app: AppInstance, deps: CreateRefundRequestDeps): void {
  app.post(
    '/v2/resources/refund_requests',
    { schema, config: { permission: 'refunds' } },
    async (request, reply) => {
      const wanted = readNewRefundRequest(request.body)
      const keep = keepWith(request, (one: RefundRequest, tx) => renderRefundRequest(one, catalogIn(tx)))
      const created = await deps.createRefundRequest(request.caller, wanted, keep)
      return sendJson(reply, await renderRefundRequest(created, deps.catalog))
    },
  )
}
