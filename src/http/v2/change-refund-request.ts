import type { Catalog } from '../../events/event-entry.ts'
import { catalogIn } from '../../events/load-entries.ts'
import { isObjectId } from '../../kernel/ids.ts'
import type { ChangeRefundRequest } from '../../refunds/change-refund-request.ts'
import { refundError } from '../../refunds/refund-request.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import type { RefundRequest } from '../../refunds/refund-request.ts'
import { keepWith } from './once-for.ts'
import { renderRefundRequest } from './present-refund-request.ts'
import { readDecision } from './read-refund-request.ts'
import { REFUND_DECISION, REFUND_REQUEST_ID } from './refund-schemas.ts'

export type ChangeRefundRequestDeps = { changeRefundRequest: ChangeRefundRequest; catalog: Catalog }

const schema = {
  tags: ['refunds'],
  operationId: 'changeRefundRequest',
  summary: 'Approve or reject a refund request',
  description:
    'For the organizer, or for the vendor where their deal lets it. Approval takes the tickets out of the order and puts them ' +
    "back on sale, voids their barcodes, and gives the organizer's share of what is refunded back to the vendor.",
  params: REFUND_REQUEST_ID,
  body: REFUND_DECISION,
  response: {
    200: { $ref: 'RefundAnswer#' },
    400: refusal('The request is wrong, or its state does not allow it.', {
      missing: ['status is required'],
      bad_status: ["status Value 'done' not in list of avaiable values ['approved', 'rejected']"],
      ended: ['Incorrect status approved for this operation'],
      event_over: ['Not allowed to approve refund for finished event'],
    }),
    403: refusal('The key is bad, lacks the permission, or the organizer alone decides.', {
      bad_key: ['bad key'],
      not_permitted: ['the key lacks the permission refunds'],
      organizer_decides: ['only the organizer may approve or reject this refund request'],
    }),
    404: refusal("The refund request does not exist or is another partner's.", {
      no_request: ['Refund request not found'],
    }),
    409: refusal('Another request to the order is running.', {
      conflict: ['Conflict: another request to this order is running'],
    }),
    ...BODY_REFUSALS,
    401: KEY_REFUSALS[401],
    429: KEY_REFUSALS[429],
    503: KEY_REFUSALS[503],
  },
}

/** PATCH /v2/resources/refund_requests/{id} */
export function registerChangeRefundRequest(app: AppInstance, deps: ChangeRefundRequestDeps): void {
  app.patch<{ Params: { id: string } }>(
    '/v2/resources/refund_requests/:id',
    { schema, config: { permission: 'refunds' } },
    async (request, reply) => {
      const { id } = request.params
      if (!isObjectId(id)) throw refundError('refund_request_not_found')
      const change = { id, decision: readDecision(request.body) }
      const keep = keepWith(request, (one: RefundRequest, tx) => renderRefundRequest(one, catalogIn(tx)))
      const changed = await deps.changeRefundRequest(request.caller, change, keep)
      return sendJson(reply, await renderRefundRequest(changed, deps.catalog))
    },
  )
}
