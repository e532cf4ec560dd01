import type { Desk } from '../../orders/commands.ts'
import { InvalidFields } from '../../orders/order-errors.ts'
import { findOrderOfPayment } from '../../orders/payments.ts'
import type { Db } from '../../platform/db/db.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { onceFor } from './once-for.ts'
import { requirePaymentOrigin } from './payment-origin.ts'
import { PAYMENT_CHANGE, PAYMENT_ID } from './payment-schemas.ts'
import { presentPayment } from './present-payment.ts'
import { bodyOf } from './read-order-actions.ts'

const schema = {
  tags: ['payments'],
  operationId: 'finishPayment',
  summary: 'Confirm or fail an outside payment',
  description:
    '`confirmed` completes the order as `done` would, `failed` cancels it; saying it again changes nothing. A confirmation that comes after the hold has ended takes the tickets again when all of them are free.',
  params: PAYMENT_ID,
  body: PAYMENT_CHANGE,
  response: {
    200: { $ref: 'PaymentAnswer#' },
    400: refusal('The payment cannot be answered so.', {
      too_late: ['The payment came too late: the hold has ended and some of the tickets are taken'],
      ended: ['Incorrect status failed for this operation'],
      no_money: ['Not enough money, contact to City Tickets manager'],
      fault: ['status must be confirmed or failed'],
    }),
    404: refusal("The payment does not exist or is another partner's.", {
      no_payment: ['Payment not found'],
    }),
    409: refusal('Another request to the order is running.', {
      conflict: ['Conflict: another request to this order is running'],
    }),
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
  },
}

export type FinishPaymentDeps = { desk: Pick<Desk, 'submit'>; db: Pick<Db, 'query' | 'execute'> }

/** PATCH /v2/services/payments/{id} */
export function registerFinishPayment(app: AppInstance, { desk, db }: FinishPaymentDeps): void {
  app.patch<{ Params: { id: string } }>(
    '/v2/services/payments/:id',
    { schema, config: { permission: 'orders' } },
    async (request, reply) => {
      const { caller } = request
      requirePaymentOrigin(caller)
      const { id } = request.params
      const { status } = bodyOf(request.body)
      const order = await findOrderOfPayment(db, caller, id)
      if (status !== 'confirmed' && status !== 'failed')
        throw new InvalidFields([
          status === undefined ? 'status is required' : 'status must be confirmed or failed',
        ])
      const payment = { step: status, id } as const
      const once = onceFor(request, presentPayment)
      const result = await desk.submit({ kind: 'change', caller, order, payment, faults: [], ...once })
      return sendJson(reply, presentPayment(result, caller.partner))
    },
  )
}
