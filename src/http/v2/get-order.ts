import { isObjectId } from '../../kernel/ids.ts'
import type { OrderResult } from '../../orders/commands.ts'
import { orderError } from '../../orders/order-errors.ts'
import type { Caller } from '../../partners/caller.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { ORDER_ID } from './order-schemas.ts'
import { presentOrder } from './present-order.ts'

export type GetOrderDeps = {
  /** The order, when the caller sells it; throws DomainError `order_not_found`. */
  getOrder(caller: Caller, id: string): Promise<OrderResult>
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
export function registerGetOrder(app: AppInstance, { getOrder }: GetOrderDeps): void {
  app.get<{ Params: { id: string } }>(
    '/v2/resources/orders/:id',
    { schema, config: { permission: 'orders' } },
    async (request, reply) => {
      const { caller } = request
      if (!isObjectId(request.params.id)) throw orderError('order_not_found')
      return sendJson(reply, presentOrder(await getOrder(caller, request.params.id), caller.partner))
    },
  )
}
