import { describe, expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { countsOf, idsOf, openOrderWorld } from '../support/order-world.ts'

const world = await openOrderWorld()
const { id, seats } = world
const vendor = world.client('vendor')
const UNKNOWN = '0123456789abcdef01234567'

const open = async (body: object = {}) => (await vendor.createOrder({ event: id('event'), ...body })).body
const cancel = (order: string) => vendor.changeOrder(order, { status: 'cancelled' })

async function statusesOf(tickets: readonly string[]): Promise<unknown[]> {
  const rows = await world.database.sql('SELECT id, status FROM tickets WHERE id = ANY($1)', [tickets])
  const by_id = new Map(rows.map((row) => [row['id'], row['status']]))
  return tickets.map((ticket) => by_id.get(ticket))
}

describe('tickets is the whole wanted list', () => {
  test('adds what is new, keeps what is held, releases what is left out', async () => {
    const { data } = await open({ tickets: [seats[0], seats[1]] })
    const { body } = await vendor.changeOrder(data.id, { tickets: [seats[1], seats[2]] })
    expect(idsOf(body)).toEqual([seats[1], seats[2]])
    expect(await statusesOf(seats.slice(0, 3))).toEqual(['vacant', 'reserved', 'reserved'])
    expect(body.data.values['price']).toBe('1000.00')
    const emptied = await vendor.changeOrder(data.id, { tickets: [] })
    expect([idsOf(emptied.body), emptied.body.data.values['full']]).toEqual([[], '0.00'])
    expect(await statusesOf(seats.slice(0, 3))).toEqual(['vacant', 'vacant', 'vacant'])
  })

  test('a released seat is at once free for another order', async () => {
    const first = await open({ tickets: [seats[3]] })
    await vendor.changeOrder(first.data.id, { tickets: [] })
    expect(idsOf(await open({ tickets: [seats[3]] }))).toEqual([seats[3]])
  })

  test('what cannot be reserved is skipped, and what is left out is released all the same', async () => {
    await open({ tickets: [seats[4]] })
    const { data } = await open({ tickets: [seats[5]] })
    const { status, body } = await vendor.changeOrder(data.id, { tickets: [seats[4], seats[6]] })
    expect([status, idsOf(body)]).toEqual([200, [seats[6]]])
    expect(await statusesOf([seats[5] as string])).toEqual(['vacant'])
  })

  test('all_or_nothing: when one cannot be reserved nothing is released', async () => {
    const { data } = await open({ tickets: [seats[7]] })
    await open({ tickets: [seats[8]] })
    const { status, body } = await vendor.changeOrder(data.id, {
      tickets: [seats[8], seats[9]],
      all_or_nothing: true,
    })
    expect([status, idsOf(body)]).toEqual([200, [seats[7]]])
    expect(await statusesOf([seats[9] as string])).toEqual(['vacant'])
    const with_done = await vendor.changeOrder(data.id, {
      tickets: [seats[8], seats[9]],
      all_or_nothing: true,
      status: 'done',
    })
    expect([with_done.status, with_done.body.data.status, idsOf(with_done.body)]).toEqual([
      200,
      'executed',
      [seats[7]],
    ])
  })

  test('a foreign ticket fails the whole request', async () => {
    const { data } = await open({ tickets: [seats[10]] })
    const { status, body } = await vendor.changeOrder(data.id, { tickets: [seats[11], UNKNOWN] })
    expect([status, body]).toEqual([
      400,
      { errors: [`ticket (id = ${UNKNOWN}) does not belong to current event`] },
    ])
    expect(await statusesOf([seats[10] as string, seats[11] as string])).toEqual(['reserved', 'vacant'])
    await cancel(data.id)
  })
})

describe('random is the whole wanted count per set', () => {
  test('grows, falls from the last reserved, and a set left out means 0', async () => {
    const { data } = await open({ random: { [id('standing')]: 2, [id('vip')]: 1 } })
    const grown = (await vendor.changeOrder(data.id, { random: { [id('standing')]: 4, [id('vip')]: 1 } }))
      .body
    expect(countsOf(grown)).toEqual({ [id('standing')]: 4, [id('vip')]: 1 })
    const fallen = (await vendor.changeOrder(data.id, { random: { [id('standing')]: 3, [id('vip')]: 0 } }))
      .body
    const standing = grown.data.tickets.filter((ticket) => ticket.set === id('standing'))
    expect(idsOf(fallen)).toEqual(standing.slice(0, 3).map((ticket) => ticket.id))
    const none = (await vendor.changeOrder(data.id, { random: { [id('vip')]: 2 } })).body
    expect(countsOf(none)).toEqual({ [id('vip')]: 2 })
    await cancel(data.id)
  })

  test('a set with too few gives what it has; with all_or_nothing the order stays as it was', async () => {
    const { data } = await open({ random: { [id('vip')]: 1 } })
    const strict = await vendor.changeOrder(data.id, { random: { [id('vip')]: 11 }, all_or_nothing: true })
    expect([strict.status, countsOf(strict.body)]).toEqual([200, { [id('vip')]: 1 }])
    const loose = await vendor.changeOrder(data.id, { random: { [id('vip')]: 11 } })
    expect([loose.status, countsOf(loose.body)]).toEqual([200, { [id('vip')]: 10 }])
    expect(countsOf(await open({ random: { [id('vip')]: 1 } }))).toEqual({})
    await cancel(data.id)
    const after = await open({ random: { [id('vip')]: 1 } })
    expect(countsOf(after)).toEqual({ [id('vip')]: 1 })
    await cancel(after.data.id)
  })
})

describe('mixed orders of the document', () => {
  test('2a and 3a: random first, then tickets with all ids', async () => {
    const { data } = await open({ random: { [id('standing')]: 1 } })
    const { body } = await vendor.changeOrder(data.id, {
      tickets: [...data.tickets.map((ticket) => ticket.id), seats[29]],
    })
    expect(countsOf(body)).toEqual({ [id('standing')]: 1, [id('seats')]: 1 })
    const done = await vendor.changeOrder(data.id, { status: 'done' })
    expect(done.body.data.tickets.map((ticket) => ticket.barcode)).toEqual([
      expect.stringMatching(/^\d{17}$/),
      expect.stringMatching(/^\d{17}$/),
    ])
  })

  test('2b and 3b: seated first, then random naming its set with count 1', async () => {
    const { data } = await open({ tickets: [seats[28]] })
    const { body } = await vendor.changeOrder(data.id, {
      random: { [id('seats')]: 1, [id('standing')]: 1 },
    })
    expect(countsOf(body)).toEqual({ [id('seats')]: 1, [id('standing')]: 1 })
    expect(idsOf(body)[0]).toBe(seats[28])
    expect((await vendor.changeOrder(data.id, { status: 'done' })).body.data.status).toBe('done')
  })
})

describe('other actions', () => {
  test('deal changes the fee on what is held', async () => {
    const { data } = await open({ random: { [id('standing')]: 1 } })
    const { body } = await vendor.changeOrder(data.id, { deal: id('deal') })
    expect(body.data.values['extra']).toBe('6.00')
    const refused = await vendor.changeOrder(data.id, { deal: id('other_deal'), random: {} })
    expect([refused.status, refused.body]).toEqual([400, { errors: ['Deal not found'] }])
    expect(idsOf((await vendor.getOrder(data.id)).body)).toEqual(idsOf(body))
    await cancel(data.id)
  })

  test('cancelling puts everything back on sale, and changing nothing but the status works once', async () => {
    const { data } = await open({ tickets: [seats[12], seats[13]] })
    const { status, body } = await cancel(data.id)
    expect([status, body.data.status, idsOf(body), body.data.values['full']]).toEqual([
      200,
      'cancelled',
      [],
      '0.00',
    ])
    expect(await statusesOf([seats[12] as string, seats[13] as string])).toEqual(['vacant', 'vacant'])
    expect(body.data).not.toHaveProperty('done_at')
  })

  test('too many tickets, by either way', async () => {
    const { data } = await open({ random: { [id('standing')]: 1 } })
    for (const change of [
      { random: { [id('standing')]: 30, [id('vip')]: 21 } },
      { tickets: [...seats.slice(0, 30), ...(await standingIds(21))] },
    ]) {
      const { status, body } = await vendor.changeOrder(data.id, change)
      expect([status, body]).toEqual([400, { errors: ['max tickets in order is 50'] }])
    }
    expect(idsOf((await vendor.getOrder(data.id)).body)).toEqual(idsOf({ data, refs: {} }))
    await cancel(data.id)
  })
})

describe("another partner's order", () => {
  const strangers = ['poor', 'stranger', 'other_org', 'one_event'] as const
  test.each(strangers)('%s is answered as if it did not exist', async (name) => {
    const { data } = (await vendor.createOrder({ event: id('other_event') })).body
    const client = world.client(name)
    for (const order of name === 'other_org' ? [] : [data.id]) {
      const missing = await client.getOrder(UNKNOWN)
      const read = await client.getOrder(order)
      expect([read.status, read.body]).toEqual([404, missing.body])
    }
    const missing = await client.changeOrder(UNKNOWN, { status: 'cancelled' })
    for (const change of [{ status: 'cancelled' }, { status: 'bad' }, { tickets: 'bad' }, {}]) {
      const changed = await client.changeOrder(data.id, change)
      expect([changed.status, changed.body]).toEqual([404, missing.body])
    }
    expect((await vendor.getOrder(data.id)).body.data.status).toBe('executed')
  })

  test('the organizer reads orders on its events, but does not change them', async () => {
    const { data } = await open()
    const read = await world.client('org').getOrder(data.id)
    expect([read.status, read.body.data.vendor]).toEqual([200, id('vendor')])
    expect(read.body.refs['partners']?.[id('vendor')]).toEqual({ id: id('vendor'), name: 'Partner vendor' })
    expect((await world.client('org').changeOrder(data.id, { status: 'cancelled' })).status).toBe(404)
  })

  test.each(['x', 'ABCDEF012345678901234567', '0123456789abcdef0123456', '%00'])(
    'an id of the wrong form, %s, is 404',
    async (order) => {
      expect((await vendor.getOrder(order)).status).toBe(404)
      expect((await vendor.changeOrder(order, { status: 'cancelled' })).status).toBe(404)
    },
  )

  test('a key without the permission', async () => {
    const answer = await world.client('no_orders').createOrder({ event: id('event') })
    expect([answer.status, answer.body]).toEqual([403, { errors: ['the key lacks the permission orders'] }])
    expect((await createClient(world.base_url).createOrder({ event: id('event') })).status).toBe(401)
  })
})

async function standingIds(count: number): Promise<string[]> {
  const rows = await world.database.sql('SELECT id FROM tickets WHERE "set" = $1 ORDER BY id LIMIT $2', [
    id('standing'),
    count,
  ])
  return rows.map((row) => String(row['id']))
}
