import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient, type Answer, type Client, type OrderData } from '../support/client.ts'
import { makeCatalog, makeEvent, makeSet } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const usual = makeCatalog()
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [
      ...(usual['events'] as object[]),
      makeEvent('scarce_event', { sets: [makeSet('scarce', { amount: 2 })] }),
      makeEvent('reduced_event', { sets: [makeSet('reduced')], promotions: [{ fix: '50.00' }] }),
      makeEvent('asking_event', {
        sets: [makeSet('asking')],
        custom_fields: [{ ref: 'born', scope: 'order', kind: 'date', name: 'Date of birth', required: true }],
      }),
    ],
    keys: [
      ...(usual['keys'] as object[]),
      { name: 'widget', partner: 'vendor', origin: 'widget' },
      { name: 'poor_widget', partner: 'poor', origin: 'widget' },
    ],
  },
  parts: ['api', 'jobs'],
})
const elsewhere = await startService({ database: world.database, parts: ['api'] })
const { id } = world
const { sql } = world.database
const widget = world.client('widget')
const UNKNOWN = '0123456789abcdef01234567'
const PATH = '/v2/services/payments'

type PaymentBody = {
  data: {
    id: string
    order: string
    status: string
    created_at: string
    finished_at?: string
    confirm_till?: string
  }
  refs: { orders: Record<string, OrderData> }
  errors?: string[]
}
const begin = (order: unknown, client: Client = widget, headers?: Record<string, string>) =>
  client.send<PaymentBody>('POST', PATH, { body: { order }, ...(headers && { headers }) })
const answer = (payment: string, status: unknown, client: Client = widget) =>
  client.send<PaymentBody>('PATCH', `${PATH}/${payment}`, { body: { status } })
const refusal = ({ status, body }: Answer<PaymentBody>) => [status, body.errors]
const hold = async (set = 'standing', event = 'event', client = widget) =>
  (await client.createOrder({ event: id(event), random: { [id(set)]: 2 } })).body.data
const stateOf = async (order: string) => (await widget.getOrder(order)).body.data.status

/** Lets the time for the answer be over, and the job come by. */
async function expire(order: string): Promise<void> {
  await sql("UPDATE orders SET payment_till = now() - interval '1 second' WHERE id = $1", [order])
  await waitUntil(
    async () =>
      (await sql("SELECT 1 FROM orders WHERE id = $1 AND status = 'expired'", [order])).length === 1,
  )
}

describe('an outside payment', () => {
  test('is begun once, holds the tickets 30 minutes longer, and leaves only cancelling', async () => {
    const order = await hold()
    const { status, body } = await begin(order.id)
    expect(status).toBe(200)
    const till = new Date(Date.parse(`${order.expired_after.replace(' ', 'T')}Z`) + 30 * 60_000)
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      order: order.id,
      status: 'pending',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      confirm_till: till.toISOString().slice(0, 19).replace('T', ' '),
    })
    expect(body.refs.orders[order.id]).toMatchObject({
      status: 'in_progress',
      expired_after: order.expired_after,
    })
    expect((await begin(order.id)).body.data).toEqual(body.data)
    expect((await widget.changeOrder(order.id, { random: {} })).body.errors).toEqual([
      'Allow update the only status to cancelled',
    ])
    // The hold has ended by its own clock, and lasts.
    await sql("UPDATE orders SET expired_after = now() - interval '1 minute' WHERE id = $1", [order.id])
    await sql(
      `UPDATE tickets SET reserved_till = (SELECT expired_after FROM orders WHERE id = $1) WHERE "order" = $1`,
      [order.id],
    )
    expect(await stateOf(order.id)).toBe('in_progress')
    const done = await answer(body.data.id, 'confirmed')
    expect([done.status, done.body.data.status, done.body.refs.orders[order.id]?.status]).toEqual([
      200,
      'confirmed',
      'done',
    ])
  })

  test('confirmed completes the order as done would; said again it changes nothing', async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    const first = await answer(data.id, 'confirmed')
    expect(first.body.refs.orders[order.id]).toMatchObject({
      status: 'done',
      code: expect.stringMatching(/^[a-z0-9]{8}$/),
      tickets: [
        { barcode: expect.stringMatching(/^\d{17}$/) },
        { barcode: expect.stringMatching(/^\d{17}$/) },
      ],
    })
    expect((await answer(data.id, 'confirmed')).body).toEqual(first.body)
    expect(await sql('SELECT amount FROM transfers WHERE ref = $1', [order.id])).toEqual([{ amount: 28_500 }])
    expect(refusal(await answer(data.id, 'failed'))).toEqual([
      400,
      ['Incorrect status confirmed for this operation'],
    ])
  })

  test('failed cancels the order; said again it changes nothing', async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    const first = await answer(data.id, 'failed')
    expect([first.body.data.status, first.body.refs.orders[order.id]?.status]).toEqual([
      'failed',
      'cancelled',
    ])
    expect((await answer(data.id, 'failed')).body).toEqual(first.body)
    expect(refusal(await answer(data.id, 'confirmed'))).toEqual([
      400,
      ['Incorrect status failed for this operation'],
    ])
  })

  test('cancelling the order fails its payment', async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    expect((await widget.changeOrder(order.id, { status: 'cancelled' })).body.data.status).toBe('cancelled')
    expect((await answer(data.id, 'failed')).body.data.status).toBe('failed')
  })

  test('an unanswered one expires with its order, and so it is shown before the job comes by', async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    await expire(order.id)
    expect(await sql('SELECT status FROM payments WHERE id = $1', [data.id])).toEqual([{ status: 'expired' }])
    expect((await answer(data.id, 'failed')).body.data.status).toBe('expired')
    expect(refusal(await begin(order.id))).toEqual([400, ['Not allow to update order in status expired']])
  })

  test('a late confirmation takes the same tickets again, at the price that was paid', async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    await expire(order.id)
    await sql('UPDATE sets SET price = 99900 WHERE id = $1', [id('standing')])
    const late = await answer(data.id, 'confirmed', createClient(elsewhere.base_url, world.key('widget')))
    const shown = late.body.refs.orders[order.id]
    expect([late.status, late.body.data.status, shown?.status]).toEqual([200, 'confirmed', 'done'])
    expect(shown?.tickets.map((ticket) => ticket.id).toSorted()).toEqual(
      order.tickets.map((ticket) => ticket.id).toSorted(),
    )
    expect(shown?.values['price']).toBe('300.00')
    expect((await answer(data.id, 'confirmed')).body.data.status).toBe('confirmed')
    await sql('UPDATE sets SET price = 15000 WHERE id = $1', [id('standing')])
  })

  test('a late confirmation leaves the discount that was paid for, though its promotion has gone', async () => {
    const order = await hold('reduced', 'reduced_event')
    const { data } = (await begin(order.id)).body
    await expire(order.id)
    await sql('DELETE FROM promotions WHERE event = $1', [id('reduced_event')])
    await sql("SELECT pg_notify('catalog', '')")
    await waitUntil(async () => {
      const { values } = (await widget.createOrder({ event: id('reduced_event') })).body.data
      return !JSON.stringify(values).includes('"discount":"50.00"')
    })
    const shown = (await answer(data.id, 'confirmed')).body.refs.orders[order.id]
    expect(shown?.values).toMatchObject({ price: '300.00', discount: '100.00', nominal: '200.00' })
    expect(await sql('SELECT amount FROM transfers WHERE ref = $1', [order.id])).toEqual([{ amount: 19_000 }])
  })

  test('a late confirmation is refused when one of the tickets is taken', async () => {
    const order = await hold('scarce', 'scarce_event')
    const { data } = (await begin(order.id)).body
    await expire(order.id)
    await widget.createOrder({ event: id('scarce_event'), random: { [id('scarce')]: 1 } })
    expect(refusal(await answer(data.id, 'confirmed'))).toEqual([
      400,
      ['The payment came too late: the hold has ended and some of the tickets are taken'],
    ])
    expect(await stateOf(order.id)).toBe('expired')
  })

  test('many confirmations at once, over two processes, complete the order once', async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    const clients = [widget, createClient(elsewhere.base_url, world.key('widget'))]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => answer(data.id, 'confirmed', clients[n % 2])),
    )
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(await stateOf(order.id)).toBe('done')
    expect(await sql('SELECT count(*)::integer AS n FROM transfers WHERE ref = $1', [order.id])).toEqual([
      { n: 1 },
    ])
  })

  test('an Idempotency-Key works here too', async () => {
    const order = await hold()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await begin(order.id, widget, headers)
    await answer(first.body.data.id, 'failed')
    expect((await begin(order.id, widget, headers)).body).toEqual(first.body)
  })
})

