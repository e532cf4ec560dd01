import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { LEGACY_TICKETS_EXAMPLE } from '../../src/http/v1/event-examples.ts'
import { LEGACY_TICKET } from '../../src/http/v1/event-schemas.ts'
import { createClient } from '../support/client.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { importWorld, makeEvent } from '../support/makers.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { FESTIVAL_SETS, listingCatalog } from './listing-world.ts'

type TicketBody = {
  id: string
  number: number
  serial: string
  set: string
  status: string
  reserved_till: string | null
  seat: { number: number | string; row: number | string; sector: string }
}

/** More than an event is read in a row for everybody who asks. */
const OFTEN = 30

const { standing, seats, vip } = FESTIVAL_SETS
const pending = [{ row: 'A', number: '03' }]
const world = await openOrderWorld({
  document: listingCatalog({ sets: [standing, { ...seats, pending }, vip] }),
})
const id = (ref: string) => world.id(ref)
const vendor = world.client('vendor')
const pathOf = (event: string) => `/v1/resources/events/${event}/tickets`

async function list(query = '', event = 'festival', client = vendor): Promise<TicketBody[]> {
  const { status, body } = await client.get<TicketBody[]>(`${pathOf(id(event))}${query}`)
  expect(status).toBe(200)
  return body
}

const placesOf = (tickets: TicketBody[]) => tickets.map(({ seat }) => `${seat.row}/${seat.number}`)

describe('the list', () => {
  test('has the seated tickets that are not pending, front to back and along the row', async () => {
    const tickets = await list()
    expect(placesOf(tickets)).toEqual(['A/1', 'A/2a', '2/1', '2/2', '2/3'])
    expect(tickets[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      number: expect.any(Number),
      serial: expect.stringMatching(/^[A-Z]{3}$/),
      set: id('seats'),
      status: 'vacant',
      reserved_till: null,
      seat: { row: 'A', number: 1, sector: id('upper') },
    })
    expect(tickets[2]!.seat).toEqual({ row: 2, number: 1, sector: id('upper') })
  })

  test('shows what is reserved, until when, and what is sold', async () => {
    const [, second, third] = (await list()).map((ticket) => ticket.id)
    const sold = await vendor.createOrder({ event: id('festival'), tickets: [second] })
    await vendor.changeOrder(sold.body.data.id, { status: 'done' })
    const held = await vendor.createOrder({ event: id('festival'), tickets: [third] })
    const reserved_till = `${held.body.data.expired_after.replace(' ', 'T')}.000000+00:00`
    const states = (await list()).map((ticket) => [ticket.status, ticket.reserved_till])
    expect(states).toEqual([
      ['vacant', null],
      ['sold', null],
      ['reserved', expect.stringContaining(reserved_till.slice(0, 19))],
      ['vacant', null],
      ['vacant', null],
    ])
    expect((await list('?status=reserved'))[0]!.reserved_till).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/,
    )
    expect(placesOf(await list('?status=sold,reserved'))).toEqual(['A/2a', '2/1'])
    expect(placesOf(await list('?status=sold&status=pending'))).toEqual(['A/2a', 'A/03'])
    await vendor.changeOrder(held.body.data.id, { status: 'cancelled' })
    expect(placesOf(await list('?status=reserved'))).toEqual([])
  })

  test('is what the OpenAPI document describes, and so is its example', async () => {
    for (const ticket of [...(await list()), ...LEGACY_TICKETS_EXAMPLE])
      expect(Value.Errors(LEGACY_TICKET, ticket)).toEqual([])
  })

  test('has several sectors one after the other, and those that are asked for', async () => {
    const sectors = (tickets: TicketBody[]) => tickets.map((ticket) => ticket.seat.sector)
    const lower = Array.from({ length: 12 }, () => id('lower'))
    const upper = Array.from({ length: 8 }, () => id('upper'))
    expect(sectors(await list('', 'theatre'))).toEqual([...lower, ...upper].toSorted())
    expect(sectors(await list(`?sector=${id('lower')}`, 'theatre'))).toEqual(lower)
    expect(await list(`?sector=${id('lower')},${id('upper')}`, 'theatre')).toHaveLength(20)
    expect(await list(`?sector=${id('lower')}&sector=${id('upper')}`, 'theatre')).toHaveLength(20)
    expect(await list(`?sector=${id('org')}`, 'theatre')).toEqual([])
    // Numbers in their order, not in that of their text.
    expect(placesOf(await list(`?sector=${id('lower')}`, 'theatre')).slice(-3)).toEqual([
      '1/10',
      '1/11',
      '1/12',
    ])
  })

  test('is empty when no category has seats', async () => {
    expect(await list('', 'club')).toEqual([])
  })

  test('is deprecated', async () => {
    const { headers } = await vendor.get(pathOf(id('festival')))
    expect(headers.get('deprecation')).toBe('@1795132800')
    expect(headers.get('link')).toBe(`<${world.base_url}/docs>; rel="successor-version"`)
  })
})

