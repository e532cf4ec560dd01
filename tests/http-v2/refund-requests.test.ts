import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/client.ts'
import { lifetime, makeCatalog, makeDeal, makeEvent, makeSet } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { stalledBy } from '../support/stall.ts'

const usual = makeCatalog()
const DAY_H = 24
const inDays = (days: number) => lifetime(days * DAY_H + 1, days * DAY_H + 4)

const world = await openOrderWorld({
  document: {
    ...usual,
    events: [
      ...(usual['events'] as object[]),
      makeEvent('law_10', { refund_policy: 'law_ru_193', lifetime: inDays(10) }),
      makeEvent('law_5', { refund_policy: 'law_ru_193', lifetime: inDays(5) }),
      makeEvent('law_3', { refund_policy: 'law_ru_193', lifetime: inDays(3) }),
      makeEvent('law_2', { refund_policy: 'law_ru_193', lifetime: inDays(2) }),
      makeEvent('stepped', {
        refund_policy: [
          { days: 5, percent: '12.5%' },
          { days: 20, percent: '99.9999%' },
        ],
        lifetime: inDays(10),
      }),
      makeEvent('started', { lifetime: lifetime(-1, 3) }),
      makeEvent('ending'),
      makeEvent('called_off'),
      makeEvent('small', { sets: [makeSet('small_standing', { amount: 3 })] }),
      makeEvent('odd', { sets: [makeSet('odd_standing', { price: '0.37' })] }),
      makeEvent('guarded'),
      makeEvent('keyed', {
        sets: [makeSet('keyed_standing'), makeSet('keyed_closed', { promokey_required: true })],
        promokeys: [{ code: 'closed', sets: ['keyed_closed'], limit: 2 }],
        custom_fields: [{ ref: 'who', scope: 'ticket', kind: 'text', name: 'Who' }],
      }),
    ],
    deals: [
      ...(usual['deals'] as object[]),
      makeDeal('guarded_deal', {
        org: 'org',
        vendor: 'stranger',
        events: ['guarded'],
        refund_approval: 'org',
      }),
    ],
    keys: [
      ...(usual['keys'] as object[]),
      { name: 'no_refunds', partner: 'vendor', permissions: ['orders', 'events'] },
    ],
  },
})
const { id, seats } = world
const { sql } = world.database
const vendor = world.client('vendor')
const org = world.client('org')
type Client = typeof vendor

type RefundData = {
  id: string
  status: string
  created_at: string
  finished_at: string | null
  requested_at: string
  refund_nominal: string
  customer_money: string
  policy: string
  order: string
  tickets: string[]
}
type Refs = Record<string, Record<string, Record<string, unknown>>>
type RefundBody = { data: RefundData; refs: Refs; errors?: string[] }
type RefundList = {
  data: RefundData[]
  pagination: { page: number; page_size: number; total: number }
  total_count: number
  refs: Refs
}

const PATH = '/v2/resources/refund_requests'
const create = (client: Client, body: unknown) => client.send<RefundBody>('POST', PATH, { body })
const decide = (client: Client, request: string, status: string) =>
  client.send<RefundBody>('PATCH', `${PATH}/${request}`, { body: { status } })
const refusalOf = ({ status, body }: Answer<RefundBody>) => [status, body.errors]

/** A done order of so many standing places. */
async function sell(event: string, count = 1, client = vendor) {
  const set =
    event === 'event' || event === 'other_event' ? event.replace('event', 'standing') : `${event}_standing`
  const body = { event: id(event), random: { [id(set)]: count } }
  const { data } = (await client.createOrder(body)).body
  const done = await client.changeOrder(data.id, { status: 'done' })
  expect(done.status).toBe(200)
  return { id: data.id, tickets: done.body.data.tickets.map((ticket) => ticket.id), data: done.body.data }
}

async function requested(event: string, { count = 1, culprit = 'user', client = vendor } = {}) {
  const order = await sell(event, count, client)
  const { status, body } = await create(client, { order: order.id, culprit, tickets: order.tickets })
  expect([status, body.errors]).toEqual([200, undefined])
  return { order, request: body.data }
}

async function balances(): Promise<{ vendor: number; org: number }> {
  const rows = await sql(
    `SELECT partner, balance FROM accounts WHERE (partner, kind) IN (($1, 'vendor'), ($2, 'org'))`,
    [id('vendor'), id('org')],
  )
  const of = (partner: string) => Number(rows.find((row) => row['partner'] === id(partner))?.['balance'])
  return { vendor: of('vendor'), org: of('org') }
}