describe('refusals', () => {
  test('an order with nothing in it, or with a required field empty, is not to be paid for', async () => {
    const empty = (await widget.createOrder({ event: id('event') })).body.data.id
    expect(refusal(await begin(empty))).toEqual([400, ['there is no tickets in order']])
    const asking = await hold('asking', 'asking_event')
    expect(refusal(await begin(asking.id))).toEqual([400, ['Date of birth is required']])
  })

  test('a done order', async () => {
    const order = await hold()
    await widget.changeOrder(order.id, { status: 'done' })
    expect(refusal(await begin(order.id))).toEqual([400, ['Not allow to update order in status done']])
  })

  test('a confirmation without money leaves the payment pending', async () => {
    const poor = world.client('poor_widget')
    const order = await hold('standing', 'event', poor)
    const { data } = (await begin(order.id, poor)).body
    expect(refusal(await answer(data.id, 'confirmed', poor))).toEqual([
      400,
      ['Not enough money, contact to Partner poor manager'],
    ])
    expect((await begin(order.id, poor)).body.data).toEqual(data)
  })

  test('keys of the API', async () => {
    const order = await hold()
    const text = ['payments are for keys of the widget, the salespoint and the control panel']
    expect(refusal(await begin(order.id, world.client('vendor')))).toEqual([403, text])
    expect(refusal(await answer(UNKNOWN, 'failed', world.client('vendor')))).toEqual([403, text])
  })

  test("another partner's order and payment are as if they did not exist", async () => {
    const order = await hold()
    const { data } = (await begin(order.id)).body
    const poor = world.client('poor_widget')
    expect(refusal(await begin(order.id, poor))).toEqual([404, ['Order not found']])
    for (const payment of [data.id, UNKNOWN, 'x'])
      expect(refusal(await answer(payment, 'failed', poor))).toEqual([404, ['Payment not found']])
  })

  test.each<[unknown, string]>([
    [undefined, 'order is required'],
    [5, 'order must be an objectid'],
    ['x', 'order must be an objectid'],
  ])('order %j', async (order, text) => {
    expect(refusal(await begin(order))).toEqual([400, [text]])
  })

  test.each<[unknown, string]>([
    [undefined, 'status is required'],
    ['pending', 'status must be confirmed or failed'],
    [null, 'status must be confirmed or failed'],
  ])('status %j', async (status, text) => {
    const { data } = (await begin((await hold()).id)).body
    expect(refusal(await answer(data.id, status))).toEqual([400, [text]])
  })
})
