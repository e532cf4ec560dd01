import { describe, expect, test } from 'vitest'
import type { OrderBody } from '../support/client.ts'
import { importWorld, lifetime, makeCatalog, makeEvent, makeSet } from '../support/makers.ts'
import { countsOf, idsOf, openOrderWorld } from '../support/order-world.ts'
import { stalledBy } from '../support/stall.ts'

const usual = makeCatalog()
const week = lifetime(-24, 168)
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [
      ...(usual['events'] as object[]),
      makeEvent('code_event', {
        sets: [makeSet('cheap', { price: '100.00' }), makeSet('dear', { price: '1000.01' })],
        promocodes: [
          { code: 'TEN', percentage: '10%' },
          { code: 'HUNDRED', fix: '100.00', lifetime: week },
          { code: 'DEAR', percentage: '50%', sets: ['dear'], viral: true },
          { code: 'PAIR', percentage: '20%', tickets_count: { min: 2, max: 3 } },
          { code: 'ONCE', percentage: '100%', limit: 1 },
          { code: 'OVER', percentage: '10%', lifetime: lifetime(-48, -24) },
        ],
      }),
      makeEvent('promotion_event', {
        sets: [makeSet('promoted', { price: '100.00' }), makeSet('plain', { price: '100.00' })],
        promotions: [
          {
            sets: ['promoted'],
            levels: {
              by: 'count',
              kind: 'percentage',
              steps: [
                { from: 2, value: '10%' },
                { from: 4, value: '25%' },
              ],
            },
          },
        ],
        promocodes: [{ code: 'TEN', percentage: '10%' }],
      }),
      makeEvent('key_event', {
        promokey_required: true,
        sets: [makeSet('key_set'), makeSet('other_key_set')],
        promokeys: [
          { code: 'OPEN', limit: 5 },
          { code: 'SOME', sets: ['key_set'] },
          { code: 'PAST', lifetime: lifetime(-48, -24) },
          { code: 'SINGLE', single_order: true },
        ],
      }),
      makeEvent('two_keys_event', {
        promokey_required: true,
        sets: [makeSet('first_set'), makeSet('second_set')],
        promokeys: [
          { code: 'BOTH', limit: 2 },
          { code: 'FIRST', sets: ['first_set'] },
        ],
      }),
    ],
  },
})
const { id } = world
const vendor = world.client('vendor')
type Values = {
  discount: string
  nominal: string
  sets_values: Record<string, { nominal: string; discount: string; promocode: string | null }>
}
const valuesOf = ({ data }: OrderBody) => data.values as unknown as Values
const create = (event: string, random: Record<string, number>, body: object = {}) =>
  vendor.createOrder({
    event: id(event),
    random: Object.fromEntries(Object.entries(random).map(([ref, count]) => [id(ref), count])),
    ...body,
  })