describe('a request', () => {
  test('is answered with its record and what it names', async () => {
    const { body: made } = await vendor.createOrder({ event: id('event'), tickets: seats.slice(0, 2) })
    const { body: sold } = await vendor.changeOrder(made.data.id, { status: 'done' })
    const { status, body } = await create(vendor, {
      order: made.data.id,
      culprit: 'user',
      tickets: [seats[1], seats[1]],
    })
    expect(status).toBe(200)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: 'new',
      culprit: 'user',
      created_at: time,
      finished_at: null,
      requested_at: body.data.created_at,
      refund_nominal: '500.00',
      delta: '500.00',
      customer_money: '500.00',
      event: id('event'),
      org: id('org'),
      order: made.data.id,
      policy: 'general',
      tickets: [seats[1]],
      vendor: id('vendor'),
    })
    expect(body.data.id.slice(8, 12)).toBe(id('event').slice(8, 12))
    const ticket = sold.data.tickets[1]
    expect(body.refs).toEqual({
      events: { [id('event')]: sold.refs['events']?.[id('event')] },
      orders: {
        [made.data.id]: { id: made.data.id, number: sold.data.number, code: sold.data.code },
      },
      partners: {
        [id('org')]: { id: id('org'), name: 'Partner org' },
        [id('vendor')]: { id: id('vendor'), name: 'Partner vendor' },
      },
      tickets: {
        [String(seats[1])]: {
          id: seats[1],
          serial: ticket?.serial,
          number: ticket?.number,
          set: id('seats'),
          seat: ticket?.seat,
          barcode: ticket?.barcode,
          price: '500.00',
          nominal: '500.00',
          discount: '0.00',
          extra: '20.00',
          full: '520.00',
          refund_nominal: '500.00',
        },
      },
    })
    expect((await vendor.getOrder(made.data.id)).body).toEqual(sold)
  })

  test('is taken with a slash at the end of the path', async () => {
    const order = await sell('event')
    const body = { order: order.id, culprit: 'user', tickets: order.tickets }
    expect((await vendor.send('POST', `${PATH}/`, { body })).status).toBe(200)
  })

  test('may come from the organizer', async () => {
    const order = await sell('event')
    const { status, body } = await create(org, { order: order.id, culprit: 'org', tickets: order.tickets })
    expect([status, body.data.customer_money]).toEqual([200, '156.00'])
  })

  const SOME_ID = '0123456789abcdef01234567'
  const good = { order: SOME_ID, culprit: 'user', tickets: [SOME_ID] }
  test.each<[object, string[]]>([
    [{}, ['order is required', 'culprit is required', 'tickets is required']],
    [{ ...good, order: 5 }, ['order must be an objectid']],
    [{ ...good, order: null }, ['order must be an objectid']],
    [
      { ...good, culprit: 'seller' },
      ["culprit Value 'seller' not in list of avaiable values ['user', 'org']"],
    ],
    [{ ...good, culprit: 7 }, ["culprit Value '7' not in list of avaiable values ['user', 'org']"]],
    [
      { ...good, culprit: 'x'.repeat(10_000) },
      [`culprit Value '${'x'.repeat(64)}' not in list of avaiable values ['user', 'org']`],
    ],
    [{ ...good, tickets: [] }, ['tickets list length is less than 1']],
    [{ ...good, tickets: 'all' }, ['tickets must be a list']],
    [
      { ...good, tickets: [SOME_ID, 'x', {}] },
      ['tickets[1] must be an objectid', 'tickets[2] must be an objectid'],
    ],
    [{ ...good, tickets: Array(1001).fill(SOME_ID) }, ['tickets must have at most 1000 ids']],
    [{ ...good, requested_at: 'yesterday' }, ['requested_at must be an ISO 8601 date-time']],
    [{ ...good, requested_at: 1 }, ['requested_at must be an ISO 8601 date-time']],
  ])('with wrong fields: %j', async (body, errors) => {
    expect(refusalOf(await create(vendor, body))).toEqual([400, errors])
  })

  test('without a body', async () => {
    expect((await vendor.send('POST', PATH)).status).toBe(400)
  })

  test('of an order that is not there, or of somebody else', async () => {
    const order = await sell('event')
    const other = await sell('other_event')
    const ask = (client: Client, of: string) =>
      create(client, { order: of, culprit: 'user', tickets: order.tickets })
    for (const [client, of] of [
      [vendor, SOME_ID],
      [world.client('stranger'), order.id],
      [world.client('other_org'), order.id],
      [world.client('one_event'), other.id],
    ] as const)
      expect(refusalOf(await ask(client, of))).toEqual([400, [`Order ${of} not found`]])
  })

  test('of an order that is not done', async () => {
    const body = { event: id('event'), random: { [id('standing')]: 1 } }
    const { data } = (await vendor.createOrder(body)).body
    const tickets = data.tickets.map((ticket) => ticket.id)
    const ask = async () => refusalOf(await create(vendor, { order: data.id, culprit: 'user', tickets }))
    expect(await ask()).toEqual([400, [`wrong order (id: ${data.id}) status: executed`]])
    await sql(`UPDATE orders SET expired_after = now() WHERE id = $1`, [data.id])
    expect(await ask()).toEqual([400, [`wrong order (id: ${data.id}) status: expired`]])
    await sql(`UPDATE orders SET expired_after = now() + interval '1 minute' WHERE id = $1`, [data.id])
    await sql(
      `UPDATE tickets SET reserved_till = expired_after FROM orders o WHERE o.id = $1 AND "order" = o.id`,
      [data.id],
    )
    await vendor.changeOrder(data.id, { status: 'cancelled' })
    expect(await ask()).toEqual([400, [`wrong order (id: ${data.id}) status: cancelled`]])
  })

  test('of tickets that the order does not have', async () => {
    const [one, other] = [await sell('event'), await sell('event')]
    const tickets = [...one.tickets, ...other.tickets]
    const answer = await create(vendor, { order: one.id, culprit: 'user', tickets })
    expect(refusalOf(answer)).toEqual([400, ['bad tickets']])
  })

  test('of tickets that another request has, until that is rejected', async () => {
    const { order, request } = await requested('event', { count: 2 })
    const again = { order: order.id, culprit: 'org', tickets: order.tickets.slice(1) }
    expect(refusalOf(await create(vendor, again))).toEqual([
      400,
      ['Some tickets already use in another refund request'],
    ])
    await decide(vendor, request.id, 'rejected')
    expect((await create(vendor, again)).status).toBe(200)
  })

  test('of an order that has no ticket left', async () => {
    const { order, request } = await requested('event')
    await decide(vendor, request.id, 'approved')
    const answer = await create(vendor, { order: order.id, culprit: 'user', tickets: order.tickets })
    expect(refusalOf(answer)).toEqual([400, ['Empty tickets for refund']])
  })
})

