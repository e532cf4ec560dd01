/** The shapes of the payment operations as the OpenAPI document describes them. */
import { Type } from 'typebox'
import { ObjectId, Time } from './schema-parts.ts'

const PAYMENT = Type.Object({
  id: ObjectId('The payment.'),
  order: ObjectId('Its order.'),
  status: Type.Enum(['pending', 'confirmed', 'failed', 'expired']),
  created_at: Time('When it began.'),
  finished_at: Type.Optional(Time('When it was answered, or the time for that was over.')),
  confirm_till: Type.Optional(Time('Until when the tickets are held for it; while it is pending.')),
})

export const PAYMENT_ANSWER = Type.Object(
  {
    data: PAYMENT,
    refs: Type.Object({ orders: Type.Record(Type.String(), Type.Ref('OrderAnswer#/properties/data')) }),
  },
  { $id: 'PaymentAnswer', description: 'The payment, and its order as it is now.' },
)

export const NEW_PAYMENT = Type.Object({ order: ObjectId('The order to be paid for outside.') })
export const PAYMENT_CHANGE = Type.Object({ status: Type.Enum(['confirmed', 'failed']) })
export const PAYMENT_ID = Type.Object({ id: ObjectId('The payment.') })