describe('promocodes', () => {
  test('are found in any case, listed as ids, described in refs, and applied to the sets they are for', async () => {
    const { status, body } = await create(
      'code_event',
      { cheap: 1, dear: 1 },
      { promocodes: ['ten', 'dear'] },
    )
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('errors')
    const { promocodes } = body.data as unknown as { promocodes: string[] }
    expect(promocodes.map((code) => body.refs['promocodes']?.[code])).toEqual([
      { id: promocodes[0], code: 'TEN', discount: { percentage: '10%' }, viral: false },
      { id: promocodes[1], code: 'DEAR', discount: { percentage: '50%' }, viral: true },
    ])
    // 10 % of 100.00 and, better for the buyer, 50 % of 1000.01, half to even.
    expect(body.data.tickets.map(({ set, ...ticket }) => [set, ticket])).toEqual([
      [id('cheap'), expect.objectContaining({ discount: '10.00', nominal: '90.00' })],
      [id('dear'), expect.objectContaining({ discount: '500.00', nominal: '500.01' })],
    ])
    expect(valuesOf(body)).toMatchObject({ discount: '510.00', nominal: '590.01' })
    expect(valuesOf(body).sets_values).toMatchObject({
      [id('cheap')]: { nominal: '90.00', discount: '10.00', promocode: promocodes[0] },
      [id('dear')]: { nominal: '500.01', discount: '500.00', promocode: promocodes[1] },
    })
    expect((await vendor.getOrder(body.data.id)).body).toEqual(body)
  })

  test('a fixed one never makes a price negative; the best one for each set wins; none are wanted any more', async () => {
    const { body } = await create('code_event', { cheap: 1, dear: 1 }, { promocodes: ['TEN', 'HUNDRED'] })
    expect(body.data.tickets.map((ticket) => (ticket as unknown as { nominal: string }).nominal)).toEqual([
      '0.00',
      '900.01',
    ])
    const without = await vendor.changeOrder(body.data.id, { promocodes: [] })
    expect(valuesOf(without.body).discount).toBe('0.00')
    expect(without.body.data).toMatchObject({ promocodes: [] })
  })

  test.each<[string, string, string]>([
    ['NOBODY', 'promocode_not_found', 'Promocode not found'],
    ['OVER', 'promocode_apply_info', 'Cant apply promocode by some reason'],
    [
      'PAIR',
      'promocode_limit_min_tickets',
      'Mimimum count of tickets in order for promocode activation is 2',
    ],
  ])('%s cannot be used, which does not fail the request', async (code, error, msg) => {
    const { status, body } = await create('code_event', { cheap: 1 }, { promocodes: [code] })
    expect([status, body.errors]).toEqual([200, [{ code: error, msg }]])
    expect(valuesOf(body).discount).toBe('0.00')
    expect(body.data).toMatchObject({ promocodes: [] })
  })

  test('one that needs more tickets applies while the order has them', async () => {
    const { body } = await create('code_event', { cheap: 2 }, { promocodes: ['PAIR'] })
    expect(valuesOf(body).discount).toBe('40.00')
    const fewer = await vendor.changeOrder(body.data.id, { random: { [id('cheap')]: 1 } })
    expect(valuesOf(fewer.body).discount).toBe('0.00')
    const again = await vendor.changeOrder(body.data.id, { random: { [id('cheap')]: 3 } })
    expect(valuesOf(again.body).discount).toBe('60.00')
  })

  test('the last use goes to one of many completions at once; the others stay as they were', async () => {
    const orders = await Promise.all(
      Array.from({ length: 12 }, () => create('code_event', { cheap: 1 }, { promocodes: ['ONCE'] })),
    )
    const done = await Promise.all(
      orders.map(({ body }) => vendor.changeOrder(body.data.id, { status: 'done' })),
    )
    expect(done.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of done)
      if (status !== 200) expect(body).toEqual({ errors: ['Promocode already used'] })
    expect(await world.database.sql("SELECT uses FROM promocodes WHERE code = 'ONCE'")).toEqual([{ uses: 1 }])
    const late = await create('code_event', { cheap: 1 }, { promocodes: ['ONCE'] })
    expect(late.body.errors).toEqual([{ code: 'promocode_already_used', msg: 'Promocode already used' }])
    const other = orders.find((_, index) => done[index]?.status === 400)
    const paid = await vendor.changeOrder(String(other?.body.data.id), { promocodes: [], status: 'done' })
    expect([paid.status, valuesOf(paid.body).discount]).toEqual([200, '0.00'])
  })

  test('wrong forms', async () => {
    const { status, body } = await create('code_event', {}, { promocodes: ['ok', 5, ''], promokey: {} })
    expect([status, body.errors]).toEqual([
      400,
      [
        'promocodes[1] must be a string of 1 to 64 characters',
        'promocodes[2] must be a string of 1 to 64 characters',
        'promokey must be a string of 1 to 64 characters',
      ],
    ])
  })
})

