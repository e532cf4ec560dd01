import { isObjectId } from '../../kernel/ids.ts'
import type { Desk } from '../../orders/commands.ts'
import { orderError } from '../../orders/order-errors.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { ORDER_CHANGE, ORDER_ID } from './order-schemas.ts'
import { ORDER_REFUSALS } from './order-examples.ts'
import { onceFor } from './once-for.ts'
import { presentOrder } from './present-order.ts'
import { readOrderChange } from './read-order-actions.ts'

export type ChangeOrderDeps = { desk: Pick<Desk, 'submit'> }

const schema = {
  tags: ['orders'],
  operationId: 'changeOrder',
  summary: 'Change, complete or cancel an order',
  description:
    'The only way to change an order. A request may carry several actions; when one fails, none of them happened.',
  params: ORDER_ID,
  body: ORDER_CHANGE,
  response: {
    200: { $ref: 'OrderAnswer#' },
    400: refusal('The request is wrong, or the state of the order does not allow it.', {
      nothing_asked: ["'tickets' or 'random' must be"],
      both: ['Only one of tickets or random can be set'],
      ended: ['Not allow to update order in status done'],
      bad_status: ['Incorrect status for this operation'],
      not_cancellable: ['Order is not cancellable'],
      no_tickets: ['there is no tickets in order'],
      ...ORDER_REFUSALS,
      no_money: ['Not enough money, contact to City Tickets manager'],
    }),
    404: refusal("The order does not exist or is another partner's.", { no_order: ['Order not found'] }),
    409: refusal('Another request to the order is running.', {
      conflict: ['Conflict: another request to this order is running'],
    }),
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
  },
}

/** PATCH /v2/resources/orders/{id} */
export function registerChangeOrder(app: AppInstance, { desk }: ChangeOrderDeps): void {
  app.patch<{ Params: { id: string } }>(
    '/v2/resources/orders/:id',
    { schema, config: { permission: 'orders' } },
    async (request, reply) => {
      const { caller } = request
      const order = request.params.id
      if (!isObjectId(order)) throw orderError('order_not_found')
      const actions = readOrderChange(request.body)
      const result = await desk.submit({ ...actions, kind: 'change', caller, order, ...onceFor(request) })
      return sendJson(reply, presentOrder(result, caller.partner))
    },
  )
}
