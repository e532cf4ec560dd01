/** A discounted order with customer, mail and refund: promocodes, settings, `vendor_data`, a repeated request, the lists. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { checkNamed, checkOrderList, same, sameTexts } from './checks.ts'
import { checkDiscounted, checkOffer, checkUndiscounted, type Offer } from './discounts.ts'
import { ORDER_LIST, PROMOCODE, PROMOCODE_REFUSAL, REFUSAL, type Order, type Promocode } from './document.ts'
import { findSet, type ListedEvent, type ListedSet, type Listing } from './listing.ts'
import { changeOrder, changeOrderFully, createOrder, ORDERS } from './orders.ts'
import { lookAtMail } from './outbox.ts'
import { playRefund } from './refund.ts'
import type { Seller } from './seller.ts'

/** A promocode of the demo catalog, for an event without a promotion. */
const DEMO_PROMOCODE = {
  title: 'Вишнёвый сад. Премьера',
  code: 'CHEKHOV',
  discount: { percentage: '15%' },
  min: 2,
}
const UNKNOWN_CODE = 'NO-SUCH-PROMOCODE'
const CHECK = '/v2/services/promocodes/check'

export type DiscountOptions = {
  listing: Listing
  events: readonly ListedEvent[]
  /** The key is that of the demo seller, from `data_dir`: the service's data folder is that one. */
  is_demo_seller: boolean
  data_dir: string
}

type DiscountStage = { event: ListedEvent; set: ListedSet; offer: Offer }

export async function playDiscountedOrder(
  seller: Seller,
  { listing, events, data_dir, is_demo_seller }: DiscountOptions,
): Promise<void> {
  const { title, code, min } = DEMO_PROMOCODE
  const wanted = { with_seats: true, vacant: min }
  const event = events.find((one) => one.name === title && findSet(one, wanted))
  if (!event) {
    return console.log(
      `\n# A discounted order\nNot played: no event on sale is the demo catalog's «${title}», with ${min} seats vacant.`,
    )
  }
  const offer = { code, ...(await checkCodes(seller, event)) }
  const stage = { event, set: findSet(event, wanted)!, offer }
  const since = Date.now()
  const to = `buyer-${randomUUID()}@demo.example`
  const held = await holdDiscounted(seller, stage, to)
  const done = await completeTwice(seller, stage, held)
  await findInList(seller, event, done)
  await lookAtMail(seller, { data_dir: is_demo_seller ? data_dir : undefined, to, since })
  await playRefund(seller, { listing, event, order: done, is_sellers_decision: is_demo_seller })
}

/** Answers what the promocode gives. */
async function checkCodes(seller: Seller, event: ListedEvent): Promise<Promocode> {
  const { code, discount, min } = DEMO_PROMOCODE
  const { data } = await seller.send({
    step: 'A discounted order: what the promocode gives',
    method: 'POST',
    path: CHECK,
    body: { event: event.id, code },
    status: 200,
    answer: PROMOCODE,
    check: ({ data: promocode, refs }) => [
      ...checkOffer(promocode, { event, discount, min }),
      ...checkNamed(refs, { sets: promocode.sets }),
    ],
  })
  await seller.send({
    step: 'One that cannot be used',
    method: 'POST',
    path: CHECK,
    body: { event: event.id, code: UNKNOWN_CODE },
    status: 400,
    answer: PROMOCODE_REFUSAL,
    check: ({ error, reason, errors }) => [
      ...same('body.error', error, 'HTTPBadRequest'),
      ...same('body.reason', reason, 'Promocode not found'),
      ...sameTexts('body.errors', errors, ['Promocode not found']),
    ],
  })
  return data
}

