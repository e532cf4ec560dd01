/** The order operations of a seller, each answer checked against the API document. */
import { checkOrder, checkPrices, same, type Wanted } from './checks.ts'
import { ORDER_ANSWER, REFUSAL, type Order, type OrderAnswer } from './document.ts'
import type { Seller, Wish } from './seller.ts'

export const ORDERS = '/v2/resources/orders'

type Operation = {
  step: string
  body: object
  headers?: Record<string, string>
  wanted: Wanted
  /** What else is wrong with the answer. */
  check?: Wish<OrderAnswer>['check']
}

export async function createOrder(seller: Seller, operation: Operation): Promise<Order> {
  const { data } = await sendOrder(seller, { ...operation, method: 'POST', path: ORDERS })
  return data
}

export async function changeOrder(seller: Seller, before: Order, operation: Operation): Promise<Order> {
  const { data } = await changeOrderFully(seller, before, operation)
  return data
}

/** Answers the body with its `refs`. */
export async function changeOrderFully(
  seller: Seller,
  before: Order,
  operation: Operation,
): Promise<OrderAnswer> {
  const wanted = { ...operation.wanted, before }
  return sendOrder(seller, { ...operation, wanted, method: 'PATCH', path: `${ORDERS}/${before.id}` })
}

async function sendOrder(
  seller: Seller,
  { wanted, check, ...request }: Operation & { method: 'POST' | 'PATCH'; path: string },
): Promise<OrderAnswer> {
  return seller.send({
    ...request,
    status: 200,
    answer: ORDER_ANSWER,
    check: (answer, headers) => {
      const faults = checkOrder(answer, wanted)
      if (faults.length > 0) return faults
      return [...checkPrices(answer.data, wanted.event), ...(check?.(answer, headers) ?? [])]
    },
  })
}

export async function refuseOrder(
  seller: Seller,
  { order, ...refusal }: { step: string; order?: Order; body: object; error: string },
): Promise<void> {
  const path = order ? `${ORDERS}/${order.id}` : ORDERS
  await refuse(seller, { ...refusal, method: order ? 'PATCH' : 'POST', path })
}

type Refusal = Pick<Wish<unknown>, 'step' | 'method' | 'path' | 'body'> & { error: string }

export async function refuse(seller: Seller, { error, ...request }: Refusal): Promise<void> {
  await seller.send({
    ...request,
    status: 400,
    answer: REFUSAL,
    check: ({ errors }) => same('body.errors', errors.join('; '), error),
  })
}