describe('what is paid back', () => {
  test.each([
    ['event', 'user', 'general', '150.00', '150.00'],
    ['event', 'org', 'general', '150.00', '156.00'],
    ['law_10', 'user', 'law_ru_193', '150.00', '150.00'],
    ['law_5', 'user', 'law_ru_193', '75.00', '75.00'],
    ['law_3', 'user', 'law_ru_193', '45.00', '45.00'],
    ['law_3', 'org', 'law_ru_193', '150.00', '156.00'],
    ['law_2', 'org', 'law_ru_193', '150.00', '156.00'],
    ['stepped', 'user', 'schedule', '18.75', '18.75'],
    ['started', 'org', 'general', '150.00', '156.00'],
  ])('%s, culprit %s', async (...[event, culprit, policy, refund_nominal, customer_money]) => {
    const { request } = await requested(event, { culprit })
    expect(request).toMatchObject({ policy, refund_nominal, customer_money })
  })

  test.each([
    ['started', 'Operation failed: Event started, and no after_event_start setting.'],
    ['law_2', 'No reason nor lower_minimal_days setting'],
  ])('nothing: %s', async (event, message) => {
    const order = await sell(event)
    const answer = await create(vendor, { order: order.id, culprit: 'user', tickets: order.tickets })
    expect(refusalOf(answer)).toEqual([400, [message]])
  })

  test('counts from when the buyer asked', async () => {
    const order = await sell('law_10', 2)
    // A day has gone by since the buyer asked, and the event is in nine days and an hour.
    await sql(`UPDATE orders SET done_at = done_at - interval '2 days' WHERE id = $1`, [order.id])
    await sql(
      `UPDATE events SET start = start - interval '1 day', finish = finish - interval '1 day' WHERE id = $1`,
      [id('law_10')],
    )
    const ask = (ticket: string | undefined, hours_ago: number) => {
      const requested_at = new Date(Date.now() - hours_ago * 3_600_000).toISOString()
      return create(vendor, { order: order.id, culprit: 'user', tickets: [ticket], requested_at })
    }
    expect((await ask(order.tickets[0], 24)).body.data.refund_nominal).toBe('150.00')
    expect((await ask(order.tickets[1], 1)).body.data.refund_nominal).toBe('75.00')
    expect(refusalOf(await ask(order.tickets[0], -1))).toEqual([
      400,
      ['Some tickets already use in another refund request'],
    ])
  })

  test('asked for in the future, or before the order was done', async () => {
    const { id: order, tickets, data } = await sell('event')
    const ask = (requested_at: string) => create(vendor, { order, culprit: 'user', tickets, requested_at })
    expect(refusalOf(await ask('2999-01-01'))).toEqual([400, ['requested_at must not be in the future']])
    expect(refusalOf(await ask('2020-01-01'))).toEqual([
      400,
      ['requested_at must not be before the order was done'],
    ])
    const { status, body } = await ask(String(data.done_at))
    expect([status, body.data.requested_at]).toEqual([200, data.done_at])
  })
})