/** An order for the customer: first with promocodes that it cannot use, then with one that it can. */
async function holdDiscounted(
  seller: Seller,
  { event, set, offer }: DiscountStage,
  email: string,
): Promise<Order> {
  const { code, min } = DEMO_PROMOCODE
  const settings = {
    send_tickets: true,
    customer: { name: 'Анна Каренина', email, phone: '+7 900 555-01-02', lang: 'ru' },
  }
  const vendor_data = { order_id: `demo-${randomUUID()}`, raw: { till: 3, cashier: 'Илья', gift: false } }
  const held = await createOrder(seller, {
    step: 'POST with customer, vendor_data, and promocodes that cannot be used: errors next to data, the seats are held',
    body: {
      event: event.id,
      random: { [set.id]: min - 1 },
      promocodes: [code, UNKNOWN_CODE],
      settings,
      vendor_data,
    },
    wanted: {
      status: 'executed',
      event,
      counts: { [set.id]: min - 1 },
      errors: [
        `promocode_limit_min_tickets: Mimimum count of tickets in order for promocode activation is ${min}`,
        'promocode_not_found: Promocode not found',
      ],
    },
    check: (answer) => [...checkUndiscounted(answer), ...checkSent(answer.data, { settings, vendor_data })],
  })
  return changeOrder(seller, held, {
    step: 'PATCH with tickets enough and the promocode, in small letters',
    body: { random: { [set.id]: min }, promocodes: [code.toLowerCase()] },
    wanted: { status: 'executed', event, counts: { [set.id]: min } },
    check: (answer) => [
      ...checkDiscounted(answer, offer),
      ...checkSent(answer.data, { settings, vendor_data }),
    ],
  })
}

/** The order shows what was sent with it. */
function checkSent(
  { settings, vendor_data }: Order,
  sent: { settings: { send_tickets: boolean; customer: object }; vendor_data: object },
): string[] {
  return [
    ...same('data.settings.send_tickets', settings.send_tickets, sent.settings.send_tickets),
    ...(isDeepStrictEqual(settings.customer, sent.settings.customer)
      ? []
      : ['data.settings.customer must be as sent']),
    ...(isDeepStrictEqual(vendor_data, sent.vendor_data) ? [] : ['data.vendor_data must be as sent']),
  ]
}

async function completeTwice(seller: Seller, { event, offer }: DiscountStage, held: Order): Promise<Order> {
  const headers = { 'Idempotency-Key': randomUUID() }
  const completion = {
    headers,
    body: { status: 'done' },
    wanted: { status: 'done', event, tickets: held.tickets.map(({ id }) => id) },
  } as const
  const first = await changeOrderFully(seller, held, {
    ...completion,
    step: 'PATCH with status done, under a key of our own',
    check: (answer, answered) => [
      ...checkDiscounted(answer, offer),
      ...same('the header Idempotent-Replayed', answered.get('idempotent-replayed'), null),
      ...sameKept(held, answer.data),
    ],
  })
  await changeOrderFully(seller, held, {
    ...completion,
    step: 'Sent again, as after a lost answer: the answer is the first one',
    check: (answer, answered) => [
      ...same('the header Idempotent-Replayed', answered.get('idempotent-replayed'), 'true'),
      ...(isDeepStrictEqual(answer, first) ? [] : ['the body must be the first answer']),
    ],
  })
  await seller.send({
    step: 'Another request under that key',
    method: 'PATCH',
    path: `${ORDERS}/${held.id}`,
    headers,
    body: { status: 'cancelled' },
    status: 422,
    answer: REFUSAL,
  })
  return first.data
}

/** What a completion leaves as it was. */
function sameKept(before: Order, after: Order): string[] {
  return (['promocodes', 'settings', 'values', 'vendor_data'] as const)
    .filter((field) => !isDeepStrictEqual(after[field], before[field]))
    .map((field) => `data.${field} must be as before the completion`)
}

async function findInList(seller: Seller, event: ListedEvent, order: Order): Promise<void> {
  const query = new URLSearchParams({
    status: 'done',
    events: event.id,
    only_with_customer: 'true',
    created_at: `${order.created_at},`,
  })
  await seller.send({
    step: 'The order in the list of completed orders with a customer, since it was created',
    method: 'GET',
    path: `${ORDERS}?${query.toString()}`,
    status: 200,
    answer: ORDER_LIST,
    check: (answer) => [
      ...checkOrderList(answer, { event, status: 'done' }),
      ...answer.data
        .filter(({ settings, created_at }) => !settings.customer || created_at < order.created_at)
        .map(({ id }) => `${id} has no customer, or is older than was asked for`),
      ...(answer.data.some((one) => isDeepStrictEqual(one, order))
        ? []
        : [`body.data must have ${order.id} as it was answered`]),
    ],
  })
}