describe('the encoding', () => {
  test.each([
    ['gzip', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['identity', null],
    ['gzip;q=0, br', null],
    ['gzip;q=0.000', null],
  ])('for a client that takes %s is %s', async (accepted, encoding) => {
    const { headers, body } = await vendor.get<TicketBody[]>(pathOf(id('theatre')), {
      'accept-encoding': accepted,
    })
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'accept-encoding'])
    expect(body).toEqual(await list('', 'theatre'))
  })
})

test('what another process sold is shown within a second, however often the list is asked for', async () => {
  const other = await startService({ database: world.database, parts: ['api'] })
  const elsewhere = createClient(other.base_url, world.key('vendor'))
  const statusOf = async (ticket: string) =>
    (await list('', 'festival', elsewhere)).find((one) => one.id === ticket)!.status
  const { id: ticket } = (await list('?status=vacant')).at(-1)!
  for (let asked = 0; asked < OFTEN; asked++) expect(await statusOf(ticket)).toBe('vacant')
  const order = await vendor.createOrder({ event: id('festival'), tickets: [ticket] })
  await vendor.changeOrder(order.body.data.id, { status: 'done' })
  await waitUntil(async () => (await statusOf(ticket)) === 'sold', { timeout_ms: 1000 })
})

describe('who sees it', () => {
  test.each([
    ['vendor', 'own'],
    ['org', 'festival'],
    ['two_events', 'theatre'],
  ])('%s sees %s', async (key, event) => {
    await list('', event, world.client(key))
  })

  test.each([
    ['vendor', 'closed_club'],
    ['poor', 'festival'],
    ['stranger', 'festival'],
    ['org', 'club'],
    ['two_events', 'festival'],
  ])('for %s there is no %s', async (key, event) => {
    const { status, body } = await world.client(key).get(pathOf(id(event)))
    expect({ status, body }).toEqual({ status: 404, body: { errors: [`Event ${id(event)} not found`] } })
  })

  test.each(['0123456789abcdef01234567', 'x', '__proto__', '%00'])('there is no event %s', async (event) => {
    const { status, body } = await vendor.get(pathOf(event))
    expect(status).toBe(404)
    expect(body).toEqual({ errors: [`Event ${decodeURIComponent(event)} not found`] })
  })

  test('nobody without a key, or without the permission', async () => {
    expect(await createClient(world.base_url).get(pathOf(id('festival')))).toMatchObject({ status: 401 })
    expect(await world.client('no_events').get(pathOf(id('festival')))).toMatchObject({ status: 403 })
  })
})

test.each([
  ['status=free', 'status must be one of vacant, reserved, sold, pending'],
  ['sector=upper', 'sector must be ids of 24 lower-case hex digits'],
])('refuses %s', async (query, message) => {
  const { status, body } = await vendor.get(`${pathOf(id('festival'))}?${query}`)
  expect({ status, body }).toEqual({ status: 400, body: { errors: [message] } })
})

test('a hall of 50,000 seats is answered whole', async () => {
  const rows = Array.from({ length: 100 }, (_row, index) => ({ row: String(index + 1), seats: 500 }))
  const match = await importWorld(world.database, {
    maps: [
      {
        ref: 'arena',
        venue: id('field'),
        name: 'Arena',
        sectors: [{ ref: 'bowl', name: 'Bowl', with_seats: true, rows }],
      },
    ],
    events: [
      makeEvent('match', {
        org: id('org'),
        venue: id('field'),
        map: 'arena',
        sets: [{ ref: 'bowl_seats', name: 'Bowl', price: '10.00', with_seats: true, sector: 'bowl' }],
      }),
    ],
  })
  const { status, body } = await vendor.get<TicketBody[]>(pathOf(match.id('match')))
  expect(status).toBe(200)
  expect(new Set(body.map((ticket) => ticket.id)).size).toBe(50_000)
  expect(placesOf([body[0]!, body[499]!, body[500]!, body[49_999]!])).toEqual([
    '1/1',
    '1/500',
    '2/1',
    '100/500',
  ])
})
