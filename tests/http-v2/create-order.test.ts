import { describe, expect, test } from 'vitest'
import { countsOf, idsOf, openOrderWorld } from '../support/order-world.ts'

const world = await openOrderWorld()
const { id, seats } = world
const vendor = world.client('vendor')
const UNKNOWN = '0123456789abcdef01234567'

describe('POST /v2/resources/orders', () => {
  test('an event alone makes an empty order of the documented shape', async () => {
    const { status, body } = await vendor.createOrder({ event: id('event') })
    expect(status).toBe(200)
    const created_at = new Date(Number.parseInt(body.data.id.slice(0, 8), 16) * 1000).toISOString()
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: 'executed',
      created_at: created_at.slice(0, 19).replace('T', ' '),
      expired_after: new Date(Date.parse(created_at) + 900_000).toISOString().slice(0, 19).replace('T', ' '),
      event: id('event'),
      number: expect.any(Number),
      org: id('org'),
      origin: 'api',
      promocodes: [],
      settings: { invitation: false, send_tickets: false, subscribe_agree: false },
      tickets: [],
      values: {
        discount: '0.00',
        extra: '0.00',
        full: '0.00',
        nominal: '0.00',
        price: '0.00',
        sets_values: Object.fromEntries(
          [
            ['standing', '150.00'],
            ['vip', '300.00'],
            ['seats', '500.00'],
          ].map(([ref, price]) => [
            id(ref as string),
            {
              id: id(ref as string),
              name: ref === 'seats' ? 'Seats' : `Set ${ref}`,
              price,
              nominal: price,
              discount: '0.00',
              promocode: null,
            },
          ]),
        ),
        viral_promocodes: [],
      },
      vendor: id('vendor'),
      vendor_data: {},
    })
    // The id carries the shard of the event.
    expect(body.data.id.slice(8, 12)).toBe(id('event').slice(8, 12))
  })

  test('refs describe the event, the two partners, the venue and the sets of the tickets', async () => {
    const { body } = await vendor.createOrder({ event: id('event'), random: { [id('vip')]: 1 } })
    expect(Object.keys(body.refs).toSorted()).toEqual(['events', 'partners', 'promocodes', 'sets', 'venues'])
    expect(Object.keys(body.refs['events'] ?? {})).toEqual([id('event')])
    expect(body.refs['events']?.[id('event')]).toMatchObject({
      id: id('event'),
      org: id('org'),
      status: 'public',
      timezone: 'Europe/Moscow',
      title: { text: 'Event event', desc: 'About event' },
      age_rating: 0,
      lifetime: { start: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
    })
    expect(body.refs['partners']).toEqual({
      [id('org')]: { id: id('org'), name: 'Partner org' },
      [id('vendor')]: { id: id('vendor'), name: 'Partner vendor' },
    })
    expect(body.refs['sets']).toEqual({
      [id('vip')]: { id: id('vip'), name: 'Set vip', price: '300.00', with_seats: false },
    })
    expect(body.refs['promocodes']).toEqual({})
    expect(Object.values(body.refs['venues'] ?? {})).toEqual([
      {
        id: id('venue'),
        name: 'Test Hall',
        desc: '',
        address: '1 Test Street',
        city: { _id: 1, name: { default: 'Moscow', en: 'Moscow', ru: 'Москва' }, timezone: 'Europe/Moscow' },
        country: { _id: 'RU', name: { default: 'Russia', en: 'Russia', ru: 'Россия' } },
      },
    ])
  })

  test('random takes tickets by count from each set, at their price with the fee of the deal', async () => {
    const random = { [id('standing')]: 2, [id('vip')]: 1 }
    const { status, body } = await vendor.createOrder({ event: id('event'), random })
    expect(status).toBe(200)
    expect(countsOf(body)).toEqual(random)
    expect(body.data.tickets[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      serial: expect.stringMatching(/^[A-Z]{3}$/),
      number: expect.any(Number),
      set: id('standing'),
      status: 'reserved',
      barcode: null,
      price: '150.00',
      nominal: '150.00',
      discount: '0.00',
      extra: '6.00',
      full: '156.00',
      tariff: null,
    })
    expect(body.data.values).toMatchObject({
      price: '600.00',
      nominal: '600.00',
      discount: '0.00',
      extra: '24.00',
      full: '624.00',
    })
    const rows = await world.database.sql('SELECT status, "order" FROM tickets WHERE id = ANY($1)', [
      idsOf(body),
    ])
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ status: 'reserved', order: body.data.id })))
  })

  test('tickets reserves seats by id, each once', async () => {
    const { status, body } = await vendor.createOrder({
      event: id('event'),
      tickets: [seats[20], seats[21], seats[20]],
    })
    expect(status).toBe(200)
    expect(idsOf(body)).toEqual([seats[20], seats[21]])
    expect(body.data.tickets.map((ticket) => ticket.seat)).toEqual([
      { row: '3', number: '1', sector: id('hall') },
      { row: '3', number: '2', sector: id('hall') },
    ])
  })

  test('the event may be left out when tickets tell it', async () => {
    const { status, body } = await vendor.createOrder({ tickets: [seats[22]] })
    expect([status, body.data.event, idsOf(body)]).toEqual([200, id('event'), [seats[22]]])
  })

  test('what cannot be reserved is missing, or with all_or_nothing nothing is reserved', async () => {
    const first = await vendor.createOrder({ event: id('event'), tickets: [seats[24]] })
    expect(idsOf(first.body)).toEqual([seats[24]])
    const some = await vendor.createOrder({ event: id('event'), tickets: [seats[24], seats[25]] })
    expect([some.status, idsOf(some.body)]).toEqual([200, [seats[25]]])
    const none = await vendor.createOrder({
      event: id('event'),
      tickets: [seats[25], seats[26]],
      all_or_nothing: true,
    })
    expect([none.status, idsOf(none.body), none.body.data.status]).toEqual([200, [], 'executed'])
    const counted = await vendor.createOrder({
      event: id('event'),
      random: { [id('vip')]: 11 },
      all_or_nothing: true,
    })
    expect([counted.status, idsOf(counted.body)]).toEqual([200, []])
  })

  test('status done completes at once; a refused completion leaves no order behind', async () => {
    const done = await vendor.createOrder({
      event: id('event'),
      random: { [id('standing')]: 1 },
      status: 'done',
    })
    expect([done.status, done.body.data.status]).toEqual([200, 'done'])
    expect(done.body.data.tickets[0]?.barcode).toMatch(/^\d{17}$/)
    const [before] = await world.database.sql('SELECT count(*)::integer AS n FROM orders')
    const refused = await world.client('poor').createOrder({
      event: id('event'),
      random: { [id('standing')]: 1 },
      status: 'done',
    })
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: ['Not enough money, contact to Partner poor manager'] },
    })
    expect(await world.database.sql('SELECT count(*)::integer AS n FROM orders')).toEqual([before])
  })

  test('the organizer sells its own event without a deal: no fee', async () => {
    const { body } = await world.client('org').createOrder({ event: id('event'), random: { [id('vip')]: 1 } })
    expect(body.data).toMatchObject({
      vendor: id('org'),
      org: id('org'),
      values: { price: '300.00', extra: '0.00', full: '300.00' },
    })
    expect(Object.keys(body.refs['partners'] ?? {})).toEqual([id('org')])
  })

  test('origin follows the key', async () => {
    const { body } = await world.client('salespoint').createOrder({ event: id('event') })
    expect(body.data.origin).toBe('salespoint')
  })

  test('numbers differ', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => vendor.createOrder({ event: id('event') })),
    )
    expect(new Set(answers.map(({ body }) => body.data.number)).size).toBe(20)
  })
})