describe('approval', () => {
  test('takes the tickets out of the order, puts them on sale and gives the share back', async () => {
    const before = await balances()
    const order = await sell('small', 3)
    const [first, ...rest] = order.tickets
    const { body: asked } = await create(vendor, { order: order.id, culprit: 'org', tickets: [first] })
    const { status, body } = await decide(vendor, asked.data.id, 'approved')
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...asked.data,
      status: 'approved',
      finished_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    })
    expect(body.refs).toEqual(asked.refs)

    const { data } = (await vendor.getOrder(order.id)).body
    expect(data.tickets.map((ticket) => ticket.id)).toEqual(rest)
    expect([data.status, data.code]).toEqual(['done', order.data.code])
    expect(data.values).toMatchObject({ price: '300.00', nominal: '300.00', extra: '12.00', full: '312.00' })
    expect(await sql('SELECT status, "order", barcode, price FROM tickets WHERE id = $1', [first])).toEqual([
      { status: 'vacant', order: null, barcode: null, price: null },
    ])
    expect(
      await sql('SELECT vacant, held, sold FROM set_counts WHERE "set" = $1', [id('small_standing')]),
    ).toEqual([{ vacant: 1, held: 0, sold: 2 }])
    expect(await balances()).toEqual({ vendor: before.vendor - 2 * 14_250, org: before.org + 2 * 14_250 })
    expect(await sql('SELECT kind, amount FROM transfers WHERE ref = $1', [asked.data.id])).toEqual([
      { kind: 'refund', amount: 14_250 },
    ])

    const again = await sell('small', 1)
    expect(again.tickets).toEqual([first])
    expect(again.data.tickets[0]?.barcode).not.toBe(order.data.tickets[0]?.barcode)
    const { body: resold } = await create(vendor, { order: again.id, culprit: 'user', tickets: [first] })
    expect((await decide(vendor, resold.data.id, 'approved')).status).toBe(200)
    const by_id = await vendor.createOrder({ event: id('small'), tickets: [first] })
    expect(by_id.body.data.tickets.map((ticket) => ticket.id)).toEqual([first])
  })

  test('of a part of the money gives back that part of the share', async () => {
    const before = await balances()
    const { request } = await requested('stepped', { count: 2 })
    await decide(vendor, request.id, 'approved')
    // 95 % of 150.00 went to the organizer; 12.5 % of 150.00, and 95 % of that, half to even, came back: 17.8125.
    const kept = 2 * (14_250 - 1781)
    expect(await balances()).toEqual({ vendor: before.vendor - kept, org: before.org + kept })
  })

  test('of all tickets, in several requests, gives back what was charged', async () => {
    const before = await balances()
    const { id: order, tickets } = await sell('odd', 3)
    for (const some of [tickets.slice(0, 1), tickets.slice(1)]) {
      const { body } = await create(vendor, { order, culprit: 'user', tickets: some })
      expect((await decide(vendor, body.data.id, 'approved')).status).toBe(200)
    }
    expect(await balances()).toEqual(before)
    const { data } = (await vendor.getOrder(order)).body
    expect([data.status, data.tickets]).toEqual(['done', []])
    expect(data.values).toMatchObject({ price: '0.00', full: '0.00' })
  })

  test('gives back the place under a promokey, and drops what was said of the ticket', async () => {
    const made = await vendor.createOrder({
      event: id('keyed'),
      promokey: 'closed',
      random: { [id('keyed_standing')]: 1, [id('keyed_closed')]: 2 },
    })
    const { tickets } = made.body.data
    const fields = [{ id: id('who'), value: 'Ann' }]
    const of_tickets = tickets.map((ticket) => ({ ticket: ticket.id, fields }))
    const done = await vendor.changeOrder(made.body.data.id, {
      custom_fields: { tickets: of_tickets },
      status: 'done',
    })
    expect(done.body.errors).toBeUndefined()
    const taken = async () =>
      (await sql('SELECT taken FROM promokeys WHERE event = $1', [id('keyed')]))[0]?.['taken']
    expect(await taken()).toBe(2)
    const gone = [id('keyed_standing'), id('keyed_closed')].map(
      (set) => tickets.find((one) => one.set === set)?.id,
    )
    const { body } = await create(vendor, { order: made.body.data.id, culprit: 'user', tickets: gone })
    expect((await decide(vendor, body.data.id, 'approved')).status).toBe(200)
    expect(await taken()).toBe(1)
    const { data } = (await vendor.getOrder(made.body.data.id)).body
    expect(data).toMatchObject({
      custom_fields: { tickets: of_tickets.filter(({ ticket }) => !gone.includes(ticket)) },
    })
  })

  test("of the organizer's own sale moves no money", async () => {
    const { request } = await requested('event', { client: org })
    expect((await decide(org, request.id, 'approved')).body.data.status).toBe('approved')
    expect(await sql('SELECT 1 FROM transfers WHERE ref = $1', [request.id])).toEqual([])
  })

  test('is told to those who have webhooks', async () => {
    const webhook = '0123456789abcdef00000001'
    await sql(`INSERT INTO webhooks (id, partner, url, secret) VALUES ($1, $2, 'https://example.org', '')`, [
      webhook,
      id('org'),
    ])
    const { request } = await requested('event')
    await decide(vendor, request.id, 'approved')
    await sql('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [webhook])
    const told = await sql(
      `SELECT type, record->>'id' AS request, record->>'status' AS status FROM notifications
       WHERE partner = $1 AND type LIKE 'refund%' ORDER BY id`,
      [id('org')],
    )
    expect(told).toEqual([
      { type: 'refund_request_created', request: request.id, status: 'new' },
      { type: 'refund_request_approved', request: request.id, status: 'approved' },
    ])
  })
})

