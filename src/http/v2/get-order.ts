import { isObjectId } from '../../kernel/ids.ts'
import type { GetOrder } from '../../orders/get-order.ts'
import { orderError } from '../../orders/order-errors.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { ORDER_ID } from './order-schemas.ts'
import { presentOrder } from './present-order.ts'

export type GetOrderDeps = {
  getOrder: GetOrder
  /** The name of a partner that exists. */
  partnerName: (id: string) => Promise<string>
}

const schema = {
  tags: ['orders'],
  operationId: 'getOrder',
  summary: 'Read an order',
  description: 'The order as it is now, as the other operations answer it.',
  params: ORDER_ID,
  response: {
    200: { $ref: 'OrderAnswer#' },
    404: refusal("The order does not exist or is another partner's.", { no_order: ['Order not found'] }),
    ...KEY_REFUSALS,
  },
}

/** GET /v2/resources/orders/{id} */
export function registerGetOrder(app: AppInstance, { getOrder, partnerName }: GetOrderDeps): void {
  app.get<{ Params: { id: string } }>(
    '/v2/resources/orders/:id',
    { schema, config: { permission: 'orders' } },
    async (request, reply) => {
      const { caller } = request
      if (!isObjectId(request.params.id)) throw orderError('order_not_found')
      const result = await getOrder(caller, request.params.id)
      const { vendor } = result.order
      // The organizer of the event reads it too.
      const name = vendor === caller.partner.id ? caller.partner.name : await partnerName(vendor)
      return sendJson(reply, presentOrder(result, { id: vendor, name }))
    },
  )
}
