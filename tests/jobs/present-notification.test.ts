import { expect, test } from 'vitest'
import type { Catalog } from '../../src/events/event-entry.ts'
import { presentOrder } from '../../src/http/v2/present-order.ts'
import { createPresentNotification } from '../../src/main/present-notification.ts'
import { createTestDatabase } from '../support/database.ts'
import { createClient } from '../support/client.ts'
import { importWorld, makeCatalog, makeEvent } from '../support/makers.ts'
import { EVENT, ORDER, RESULT, VENDOR } from '../support/order-sample.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const catalog: Catalog = {
  event: async (id) => (id === EVENT.id ? EVENT : undefined),
  events: async () => [],
  partner: async (id) =>
    id === VENDOR.id
      ? { ...VENDOR, desc: '', tags: [], contact: {}, legal_detail: null, media: {} }
      : undefined,
}
const present = createPresentNotification({ db: database.db, catalog })
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

test('an order with a promocode is told as it was answered', async () => {
  const receiver = await startReceiver(() => 204)
  const world = await importWorld(database, {
    ...makeCatalog({ events: [makeEvent('event', { promocodes: [{ code: 'Half', percentage: '50%' }] })] }),
    webhooks: [{ partner: 'vendor', url: receiver.url, types: ['order_created'] }],
  })
  const { base_url } = await startService({ database, config: { webhooks_allow_private: 'on' } })
  const { body } = await createClient(base_url, world.key('vendor')).createOrder({
    event: world.id('event'),
    random: { [world.id('event_standing')]: 1 },
    promocodes: ['half'],
  })
  const told = await waitUntil(() => receiver.received()[0])
  expect(JSON.parse(told.body)).toMatchObject({ type: 'order_created', data: body.data })
  expect(body.data.values).toMatchObject({ price: '150.00', discount: '75.00' })
})