describe('refusals of POST', () => {
  const cases: [name: string, key: string, body: () => unknown, error: () => string][] = [
    ['an event nobody knows', 'vendor', () => ({ event: UNKNOWN }), () => `Event ${UNKNOWN} not found`],
    ...['stand_by_event', 'finished_event', 'cancelled_event', 'past_event'].map(
      (ref): (typeof cases)[number] => [
        `an event not on sale: ${ref}`,
        'vendor',
        () => ({ event: id(ref) }),
        () => `Event ${id(ref)} not found`,
      ],
    ),
    [
      'the key is for another event',
      'one_event',
      () => ({ event: id('other_event') }),
      () => `Event ${id('other_event')} not found`,
    ],
    ['no deal', 'stranger', () => ({ event: id('event') }), () => 'Deal not found'],
    ["another organizer's event", 'org', () => ({ event: id('other_event') }), () => 'Deal not found'],
    [
      "another vendor's deal",
      'vendor',
      () => ({ event: id('event'), deal: id('poor_deal') }),
      () => 'Deal not found',
    ],
    [
      'a deal that does not cover the event',
      'vendor',
      () => ({ event: id('event'), deal: id('other_deal') }),
      () => 'Deal not found',
    ],
    ['an unknown deal', 'vendor', () => ({ event: id('event'), deal: UNKNOWN }), () => 'Deal not found'],
    ['a closed event', 'vendor', () => ({ event: id('closed_event') }), () => 'Promokey needed'],
    [
      'a closed set',
      'vendor',
      () => ({ event: id('partly_closed_event'), random: { [id('closed')]: 1 } }),
      () => 'Promokey needed to add these tickets',
    ],
    ['neither event nor tickets', 'vendor', () => ({}), () => 'event is required'],
    [
      'an empty list of tickets does not tell the event',
      'vendor',
      () => ({ tickets: [] }),
      () => 'event is required',
    ],
    ['tickets nobody knows', 'vendor', () => ({ tickets: [UNKNOWN] }), () => 'Event not found'],
    [
      'both ways to reserve',
      'vendor',
      () => ({ event: id('event'), tickets: [], random: {} }),
      () => 'Only one of tickets or random can be set',
    ],
    [
      'a ticket nobody knows',
      'vendor',
      () => ({ event: id('event'), tickets: [UNKNOWN] }),
      () => `ticket (id = ${UNKNOWN}) does not belong to current event`,
    ],
    [
      "another event's ticket",
      'vendor',
      () => ({ event: id('other_event'), tickets: [seats[0]] }),
      () => `ticket (id = ${seats[0]}) does not belong to current event`,
    ],
    [
      "another event's set",
      'vendor',
      () => ({ event: id('event'), random: { [id('other_standing')]: 1 } }),
      () => `set (id = ${id('other_standing')}) does not belong to current event`,
    ],
    [
      'too many tickets',
      'vendor',
      () => ({ event: id('event'), random: { [id('standing')]: 51 } }),
      () => 'max tickets in order is 50',
    ],
    [
      'done without a ticket',
      'vendor',
      () => ({ event: id('event'), status: 'done' }),
      () => 'there is no tickets in order',
    ],
    [
      'a status that is no move',
      'vendor',
      () => ({ event: id('event'), status: 'executed' }),
      () => 'Incorrect status for this operation',
    ],
    [
      'a new order cannot be cancelled',
      'vendor',
      () => ({ event: id('event'), status: 'cancelled' }),
      () => 'Incorrect status for this operation',
    ],
  ]
  test.each(cases)('%s', async (_, key, body, error) => {
    const orders = () => world.database.sql('SELECT count(*)::integer AS n FROM orders')
    const before = await orders()
    const answer = await world.client(key).createOrder(body())
    expect([answer.status, answer.body]).toEqual([400, { errors: [error()] }])
    expect(await orders()).toEqual(before)
  })

  test('tickets of two events', async () => {
    const foreign = String(
      (await world.database.sql('SELECT id FROM tickets WHERE event = $1', [id('other_event')]))[0]?.['id'],
    )
    const { status, body } = await vendor.createOrder({ tickets: [seats[0], foreign] })
    expect([status, body]).toEqual([
      400,
      { errors: [`ticket (id = ${foreign}) does not belong to current event`] },
    ])
  })

  test('a vacant seat is vacant still after a refusal', async () => {
    await vendor.createOrder({ event: id('event'), tickets: [seats[28], UNKNOWN] })
    expect(await world.database.sql('SELECT status FROM tickets WHERE id = $1', [seats[28]])).toEqual([
      { status: 'vacant' },
    ])
  })

  test('a ticket of a closed set by id, taken or not', async () => {
    const rows = await world.database.sql('SELECT id FROM tickets WHERE "set" = $1 ORDER BY id LIMIT 1', [
      id('closed'),
    ])
    const body = { event: id('partly_closed_event'), tickets: [String(rows[0]?.['id'])] }
    const refused = [400, { errors: ['Promokey needed to add these tickets'] }]
    const first = await vendor.createOrder(body)
    expect([first.status, first.body]).toEqual(refused)
    await world.database.sql(`UPDATE tickets SET status = 'pending' WHERE id = $1`, body.tickets)
    await world.database.sql(
      'UPDATE set_counts SET vacant = vacant - 1, pending = pending + 1 WHERE "set" = $1',
      [id('closed')],
    )
    const taken = await vendor.createOrder(body)
    expect([taken.status, taken.body]).toEqual(refused)
  })
})