describe('a decision', () => {
  test('to reject changes nothing else', async () => {
    const { order, request } = await requested('event')
    const before = await balances()
    const { status, body } = await decide(vendor, request.id, 'rejected')
    expect([status, body.data]).toEqual([
      200,
      { ...request, status: 'rejected', finished_at: body.data.finished_at },
    ])
    expect(body.data.finished_at).not.toBeNull()
    expect(await balances()).toEqual(before)
    expect((await vendor.getOrder(order.id)).body.data).toEqual(order.data)
  })

  test('is made once', async () => {
    for (const first of ['approved', 'rejected'] as const) {
      const { request } = await requested('event')
      await decide(vendor, request.id, first)
      for (const second of ['approved', 'rejected'])
        expect(refusalOf(await decide(vendor, request.id, second))).toEqual([
          400,
          [`Incorrect status ${first} for this operation`],
        ])
    }
  })

  test('may be made on a request that is in progress', async () => {
    const { request } = await requested('event')
    await sql(`UPDATE refund_requests SET status = 'in_progress' WHERE id = $1`, [request.id])
    expect((await decide(org, request.id, 'approved')).body.data.status).toBe('approved')
  })

  test.each<[object, string]>([
    [{}, 'status is required'],
    [{ status: 'new' }, "status Value 'new' not in list of avaiable values ['approved', 'rejected']"],
    [{ status: null }, "status Value 'null' not in list of avaiable values ['approved', 'rejected']"],
  ])('%j', async (body, message) => {
    const { request } = await requested('event')
    const answer = await vendor.send<RefundBody>('PATCH', `${PATH}/${request.id}`, { body })
    expect(refusalOf(answer)).toEqual([400, [message]])
  })

  test("of another partner's request, or of none", async () => {
    const { request } = await requested('event')
    const { request: other } = await requested('other_event')
    for (const [client, of] of [
      [vendor, '0123456789abcdef01234567'],
      [vendor, 'nonsense'],
      [world.client('stranger'), request.id],
      [world.client('other_org'), request.id],
      [world.client('one_event'), other.id],
    ] as const)
      expect(refusalOf(await decide(client, of, 'approved'))).toEqual([404, ['Refund request not found']])
  })

  test('is the organizer’s where the deal says so', async () => {
    const stranger = world.client('stranger')
    const { request } = await requested('guarded', { client: stranger })
    for (const status of ['approved', 'rejected'])
      expect(refusalOf(await decide(stranger, request.id, status))).toEqual([
        403,
        ['only the organizer may approve or reject this refund request'],
      ])
    expect((await decide(org, request.id, 'approved')).status).toBe(200)
  })

  test('needs the permission', async () => {
    const { request } = await requested('event')
    const client = world.client('no_refunds')
    const refusal = [403, ['the key lacks the permission refunds']]
    expect(refusalOf(await decide(client, request.id, 'approved'))).toEqual(refusal)
    expect(refusalOf(await create(client, {}))).toEqual(refusal)
    expect(refusalOf(await client.get<RefundBody>(PATH))).toEqual(refusal)
  })

  test('to approve comes too late when the event is over', async () => {
    const { request } = await requested('ending')
    await sql(
      `UPDATE events SET start = now() - interval '3 hours', finish = now() - interval '1 second' WHERE id = $1`,
      [id('ending')],
    )
    const refusal = [400, ['Not allowed to approve refund for finished event']]
    expect(refusalOf(await decide(vendor, request.id, 'approved'))).toEqual(refusal)
    await sql(`UPDATE events SET status = 'finished', finish = now() + interval '1 hour' WHERE id = $1`, [
      id('ending'),
    ])
    expect(refusalOf(await decide(vendor, request.id, 'approved'))).toEqual(refusal)
    expect((await decide(vendor, request.id, 'rejected')).status).toBe(200)
  })

  test('to approve never comes too late when the event was cancelled', async () => {
    const { request } = await requested('called_off')
    await sql(
      `UPDATE events SET status = 'cancelled', start = now() - interval '3 hours', finish = now() - interval '1 hour'
       WHERE id = $1`,
      [id('called_off')],
    )
    expect((await decide(vendor, request.id, 'approved')).status).toBe(200)
  })

  test('is refused while another request on the order is running', async () => {
    const { order, request } = await requested('event', { count: 2 })
    const conflict = [409, ['Conflict: another request to this order is running']]
    const lock: [string, unknown[]] = ['SELECT 1 FROM orders WHERE id = $1 FOR UPDATE', [order.id]]
    await stalledBy(world.database, lock, async () => {
      expect(refusalOf(await decide(vendor, request.id, 'approved'))).toEqual(conflict)
      const body = { order: order.id, culprit: 'user', tickets: order.tickets }
      expect(refusalOf(await create(vendor, body))).toEqual(conflict)
      expect((await decide(world.client('stranger'), request.id, 'approved')).status).toBe(404)
    })
    expect((await decide(vendor, request.id, 'approved')).status).toBe(200)
  })
})