describe('a promotion', () => {
  test('climbs its ladder with the tickets it covers', async () => {
    const { body } = await create('promotion_event', { promoted: 1, plain: 3 })
    const discounts = [valuesOf(body).discount]
    for (const count of [2, 4, 3]) {
      const changed = await vendor.changeOrder(body.data.id, {
        random: { [id('promoted')]: count, [id('plain')]: 3 },
      })
      discounts.push(valuesOf(changed.body).discount)
    }
    expect(discounts).toEqual(['0.00', '20.00', '100.00', '30.00'])
    const done = await vendor.changeOrder(body.data.id, { status: 'done' })
    expect(valuesOf(done.body)).toMatchObject({ discount: '30.00', nominal: '570.00' })
  })

  test('refuses promocodes', async () => {
    const { status, body } = await create('promotion_event', { promoted: 1 }, { promocodes: ['TEN'] })
    expect([status, body.errors]).toEqual([400, ['Cant use promocode when event have promotion']])
  })
})

describe('promokeys', () => {
  test('a closed event opens to its key, up to its limit', async () => {
    expect((await create('key_event', { key_set: 1 })).body.errors).toEqual(['Promokey needed'])
    expect((await create('key_event', { key_set: 1 }, { promokey: 'none' })).body.errors).toEqual([
      'Promokey not founded',
    ])
    expect((await create('key_event', { key_set: 1 }, { promokey: 'past' })).body.errors).toEqual([
      'Promokey expired',
    ])
    const first = await create('key_event', { key_set: 3 }, { promokey: 'open' })
    expect(countsOf(first.body)).toEqual({ [id('key_set')]: 3 })
    const grown = await vendor.changeOrder(first.body.data.id, { random: { [id('key_set')]: 5 } })
    expect(countsOf(grown.body)).toEqual({ [id('key_set')]: 5 })
    const over = await vendor.changeOrder(first.body.data.id, { random: { [id('key_set')]: 6 } })
    expect(over.body.errors).toEqual(['Promokey fully reserved'])
    expect((await create('key_event', {}, { promokey: 'OPEN' })).body.errors).toEqual([
      'Promokey fully reserved',
    ])
    await vendor.changeOrder(first.body.data.id, { status: 'cancelled' })
    expect((await create('key_event', { key_set: 5 }, { promokey: 'OPEN' })).status).toBe(200)
  })

  test('a key for some sets opens no others', async () => {
    const { body } = await create('key_event', { key_set: 1 }, { promokey: 'SOME' })
    const refused = await vendor.changeOrder(body.data.id, {
      random: { [id('key_set')]: 1, [id('other_key_set')]: 1 },
    })
    expect([refused.status, refused.body.errors]).toEqual([400, ['Promokey needed to add these tickets']])
  })

  test('a key for one order at a time', async () => {
    const first = await create('key_event', { key_set: 1 }, { promokey: 'SINGLE' })
    expect((await create('key_event', {}, { promokey: 'SINGLE' })).body.errors).toEqual([
      'Promokey already reserved',
    ])
    await vendor.changeOrder(first.body.data.id, { status: 'done' })
    expect((await create('key_event', {}, { promokey: 'SINGLE' })).status).toBe(200)
  })

  test('a key in the place of another opens what the order has under that one', async () => {
    const { body } = await create('two_keys_event', { first_set: 1, second_set: 1 }, { promokey: 'BOTH' })
    const order = body.data.id
    const both = { [id('first_set')]: 1, [id('second_set')]: 1 }
    for (const change of [{}, { random: both }, { tickets: idsOf(body) }]) {
      const refused = await vendor.changeOrder(order, { promokey: 'FIRST', ...change })
      expect([refused.status, refused.body.errors]).toEqual([400, ['Promokey needed to add these tickets']])
    }
    // The tickets count against the limit of the key that opened them.
    expect((await create('two_keys_event', {}, { promokey: 'BOTH' })).body.errors).toEqual([
      'Promokey fully reserved',
    ])
    const random = { [id('first_set')]: 1 }
    const changed = await vendor.changeOrder(order, { promokey: 'FIRST', random })
    expect([changed.status, countsOf(changed.body)]).toEqual([200, random])
    expect((await create('two_keys_event', { second_set: 2 }, { promokey: 'BOTH' })).status).toBe(200)
  })

  test('are judged before the tickets of the same request', async () => {
    const { body } = await create('two_keys_event', {}, { promokey: 'FIRST' })
    const foreign = { [id('key_set')]: 1 }
    for (const random of [foreign, { [id('first_set')]: 51 }]) {
      const refused = await vendor.changeOrder(body.data.id, { promokey: 'none', random })
      expect([refused.status, refused.body.errors]).toEqual([400, ['Promokey not founded']])
    }
    const { errors } = (await vendor.changeOrder(body.data.id, { promokey: 'FIRST', random: foreign })).body
    expect(errors).toEqual([`set (id = ${id('key_set')}) does not belong to current event`])
    const many = { promokey: 'FIRST', random: { [id('first_set')]: 51 } }
    expect((await vendor.changeOrder(body.data.id, many)).body.errors).toEqual(['max tickets in order is 50'])
  })

  describe('whose sets an import changes', () => {
    const importKey = (ref: string, sets: string[]) =>
      importWorld(world.database, {
        events: [
          makeEvent(ref, {
            sets: [makeSet(`${ref}_opened`), makeSet(`${ref}_beside`)],
            promokeys: [{ code: 'MOVING', sets }],
          }),
        ],
      })
    const refusal = (orders: number) => ({
      faults: [
        {
          path: '$.events[0].promokeys[0].sets',
          message: `cannot change: orders with tickets have it (${orders})`,
        },
      ],
    })
    /** An event, and an order under its key that has none of the key's sets. */
    const openEvent = async (ref: string) => {
      const imported = await importKey(ref, [`${ref}_opened`])
      const beside = imported.id(`${ref}_beside`)
      const order = { event: imported.id(ref), random: { [beside]: 1 }, promokey: 'MOVING' }
      return { beside, makeOrder: () => vendor.createOrder(order) }
    }

    test('keeps them while orders have it, if only with tickets of other sets', async () => {
      const { makeOrder } = await openEvent('moving_event')
      const [one, other] = [(await makeOrder()).body.data.id, (await makeOrder()).body.data.id]
      await expect(importKey('moving_event', [])).rejects.toMatchObject(refusal(2))
      expect((await vendor.changeOrder(one, { status: 'cancelled' })).status).toBe(200)
      expect((await vendor.changeOrder(other, { status: 'done' })).status).toBe(200)
      await expect(importKey('moving_event', [])).rejects.toMatchObject(refusal(1))
    })

    test('takes them when its orders have ended', async () => {
      const { makeOrder } = await openEvent('moved_event')
      const { body } = await makeOrder()
      await vendor.changeOrder(body.data.id, { status: 'cancelled' })
      await importKey('moved_event', [])
      expect((await makeOrder()).status).toBe(200)
      expect(
        await world.database.sql(`SELECT taken FROM promokeys WHERE code = 'MOVING' AND sets = '{}'`),
      ).toEqual([{ taken: 1 }])
    })

    test('keeps them when an order is being made under it', async () => {
      const { beside, makeOrder } = await openEvent('busy_event')
      const counts: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [beside]]
      const { making, importing } = await stalledBy(world.database, counts, async (untilWaiting) => {
        const order = makeOrder()
        await untilWaiting(1)
        const again = importKey('busy_event', []).catch((error: unknown) => error)
        await untilWaiting(2)
        return { making: order, importing: again }
      })
      expect((await making).status).toBe(200)
      expect(await importing).toMatchObject(refusal(1))
    })
  })

  test('a key of an event that is open', async () => {
    const { status, body } = await vendor.createOrder({ event: id('partly_closed_event'), promokey: 'OPEN' })
    expect([status, body.errors]).toEqual([400, ['Promokey not founded']])
  })
})
