import { expect, test } from 'vitest'
import { idsOf, openOrderWorld } from '../support/order-world.ts'
import { makeCatalog, makeEvent } from '../support/makers.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const usual = makeCatalog()
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [...(usual['events'] as object[]), makeEvent('brief_event', { order_lifetime_s: 1 })],
  },
  parts: ['api', 'jobs'],
})
// A second process' worth of the job, which must not get in the way of the first.
await startService({ database: world.database, parts: ['jobs'] })
const { id } = world
const { sql } = world.database
const vendor = world.client('vendor')

test('unpaid orders end within two seconds of expired_after, and their tickets are on sale again', async () => {
  const orders = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const { body } = await vendor.createOrder({
        event: id('brief_event'),
        random: { [id('brief_event_standing')]: 3 },
      })
      return body
    }),
  )
  const tickets = orders.flatMap(idsOf)
  expect(tickets).toHaveLength(90)
  const due = Math.max(...orders.map(({ data }) => Date.parse(`${data.expired_after.replace(' ', 'T')}Z`)))
  await waitUntil(
    async () =>
      (await sql("SELECT 1 FROM orders WHERE status = 'executed' AND event = $1", [id('brief_event')]))
        .length === 0,
    { every_ms: 10 },
  )
  expect(Date.now() - due).toBeLessThan(2000)
  const statuses = await sql('SELECT DISTINCT status FROM tickets WHERE id = ANY($1)', [tickets])
  expect(statuses).toEqual([{ status: 'vacant' }])
  for (const { data } of orders.slice(0, 2)) {
    const { body } = await vendor.getOrder(data.id)
    expect([body.data.status, body.data.tickets, body.data.values['full'], body.data.expired_after]).toEqual([
      'expired',
      [],
      '0.00',
      data.expired_after,
    ])
  }
  const again = await vendor.createOrder({
    event: id('brief_event'),
    random: { [id('brief_event_standing')]: 50 },
  })
  expect(idsOf(again.body)).toHaveLength(50)
})

test('paid, cancelled and running orders are left alone', async () => {
  const create = async () =>
    (await vendor.createOrder({ event: id('brief_event'), random: { [id('brief_event_standing')]: 1 } })).body
      .data.id
  const [paid, cancelled, running] = [await create(), await create(), await create()]
  await vendor.changeOrder(paid, { status: 'done' })
  await vendor.changeOrder(cancelled, { status: 'cancelled' })
  await world.client('salespoint').send('POST', '/v2/services/payments', { body: { order: running } })
  const unpaid = await create()
  await waitUntil(async () => (await vendor.getOrder(unpaid)).body.data.status === 'expired')
  const states = async (order: string) => (await vendor.getOrder(order)).body.data.status
  expect([await states(paid), await states(cancelled), await states(running)]).toEqual([
    'done',
    'cancelled',
    'in_progress',
  ])
})