describe('the list', () => {
  const list = async (client: Client, query = '') => {
    const answer = await client.get<RefundList & { errors?: string[] }>(`${PATH}?${query}`)
    return answer.status === 200 ? answer.body : answer.body.errors
  }
  const idsOf = (body: Awaited<ReturnType<typeof list>>) =>
    (body as RefundList).data.map((request) => request.id)

  test('has what the caller sold and what is of its events, newest first', async () => {
    const made = [(await requested('event')).request, (await requested('other_event')).request]
    const { request: own } = await requested('event', { client: org })
    const of_vendor = idsOf(await list(vendor))
    const of_org = idsOf(await list(org))
    const newest = (ids: string[]) => ids.toSorted().toReversed()
    expect(of_vendor).toEqual(newest(of_vendor))
    expect(of_org).toEqual(newest(of_org))
    expect(of_vendor).toEqual(expect.arrayContaining(made.map((request) => request.id)))
    expect(of_vendor).not.toContain(own.id)
    expect(of_org).toEqual(expect.arrayContaining([made[0]?.id, own.id]))
    expect(of_org).not.toContain(made[1]?.id)
    expect(idsOf(await list(world.client('poor')))).toEqual([])
    const of_one_event = (await list(world.client('one_event'))) as RefundList
    expect(Object.keys(of_one_event.refs['events'] ?? {})).toEqual([id('event')])
  })

  test('has the records and what they name', async () => {
    const { order, request } = await requested('event', { count: 2 })
    const body = (await list(vendor, `page_size=1`)) as RefundList
    const newest = (await list(vendor, 'page_size=200')) as RefundList
    expect(newest.data).toContainEqual(request)
    expect(body.data).toEqual(newest.data.slice(0, 1))
    expect(newest.refs['orders']?.[order.id]).toEqual({
      id: order.id,
      number: order.data.number,
      code: order.data.code,
    })
    for (const ticket of order.tickets) expect(newest.refs['tickets']).toHaveProperty(ticket)
  })

  test('comes in pages', async () => {
    const whole = (await list(vendor, 'page_size=200')) as RefundList
    const { length } = whole.data
    expect(whole.pagination).toEqual({ page: 1, page_size: 200, total: 1 })
    expect(whole.total_count).toBe(length)
    const pages = Math.ceil(length / 3)
    const paged: string[] = []
    for (let page = 1; page <= pages; page++)
      paged.push(...idsOf(await list(vendor, `page=${page}&page_size=3`)))
    expect(paged).toEqual(idsOf(whole))
    expect(await list(vendor, `page=${pages + 1}&page_size=3`)).toMatchObject({
      data: [],
      pagination: { page: pages + 1, page_size: 3, total: pages },
      total_count: length,
      refs: { events: {}, orders: {}, partners: {}, tickets: {} },
    })
    expect(((await list(vendor)) as RefundList).pagination).toMatchObject({ page: 1, page_size: 50 })
  })

  test('is filtered', async () => {
    const { request } = await requested('law_3')
    const { request: rejected } = await requested('law_5')
    const { finished_at } = (await decide(vendor, rejected.id, 'rejected')).body.data
    const shown = await list(vendor, `events=${id('law_5')}&finished_at=${finished_at},${finished_at}`)
    expect(idsOf(shown)).toEqual([rejected.id])
    await sql(
      `UPDATE refund_requests SET created_at = '2020-05-05 10:00:00Z', requested_at = '2020-05-05' WHERE id = $1`,
      [request.id],
    )
    await sql(`UPDATE refund_requests SET finished_at = '2030-01-01 10:00:00Z' WHERE id = $1`, [rejected.id])
    const both = `events=${id('law_3')},${id('law_5')}`
    for (const [query, ids] of [
      ['created_at=,2020-05-05T10:00:00.000Z', [request.id]],
      ['created_at=2020-05-05T10:00:00Z,2020-05-05T10:00:00Z', [request.id]],
      ['created_at=2020-05-05T10:00:01Z,2020-06-05', []],
      ['finished_at=2030-01-01 13:00:00%2B03:00,', [rejected.id]],
      [`finished_at=2031-01-01,&${both}`, []],
      [`${both}&status=rejected&finished_at=2030-01-01,`, [rejected.id]],
      [`${both}&status=new&created_at=,2020-06-01`, [request.id]],
      [`${both}&status=new&status=rejected&created_at=,2020-06-01`, [request.id]],
      ['events=0123456789abcdef01234567', []],
    ] as const)
      expect([query, idsOf(await list(vendor, query))]).toEqual([query, ids])
  })

  test.each([
    ['page=0', 'page must be an integer from 1 to 1000000000'],
    ['page_size=201', 'page_size must be an integer from 1 to 200'],
    ['status=lost', 'status must be one of new, in_progress, approved, rejected'],
    ['events=x', 'events must be ids of 24 lower-case hex digits'],
    ['created_at=2020-01-01', 'created_at must be from,to'],
    [
      'state=new',
      'state is not a parameter of this list; it takes created_at, finished_at, events, status, page, page_size',
    ],
    ['finished_at=a,b', 'finished_at must be from,to of ISO 8601 date-times'],
  ])('with a wrong parameter: %s', async (query, message) => {
    expect(await list(vendor, query)).toEqual([message])
  })
})
