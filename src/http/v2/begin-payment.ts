import { isObjectId } from '../../kernel/ids.ts'
import { InvalidFields } from '../../orders/order-errors.ts'
import type { Desk } from '../../orders/commands.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { onceFor } from './once-for.ts'
import { requirePaymentOrigin } from './payment-origin.ts'
import { NEW_PAYMENT } from './payment-schemas.ts'
import { presentPayment } from './present-payment.ts'
import { bodyOf } from './read-order-actions.ts'

const schema = {
  tags: ['payments'],
  operationId: 'beginPayment',
  summary: 'Begin an outside payment',
  description:
    'The order becomes `in_progress`: its tickets are held for at most 30 more minutes, and it may only be cancelled. For keys of the widget, the salespoint and the control panel. Begun again, the pending payment is answered.',
  body: NEW_PAYMENT,
  response: {
    200: { $ref: 'PaymentAnswer#' },
    400: refusal('The order cannot be paid for.', {
      no_tickets: ['there is no tickets in order'],
      ended: ['Not allow to update order in status done'],
      fault: ['order must be an objectid'],
    }),
    404: refusal("The order does not exist or is another partner's.", { no_order: ['Order not found'] }),
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
  },
}

/** POST /v2/services/payments */
export function registerBeginPayment(app: AppInstance, { desk }: { desk: Pick<Desk, 'submit'> }): void {
  app.post('/v2/services/payments', { schema, config: { permission: 'orders' } }, async (request, reply) => {
    const { caller } = request
    requirePaymentOrigin(caller)
    const { order } = bodyOf(request.body)
    if (!isObjectId(order))
      throw new InvalidFields([order === undefined ? 'order is required' : 'order must be an objectid'])
    const payment = { step: 'begin' } as const
    const once = onceFor(request, presentPayment)
    const result = await desk.submit({ kind: 'change', caller, order, payment, faults: [], ...once })
    return sendJson(reply, presentPayment(result, caller.partner))
  })
}
