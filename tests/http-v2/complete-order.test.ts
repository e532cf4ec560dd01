import { describe, expect, test } from 'vitest'
import { importWorld, makeCatalog, makeDeal, makeEvent, makeSet, lifetime } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { waitUntil } from '../support/wait.ts'

const usual = makeCatalog()
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [
      ...(usual['events'] as object[]),
      makeEvent('priced_event', {
        sets: [
          makeSet('odd', { price: '0.25' }),
          makeSet('even', { price: '0.75' }),
          makeSet('free', { price: '0.00' }),
          makeSet('ruled', {
            price: '100.00',
            rules: [
              { lifetime: lifetime(-48, -24), price: '50.00' },
              { lifetime: lifetime(-24, 24), price: '80.00' },
              { lifetime: lifetime(24, 48), price: '90.00' },
            ],
          }),
          makeSet('dear', { price: '9999999.99' }),
        ],
      }),
    ],
    deals: [
      ...(usual['deals'] as object[]),
      makeDeal('half_deal', {
        org: 'org',
        vendor: 'stranger',
        org_share: '50%',
        agent: '50%',
        extra: '2%',
        events: ['priced_event'],
      }),
    ],
  },
})
const { id, seats } = world
const { sql } = world.database
const vendor = world.client('vendor')
const half = world.client('stranger')

const order = async (client: typeof vendor, event: string, random: Record<string, number>) =>
  (await client.createOrder({ event: id(event), random })).body.data

async function balanceOf(partner: string, kind: string): Promise<number> {
  const [row] = await sql('SELECT balance FROM accounts WHERE partner = $1 AND kind = $2', [
    id(partner),
    kind,
  ])
  return Number(row?.['balance'])
}

describe('completion', () => {
  test('gives barcodes, code and done_at, sells the tickets and charges the share of the organizer', async () => {
    const { id: order_id, expired_after } = (
      await vendor.createOrder({ event: id('event'), tickets: [seats[0], seats[1]] })
    ).body.data
    const before = [await balanceOf('vendor', 'vendor'), await balanceOf('org', 'org')]
    const { status, body } = await vendor.changeOrder(order_id, { status: 'done' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      status: 'done',
      done_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      code: expect.stringMatching(/^[a-z0-9]{8}$/),
      expired_after,
    })
    expect(body.data.tickets.map(({ barcode, status: of_ticket }) => [of_ticket, barcode])).toEqual([
      ['reserved', expect.stringMatching(/^\d{17}$/)],
      ['reserved', expect.stringMatching(/^\d{17}$/)],
    ])
    expect(new Set(body.data.tickets.map(({ barcode }) => barcode)).size).toBe(2)
    expect(await sql('SELECT status FROM tickets WHERE "order" = $1', [order_id])).toEqual([
      { status: 'sold' },
      { status: 'sold' },
    ])
    expect([await balanceOf('vendor', 'vendor'), await balanceOf('org', 'org')]).toEqual([
      (before[0] as number) - 95_000,
      (before[1] as number) + 95_000,
    ])
    expect(await sql('SELECT kind, amount FROM transfers WHERE ref = $1', [order_id])).toEqual([
      { kind: 'sale', amount: 95_000 },
    ])
    expect((await vendor.getOrder(order_id)).body).toEqual(body)
  })

  test('reservation and completion in one request', async () => {
    const { id: order_id } = await order(vendor, 'event', {})
    const { body } = await vendor.changeOrder(order_id, { random: { [id('vip')]: 1 }, status: 'done' })
    expect([body.data.status, body.data.tickets.length]).toEqual(['done', 1])
  })

  test('not enough money changes nothing, and with money it goes through', async () => {
    const poor = world.client('poor')
    const { id: order_id } = await order(poor, 'event', { [id('standing')]: 1 })
    const [before] = await sql('SELECT * FROM orders WHERE id = $1', [order_id])
    const refused = await poor.changeOrder(order_id, { random: { [id('standing')]: 2 }, status: 'done' })
    expect([refused.status, refused.body]).toEqual([
      400,
      { errors: ['Not enough money, contact to Partner poor manager'] },
    ])
    expect(await sql('SELECT * FROM orders WHERE id = $1', [order_id])).toEqual([before])
    expect(await sql('SELECT status, barcode FROM tickets WHERE "order" = $1', [order_id])).toEqual([
      { status: 'reserved', barcode: null },
    ])
    await importWorld(world.database, {
      accounts: [{ partner: id('poor'), deposit: '142.50', ref: 'just_enough' }],
    })
    expect((await poor.changeOrder(order_id, { status: 'done' })).body.data.status).toBe('done')
    expect(await balanceOf('poor', 'vendor')).toBe(0)
  })

  test('credit is money too', async () => {
    await importWorld(world.database, { accounts: [{ partner: id('poor'), credit_limit: '142.49' }] })
    const { id: order_id } = await order(world.client('poor'), 'event', { [id('standing')]: 1 })
    expect((await world.client('poor').changeOrder(order_id, { status: 'done' })).status).toBe(400)
    await importWorld(world.database, { accounts: [{ partner: id('poor'), credit_limit: '142.50' }] })
    expect((await world.client('poor').changeOrder(order_id, { status: 'done' })).status).toBe(200)
    expect(await balanceOf('poor', 'vendor')).toBe(-14_250)
  })

  test('without a ticket, also when the request itself drops the last', async () => {
    const { id: order_id } = await order(vendor, 'event', { [id('standing')]: 1 })
    for (const change of [
      { tickets: [], status: 'done' },
      { random: {}, status: 'done' },
    ]) {
      const { status, body } = await vendor.changeOrder(order_id, change)
      expect([status, body]).toEqual([400, { errors: ['there is no tickets in order'] }])
    }
    expect((await vendor.getOrder(order_id)).body.data.tickets).toHaveLength(1)
  })

  test('the organizer pays nobody', async () => {
    const org = world.client('org')
    const { id: order_id } = await order(org, 'event', { [id('standing')]: 1 })
    expect((await org.changeOrder(order_id, { status: 'done' })).body.data.status).toBe('done')
    expect(await sql('SELECT 1 FROM transfers WHERE ref = $1', [order_id])).toEqual([])
  })

  test('a free ticket moves no money', async () => {
    const { id: order_id } = await order(half, 'priced_event', { [id('free')]: 1 })
    expect((await half.changeOrder(order_id, { status: 'done' })).body.data.status).toBe('done')
    expect(await sql('SELECT 1 FROM transfers WHERE ref = $1', [order_id])).toEqual([])
  })
})

