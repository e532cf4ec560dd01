import { expect, test } from 'vitest'
import { presentOrder } from '../../src/http/v2/present-order.ts'
import { createPresentNotification } from '../../src/main/present-notification.ts'
import { EVENT, ORDER, RESULT, VENDOR } from '../support/order-sample.ts'

const present = createPresentNotification({
  event: async (id) => (id === EVENT.id ? EVENT : undefined),
  events: async () => [],
  partner: async (id) =>
    id === VENDOR.id
      ? { ...VENDOR, desc: '', tags: [], contact: {}, legal_detail: null, media: {} }
      : undefined,
})
/** As it comes out of the database. */
const stored = (record: unknown): unknown => JSON.parse(JSON.stringify(record))

test('an order is shown as the API shows it', async () => {
  const { data } = JSON.parse(presentOrder(RESULT, VENDOR).toString()) as { data: unknown }
  expect(await present({ type: 'order_done', record: stored(ORDER), at: RESULT.now })).toEqual(data)
})

test('an unpaid order is shown as it was, however late it is told', async () => {
  const at = ORDER.expired_after - 1000
  const unpaid = { ...ORDER, status: 'executed', done_at: null, code: null }
  expect(await present({ type: 'order_created', record: stored(unpaid), at })).toMatchObject({
    id: ORDER.id,
    status: 'executed',
    tickets: ORDER.tickets.map(({ id }) => ({ id })),
  })
})

test('an event is shown as refs have it', async () => {
  const { refs } = JSON.parse(presentOrder(RESULT, VENDOR).toString()) as {
    refs: { events: Record<string, unknown> }
  }
  const shown = await present({ type: 'event_updated', record: { id: EVENT.id }, at: 0 })
  expect(shown).toEqual(refs.events[EVENT.id])
})
