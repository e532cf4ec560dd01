import assert from 'node:assert/strict'
import { formatV2Time } from '../../kernel/iso-time.ts'
import type { OrderResult } from '../../orders/commands.ts'
import { orderParts } from './present-order.ts'

/** The JSON, in UTF-8, of a payment and its order: `{data, refs: {orders}}`. */
export function presentPayment(result: OrderResult, vendor: { id: string; name: string }): Buffer {
  const { payment, order } = result
  assert(payment, 'the command was about a payment')
  const { id, status, created_at, finished_at } = payment
  const data = {
    id,
    order: order.id,
    status,
    created_at: formatV2Time(created_at),
    ...(finished_at !== null && { finished_at: formatV2Time(finished_at) }),
    ...(status === 'pending' &&
      order.payment_till !== null && { confirm_till: formatV2Time(order.payment_till) }),
  }
  const shown = orderParts(result, vendor).data
  return Buffer.from(`{"data":${JSON.stringify(data)},"refs":{"orders":{"${order.id}":${shown}}}}`, 'latin1')
}