describe('prices', () => {
  // The fee is 2 %, the share of the organizer 50 %; halves go to the even cent, once per ticket.
  const cases: [
    set: string,
    count: number,
    values: { price: string; extra: string; full: string },
    charge: number,
  ][] = [
    ['odd', 1, { price: '0.25', extra: '0.00', full: '0.25' }, 12],
    ['odd', 3, { price: '0.75', extra: '0.00', full: '0.75' }, 36],
    ['even', 1, { price: '0.75', extra: '0.02', full: '0.77' }, 38],
    ['even', 4, { price: '3.00', extra: '0.08', full: '3.08' }, 152],
    ['ruled', 2, { price: '160.00', extra: '3.20', full: '163.20' }, 8000],
  ]
  test.each(cases)('%s x %i', async (set, count, values, charge) => {
    const { id: order_id } = await order(half, 'priced_event', { [id(set)]: count })
    const { body } = await half.changeOrder(order_id, { status: 'done' })
    expect(body.data.values).toMatchObject({ ...values, nominal: values.price, discount: '0.00' })
    expect(await sql('SELECT amount FROM transfers WHERE ref = $1', [order_id])).toEqual([{ amount: charge }])
  })

  test('large sums stay exact', async () => {
    const { values } = await order(half, 'priced_event', { [id('dear')]: 50 })
    expect(values).toMatchObject({ price: '499999999.50', extra: '10000000.00', full: '509999999.50' })
  })

  test('the price of a held ticket does not move, that of the next one does', async () => {
    const { id: order_id } = await order(half, 'priced_event', { [id('ruled')]: 1 })
    await sql('UPDATE set_rules SET price = 7000 WHERE "set" = $1 AND now() BETWEEN start AND finish', [
      id('ruled'),
    ])
    await sql("SELECT pg_notify('catalog', '')")
    const priceNow = async () => {
      const { body: now } = await half.getOrder(order_id)
      return (now.data.values['sets_values'] as Record<string, { price: string }>)[id('ruled')]?.price
    }
    await waitUntil(async () => (await priceNow()) === '70.00', { timeout_ms: 1000 })
    const later = await order(half, 'priced_event', { [id('ruled')]: 1 })
    expect(later.values['price']).toBe('70.00')
    const { body } = await half.changeOrder(order_id, { random: { [id('ruled')]: 2 } })
    expect(body.data.values['price']).toBe('150.00')
  })
})
