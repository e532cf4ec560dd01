import { expect, test } from 'vitest'
import { lifetime, makeCatalog, makeEvent } from '../support/makers.ts'
import { countsOf, idsOf, openOrderWorld } from '../support/order-world.ts'

/** What the contract says of orders as a whole: its typical flow, and rules that hold for every order. */
const period = lifetime(-24, 24)
const usual = makeCatalog()
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [
      ...(usual['events'] as object[]),
      makeEvent('code_event', { promocodes: [{ code: 'FIVE', fix: '5.00', lifetime: period }] }),
    ],
    keys: [
      ...(usual['keys'] as object[]),
      ...['widget', 'control_panel'].map((origin) => ({ name: origin, partner: 'vendor', origin })),
    ],
  },
})
const { id } = world
const vendor = world.client('vendor')
const MONEY = ['price', 'nominal', 'discount', 'extra', 'full'] as const

test('the typical flow: ids from the two listings, unseated first, then a seat, then done', async () => {
  type Listed = { id: string; title: { text: string }; sets: { id: string; with_seats: boolean }[] }
  const events = (await vendor.get<Listed[]>('/v1/services/simple/events')).body
  const event = events.find(({ title }) => title.text === 'Event event')!
  const unseated = event.sets.find((set) => !set.with_seats)!
  const [seat] = (await vendor.get<{ id: string; set: string }[]>(`/v1/resources/events/${event.id}/tickets`))
    .body
  const created = await vendor.createOrder({ event: event.id, random: { [unseated.id]: 1 } })
  const changed = await vendor.changeOrder(created.body.data.id, {
    tickets: [...idsOf(created.body), seat!.id],
  })
  expect(countsOf(changed.body)).toEqual({ [unseated.id]: 1, [seat!.set]: 1 })
  const done = await vendor.changeOrder(created.body.data.id, { status: 'done' })
  expect([done.status, done.body.data.status, idsOf(done.body)]).toEqual([200, 'done', idsOf(changed.body)])
})

test('tickets and random together are refused in a PATCH too, and nothing of it happens', async () => {
  const { data } = (await vendor.createOrder({ event: id('event'), random: { [id('standing')]: 1 } })).body
  const { status, body } = await vendor.changeOrder(data.id, { tickets: [], random: {} })
  expect([status, body]).toEqual([400, { errors: ['Only one of tickets or random can be set'] }])
  expect((await vendor.getOrder(data.id)).body.data).toEqual(data)
})

test('requests to different orders run side by side', async () => {
  const created = await Promise.all(
    Array.from({ length: 8 }, () => vendor.createOrder({ event: id('event') })),
  )
  const changed = await Promise.all(
    created.map(({ body }) => vendor.changeOrder(body.data.id, { random: { [id('standing')]: 1 } })),
  )
  expect(changed.map(({ status, body }) => [status, body.data.tickets.length])).toEqual(
    created.map(() => [200, 1]),
  )
})

test.each([
  ['vendor', 'api'],
  ['salespoint', 'salespoint'],
  ['widget', 'widget'],
  ['control_panel', 'control_panel'],
])('an order made with the key %s has the origin %s', async (key, origin) => {
  const { body } = await world.client(key).createOrder({ event: id('event') })
  expect(body.data.origin).toBe(origin)
})

test('the totals are the sums over the tickets, and full is nominal and extra', async () => {
  const { data } = (
    await vendor.createOrder({
      event: id('event'),
      random: { [id('standing')]: 3, [id('vip')]: 1, [id('seats')]: 2 },
    })
  ).body
  const tickets = data.tickets as unknown as Record<(typeof MONEY)[number], string>[]
  expect(tickets).toHaveLength(6)
  const minor = (text: unknown) => {
    expect(text).toMatch(/^\d+\.\d\d$/)
    return Math.round(Number(text) * 100)
  }
  for (const field of MONEY) {
    const sum = tickets.reduce((total, ticket) => total + minor(ticket[field]), 0)
    expect(minor(data.values[field])).toBe(sum)
  }
  for (const { nominal, extra, full, price } of tickets) {
    expect(minor(full)).toBe(minor(nominal) + minor(extra))
    expect(nominal).toBe(price)
  }
})

test('the promocode of an order is described with its discount and period', async () => {
  const { body } = await vendor.createOrder({
    event: id('code_event'),
    random: { [id('code_event_standing')]: 1 },
    promocodes: ['FIVE'],
  })
  const v2 = (iso: string) => iso.slice(0, 19).replace('T', ' ')
  const [promocode] = Object.keys(body.refs['promocodes']!)
  expect(body.refs['promocodes']).toEqual({
    [promocode!]: {
      id: promocode,
      code: 'FIVE',
      discount: { fix: '5.00' },
      lifetime: { start: v2(period.start), finish: v2(period.finish) },
      viral: false,
    },
  })
})

test('every path begins with its version; v1 has the listings, deprecated, and the images they link to', async () => {
  type Document = { paths: Record<string, Record<string, { deprecated?: boolean }>> }
  const { paths } = (await vendor.get<Document>('/openapi.json')).body
  const all = Object.entries(paths)
  expect(all.filter(([path]) => !/^\/v[12]\//.test(path))).toEqual([])
  const v2 = all.map(([path]) => path).filter((path) => path.startsWith('/v2/'))
  for (const holds of ['orders', 'refund_requests', 'orders/export'])
    expect(v2).toContain(`/v2/resources/${holds}`)
  expect(v2).toContain('/v2/services/promocodes/check')
  const v1 = all
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { deprecated = false }]) => [method, path, deprecated]),
    )
  expect(v1.toSorted()).toEqual([
    ['get', '/v1/resources/events/{id}/tickets', true],
    ['get', '/v1/resources/maps/{id}/{image}.svg', false],
    ['get', '/v1/services/simple/events', true],
  ])
})
