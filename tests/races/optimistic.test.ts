import { afterAll, describe, expect, test } from 'vitest'
import { verify } from '../../src/main/verify/verify.ts'
import { createClient, type Answer, type OrderBody } from '../support/client.ts'
import { withDeskModes, type DeskModes } from '../support/desk-modes.ts'
import { countsOf, idsOf } from '../support/order-world.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'
import {
  ASKING,
  changedBetween,
  completeAfterTheEnd,
  completeWithoutMoney,
  learnHall,
  lockedElsewhere,
  open,
  makeOptimisticDatabase,
  openSides,
  OPTIMISTIC,
  REFUSED,
  sameKeyTwice,
  seatReleasedElsewhere,
  seatSoldElsewhere,
  seatsOfHall,
  soldElsewhere,
  told,
  unchangedSinceOthersChange,
  warm,
  type OptimisticDatabase,
  type Side,
} from './optimistic-scenarios.ts'

/** Batches that are written without asking first, with another process on the database that makes them wrong. */

const world = await openSides(await makeOptimisticDatabase())
const { id, database } = world
const { sql } = database
const [one, other] = world.sides

afterAll(async () => expect(await verify(database.db)).toEqual([]))

/** The tickets of an answer, as far as they never change; without seats `seat` is undefined. */
const labelsIn = ({ body }: Answer<OrderBody>) =>
  body.data.tickets.map((ticket) => ({
    id: ticket.id,
    set: ticket.set,
    serial: ticket.serial,
    number: ticket.number,
    seat: ticket.seat,
  }))

/** The same of the seats that an order has in the store. */
async function labelsStored(made: Pick<OptimisticDatabase, 'database'>, order: string) {
  return made.database.sql(
    `SELECT t.id, t."set", t.serial, t.number,
       json_build_object('row', t.seat_row, 'number', t.seat_number, 'sector', t.sector) AS seat
     FROM orders o JOIN tickets t ON t."order" = o.id
     WHERE o.id = $1 ORDER BY array_position(o.tickets, t.id)`,
    [order],
  )
}

/** What the store has of an order. */
async function stored(order: string) {
  const [row] = await sql(
    `SELECT o.status, o.settings, o.vendor_data, o.charge, o.code,
       (SELECT coalesce(array_agg(t.status ORDER BY t.id), '{}') FROM tickets t WHERE t."order" = o.id) AS tickets,
       (SELECT coalesce(sum(x.amount), 0)::integer FROM transfers x WHERE x.ref = o.id AND x.kind = 'sale') AS paid
     FROM orders o WHERE o.id = $1`,
    [order],
  )
  return row
}

describe('a process that is right in what it remembers does not ask', () => {
  test('the first request asks; those after it, a new order and its completion, are stored as they were answered', async () => {
    const fresh = await openSides(world)
    const [side] = fresh.sides
    const create = () =>
      told(side, (client) =>
        client.createOrder({ event: fresh.id('many'), random: { [fresh.id('many_standing')]: 2 } }),
      )
    const complete = (order: string) => told(side, (client) => client.changeOrder(order, { status: 'done' }))
    const first = await create()
    expect(first.modes).toEqual(ASKING)
    // Of the account that it is charged to nothing is known yet.
    expect((await complete(first.answer.body.data.id)).modes).toEqual(ASKING)
    const created = await create()
    expect([created.answer.status, created.modes]).toEqual([200, OPTIMISTIC])
    const { data } = created.answer.body
    const completed = await complete(data.id)
    expect([completed.answer.status, completed.modes]).toEqual([200, OPTIMISTIC])
    expect(completed.answer.body.data).toMatchObject({
      id: data.id,
      number: first.answer.body.data.number + 1,
      status: 'done',
      tickets: data.tickets.map((ticket) => ({
        ...ticket,
        barcode: expect.any(String) as string,
      })),
    })
    const elsewhere = await fresh.sides[1].client.getOrder(data.id)
    expect(elsewhere.body.data).toEqual(completed.answer.body.data)
  })

  test('places of orders that were cancelled, and released ones, are sold again', async () => {
    const set = id('resold_standing')
    await warm(world, one)
    const before = await told(one, (client) =>
      client.createOrder({ event: id('resold'), random: { [set]: 50 } }),
    )
    const { data } = before.answer.body
    const cancelled = await told(one, (client) => client.changeOrder(data.id, { status: 'cancelled' }))
    expect([cancelled.answer.body.data.status, cancelled.modes]).toEqual(['cancelled', OPTIMISTIC])
    const again = await told(one, (client) =>
      client.createOrder({ event: id('resold'), random: { [set]: 50 } }),
    )
    expect(again.modes).toEqual(OPTIMISTIC)
    expect(idsOf(again.answer.body).toSorted()).toEqual(data.tickets.map((ticket) => ticket.id).toSorted())

    const fewer = await told(one, (client) =>
      client.changeOrder(again.answer.body.data.id, { random: { [set]: 20 } }),
    )
    expect([countsOf(fewer.answer.body), fewer.modes]).toEqual([{ [set]: 20 }, OPTIMISTIC])
    const kept = new Set(idsOf(fewer.answer.body))
    const released = idsOf(again.answer.body).filter((ticket) => !kept.has(ticket))
    const sold = await told(one, (client) =>
      client.createOrder({ event: id('resold'), random: { [set]: 30 }, status: 'done' }),
    )
    expect([sold.answer.body.data.status, sold.modes]).toEqual(['done', OPTIMISTIC])
    expect(idsOf(sold.answer.body).toSorted()).toEqual(released.toSorted())
    expect(await stored(sold.answer.body.data.id)).toMatchObject({
      status: 'done',
      tickets: Array(30).fill('sold'),
      charge: 427_500,
      paid: 427_500,
    })
  })

  test('an order gets more, fewer and more, and its settings and data are stored', async () => {
    await warm(world, one)
    const set = id('many_standing')
    const { id: order } = await open(world, one, 'many', 2)
    for (const count of [5, 1, 3]) {
      const { answer, modes } = await told(one, (client) =>
        client.changeOrder(order, { random: { [set]: count } }),
      )
      expect([countsOf(answer.body), modes]).toEqual([{ [set]: count }, OPTIMISTIC])
      expect(await stored(order)).toMatchObject({
        status: 'executed',
        tickets: Array(count).fill('reserved'),
      })
    }
    const fields = [
      { settings: { customer: { name: 'Anna' } } },
      { vendor_data: { order_id: '"{,}\\', raw: { row: 1 } } },
      { settings: { send_tickets: true, customer: { email: 'anna@example.org' } }, random: { [set]: 2 } },
    ]
    for (const field of fields)
      expect((await told(one, (client) => client.changeOrder(order, field))).modes).toEqual(OPTIMISTIC)
    expect(await stored(order)).toMatchObject({
      settings: { send_tickets: true, customer: { name: 'Anna', email: 'anna@example.org' } },
      vendor_data: { order_id: '"{,}\\', raw: { row: 1 } },
      tickets: ['reserved', 'reserved'],
    })
    const done = await told(one, (client) => client.changeOrder(order, { status: 'done' }))
    expect([done.answer.status, done.modes]).toEqual([200, OPTIMISTIC])
    expect((await stored(order))?.['settings']).toMatchObject({ customer: { name: 'Anna' } })
  })

  test('what is refused by what it remembers is refused by what there is: it asks', async () => {
    await warm(world, one)
    const { id: order } = await open(world, one, 'many', 1)
    const { answer, modes } = await told(one, (client) => client.changeOrder(order, { status: 'paid' }))
    expect([answer.status, answer.body, modes]).toEqual([
      400,
      { errors: ['Incorrect status for this operation'] },
      ASKING,
    ])
  })

  test("another vendor's order is none, whatever this process remembers", async () => {
    await warm(world, one)
    const { id: order } = await open(world, one, 'many', 1)
    const stranger = createClient(one.base_url, world.key('stranger'))
    const [answer, modes] = await withDeskModes(one.base_url, () =>
      stranger.changeOrder(order, { status: 'cancelled' }),
    )
    expect([answer.status, modes]).toEqual([404, ASKING])
    expect(await stored(order)).toMatchObject({ status: 'executed' })
  })
})

describe('a process that knows the seats of a hall does not ask', async () => {
  /** Seats of the hall that no other test has. */
  const unused = (await seatsOfHall(world, 'known_hall')).values()
  const someSeats = (count: number) => Array.from({ length: count }, () => unused.next().value as string)
  const event = id('known_hall')

  async function knowing(): Promise<void> {
    await learnHall(world, one, 'known_hall')
    await warm(world, one)
  }

  /** One order of this process, which has the seats. */
  async function taken(tickets: string[]): Promise<string> {
    const { body } = await one.client.createOrder({ event, tickets })
    expect(idsOf(body)).toEqual(tickets)
    return body.data.id
  }

  test('for seats by count: the best ones, with the row, the number and the sector that the store has', async () => {
    await warm(world, one)
    const [stalls, balcony] = [id('counted_hall_stalls'), id('counted_hall_balcony')]
    const ask = (counts: object) => ({ event: id('counted_hall'), random: counts })
    const created = await told(one, (client) => client.createOrder(ask({ [stalls]: 3, [balcony]: 2 })))
    const order = created.answer.body.data.id
    expect([countsOf(created.answer.body), created.modes]).toEqual([
      { [stalls]: 3, [balcony]: 2 },
      OPTIMISTIC,
    ])
    expect(created.answer.body.data.tickets.map(({ seat }) => seat?.row)).toEqual(['4', '4', '4', '1', '1'])
    expect(labelsIn(created.answer)).toEqual(await labelsStored(world, order))
    expect(labelsIn(await other.client.getOrder(order))).toEqual(labelsIn(created.answer))

    const more = await told(one, (client) => client.changeOrder(order, ask({ [stalls]: 13, [balcony]: 1 })))
    expect([countsOf(more.answer.body), more.modes]).toEqual([{ [stalls]: 13, [balcony]: 1 }, OPTIMISTIC])
    expect(idsOf(more.answer.body).slice(0, 4)).toEqual(idsOf(created.answer.body).slice(0, 4))
    expect(labelsIn(more.answer)).toEqual(await labelsStored(world, order))
    expect(labelsIn(await other.client.getOrder(order))).toEqual(labelsIn(more.answer))

    const done = await told(one, (client) => client.changeOrder(order, { status: 'done' }))
    expect([done.answer.body.data.status, done.modes]).toEqual(['done', OPTIMISTIC])
    expect(labelsIn(done.answer)).toEqual(labelsIn(more.answer))
    expect(await stored(order)).toMatchObject({ status: 'done', tickets: Array(14).fill('sold') })
  })

  test('for seats by id: those that were named, with the row, the number and the sector that the store has', async () => {
    await knowing()
    const tickets = someSeats(3)
    const { answer, modes } = await told(one, (client) => client.createOrder({ event, tickets }))
    const order = answer.body.data.id
    expect([idsOf(answer.body), modes]).toEqual([tickets, OPTIMISTIC])
    expect(labelsIn(answer)).toEqual(await labelsStored(world, order))
    expect(labelsIn(await other.client.getOrder(order))).toEqual(labelsIn(answer))
    expect(await stored(order)).toMatchObject({ status: 'executed', tickets: Array(3).fill('reserved') })
  })

  test('for seats by id that are sold at once, without the event', async () => {
    await knowing()
    const tickets = someSeats(2)
    const { answer, modes } = await told(one, (client) => client.createOrder({ tickets, status: 'done' }))
    expect([idsOf(answer.body), answer.body.data.status, modes]).toEqual([tickets, 'done', OPTIMISTIC])
    expect(labelsIn(answer)).toEqual(await labelsStored(world, answer.body.data.id))
    expect(await stored(answer.body.data.id)).toMatchObject({
      status: 'done',
      tickets: ['sold', 'sold'],
      charge: 1900,
      paid: 1900,
    })
  })

  test.each(['reserved', 'sold'])(
    'for a seat that another order has %s: it is not granted',
    async (state) => {
      await knowing()
      const [a, b, c] = someSeats(3) as [string, string, string]
      const first = await taken([a, b])
      if (state === 'sold') await one.client.changeOrder(first, { status: 'done' })
      const second = await told(one, (client) => client.createOrder({ event, tickets: [b, c] }))
      expect([second.answer.status, idsOf(second.answer.body), second.modes]).toEqual([200, [c], OPTIMISTIC])
      expect(await stored(first)).toMatchObject({ tickets: [state, state] })
      expect(await stored(second.answer.body.data.id)).toMatchObject({ tickets: ['reserved'] })
      const alone = await told(one, (client) =>
        client.createOrder({ event, tickets: [a], all_or_nothing: true }),
      )
      expect([alone.answer.status, idsOf(alone.answer.body), alone.modes]).toEqual([200, [], OPTIMISTIC])
      expect(await stored(alone.answer.body.data.id)).toMatchObject({ status: 'executed', tickets: [] })
    },
  )

  test('for an order that drops one seat and takes another; the dropped one is sold again', async () => {
    await knowing()
    const [a, b, c] = someSeats(3) as [string, string, string]
    const order = await taken([a, b])
    const { answer, modes } = await told(one, (client) => client.changeOrder(order, { tickets: [c, b] }))
    expect([idsOf(answer.body), modes]).toEqual([[b, c], OPTIMISTIC])
    expect(labelsIn(answer)).toEqual(await labelsStored(world, order))
    const again = await told(one, (client) => client.createOrder({ event, tickets: [a], status: 'done' }))
    expect([idsOf(again.answer.body), again.modes]).toEqual([[a], OPTIMISTIC])
    expect(labelsIn(again.answer)).toEqual(await labelsStored(world, again.answer.body.data.id))
    expect(await stored(order)).toMatchObject({ tickets: ['reserved', 'reserved'] })
  })

  test('for seats of an order that was cancelled', async () => {
    await knowing()
    const tickets = someSeats(2)
    await one.client.changeOrder(await taken(tickets), { status: 'cancelled' })
    const { answer, modes } = await told(one, (client) => client.createOrder({ event, tickets }))
    expect([idsOf(answer.body), modes]).toEqual([tickets, OPTIMISTIC])
    expect(labelsIn(answer)).toEqual(await labelsStored(world, answer.body.data.id))
  })

  test('for all or nothing when one of the seats is gone: the order stays as it was', async () => {
    await knowing()
    const [a, b, c, gone] = someSeats(4) as [string, string, string, string]
    await taken([gone])
    const order = await taken([a, b])
    const before = (await one.client.getOrder(order)).body.data
    const { answer, modes } = await told(one, (client) =>
      client.changeOrder(order, {
        tickets: [b, c, gone],
        all_or_nothing: true,
        vendor_data: { order_id: '1' },
      }),
    )
    expect([answer.status, answer.body.data, modes]).toEqual([200, before, OPTIMISTIC])
    expect((await other.client.getOrder(order)).body.data).toEqual(before)
    expect(await stored(order)).toMatchObject({ vendor_data: {}, tickets: ['reserved', 'reserved'] })
    // The third was left vacant, and the order is remembered as it is.
    const next = await told(one, (client) =>
      client.changeOrder(order, { tickets: [b, c], all_or_nothing: true }),
    )
    expect([idsOf(next.answer.body), next.modes]).toEqual([[b, c], OPTIMISTIC])
    expect(labelsIn(next.answer)).toEqual(await labelsStored(world, order))
  })

  test('for places without seats that it released', async () => {
    const { id: order, tickets } = await open(world, one, 'resold', 3)
    await one.client.changeOrder(order, { status: 'cancelled' })
    await warm(world, one)
    const ids = tickets.map((ticket) => ticket.id)
    const { answer, modes } = await told(one, (client) => client.createOrder({ tickets: ids }))
    expect([answer.body.data.tickets, modes]).toEqual([tickets, OPTIMISTIC])
    await one.client.changeOrder(answer.body.data.id, { status: 'cancelled' })
  })

  test('for two requests of one batch that name the same seat: one gets it', async () => {
    const pair = await openSides(world, { desk_batch_max: 2 })
    const [side] = pair.sides
    await learnHall(pair, side, 'known_hall')
    await warm(pair, side)
    const [a, b, c] = someSeats(3) as [string, string, string]
    const lock: [string, unknown[]] = [
      'SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE',
      [id('warm_standing')],
    ]
    const [answers, modes] = await withDeskModes(side.base_url, async () => {
      const sent = await stalledBy(database, lock, async (untilWaiting) => {
        const before = await batchesOf(side)
        const random = { [id('warm_standing')]: 1 }
        const first = side.client.createOrder({ event: id('warm'), random })
        await untilWaiting(1)
        const both = Promise.all(
          [
            [a, b],
            [b, c],
          ].map((tickets) => side.client.createOrder({ event, tickets })),
        )
        await waitUntil(async () => (await batchesOf(side)) === before + 2)
        return { first, both }
      })
      await sent.first
      return sent.both
    })
    expect(modes).toEqual({ optimistic: 2, asking: 0, refused: 0 })
    const granted = answers.map(({ body }) => idsOf(body))
    expect([
      [[a, b], [c]],
      [[a], [b, c]],
    ]).toContainEqual(granted)
    for (const answer of answers)
      expect(labelsIn(answer)).toEqual(await labelsStored(world, answer.body.data.id))
  })

  test('that it has read after 64 requests by id', async () => {
    await warm(world, one)
    const [seat] = (await seatsOfHall(world, 'missed_hall')) as [string]
    const ask = async () => {
      const { answer, modes } = await told(one, (client) => client.createOrder({ tickets: [seat] }))
      await one.client.changeOrder(answer.body.data.id, { status: 'cancelled' })
      return { ids: idsOf(answer.body), modes }
    }
    for (let nth = 0; nth < 64; nth++) expect(await ask()).toEqual({ ids: [seat], modes: ASKING })
    const known = await waitUntil(async () => {
      const asked = await ask()
      return asked.modes.optimistic === 1 && asked
    })
    expect(known).toEqual({ ids: [seat], modes: OPTIMISTIC })
  })
})

describe('it asks', () => {
  test('for seats by id of a hall of which it knows nothing', async () => {
    await warm(world, one)
    const tickets = (await seatsOfHall(world, 'unseen_hall')).slice(0, 2)
    const created = await told(one, (client) => client.createOrder({ event: id('unseen_hall'), tickets }))
    const { id: order } = created.answer.body.data
    expect([idsOf(created.answer.body), created.modes]).toEqual([tickets, ASKING])
    expect(labelsIn(created.answer)).toEqual(await labelsStored(world, order))
    // For less it needs nothing that it does not know.
    const changed = await told(one, (client) => client.changeOrder(order, { tickets: tickets.slice(0, 1) }))
    expect([idsOf(changed.answer.body), changed.modes]).toEqual([tickets.slice(0, 1), OPTIMISTIC])
    const more = await told(one, (client) => client.changeOrder(order, { tickets }))
    expect([idsOf(more.answer.body), more.modes]).toEqual([tickets, ASKING])
    expect(await stored(order)).toMatchObject({ tickets: ['reserved', 'reserved'] })
  })

  test('for places without seats by id that it does not know', async () => {
    await warm(world, one)
    const rows = await sql(`SELECT id FROM tickets WHERE "set" = $1 AND status = 'vacant' LIMIT 2`, [
      id('vip'),
    ])
    const tickets = rows.map((row) => String(row['id']))
    const { answer, modes } = await told(one, (client) => client.createOrder({ event: id('event'), tickets }))
    expect([idsOf(answer.body), modes]).toEqual([tickets, ASKING])
    expect(await stored(answer.body.data.id)).toMatchObject({ tickets: ['reserved', 'reserved'] })
  })

  test.each([
    { name: 'of another event', ticketOf: async () => (await seatsOfHall(world, 'sold_hall'))[30] },
    { name: 'that does not exist', ticketOf: async () => '0'.repeat(24) },
  ])('for a ticket $name, also when it knows the hall', async ({ ticketOf }) => {
    await learnHall(world, one, 'known_hall')
    await learnHall(world, one, 'sold_hall')
    await warm(world, one)
    const [own, foreign] = [(await seatsOfHall(world, 'known_hall')).at(-1), await ticketOf()]
    const { answer, modes } = await told(one, (client) =>
      client.createOrder({ event: id('known_hall'), tickets: [own, foreign] }),
    )
    expect([answer.status, answer.body, modes]).toEqual([
      400,
      { errors: [`ticket (id = ${foreign}) does not belong to current event`] },
      ASKING,
    ])
    expect(await sql('SELECT status FROM tickets WHERE id = $1', [own])).toEqual([{ status: 'vacant' }])
  })

  test('for promocodes', async () => {
    await learnHall(world, one, 'known_hall')
    await warm(world, one)
    const seats = await seatsOfHall(world, 'known_hall')
    const { answer, modes } = await told(one, (client) =>
      client.createOrder({ event: id('known_hall'), tickets: seats.slice(-1), promocodes: ['NONE'] }),
    )
    expect([answer.status, idsOf(answer.body), modes]).toEqual([200, seats.slice(-1), ASKING])
    await one.client.changeOrder(answer.body.data.id, { status: 'cancelled' })
  })

  test('for more than there are', async () => {
    await warm(world, one)
    const set = id('other_standing')
    const { answer, modes } = await told(one, (client) =>
      client.createOrder({ event: id('other_event'), random: { [set]: 21 } }),
    )
    expect([countsOf(answer.body), modes]).toEqual([{ [set]: 20 }, ASKING])
    await one.client.changeOrder(answer.body.data.id, { status: 'cancelled' })
  })

  test('for more seats than there are', async () => {
    await warm(world, one)
    const set = id('seats')
    const { answer, modes } = await told(one, (client) =>
      client.createOrder({ event: id('event'), random: { [set]: 31 } }),
    )
    expect([countsOf(answer.body), modes]).toEqual([{ [set]: 30 }, ASKING])
    await one.client.changeOrder(answer.body.data.id, { status: 'cancelled' })
  })

  test('for an order whose hold ends within five seconds', async () => {
    await warm(world, one)
    const soon = await open(world, one, 'over_in_4_s', 1)
    const late = await open(world, one, 'over_in_60_s', 1)
    const data = { vendor_data: { order_id: '1' } }
    const [of_soon, of_late] = [
      await told(one, (client) => client.changeOrder(soon.id, data)),
      await told(one, (client) => client.changeOrder(late.id, data)),
    ]
    expect([of_soon.answer.status, of_soon.modes]).toEqual([200, ASKING])
    expect([of_late.answer.status, of_late.modes]).toEqual([200, OPTIMISTIC])
  })
})

describe('a process that is wrong is refused, and asks', () => {
  test('places that were sold elsewhere: others are sold', async () => {
    const { answer, modes, sold } = await soldElsewhere(world)
    expect(sold).toHaveLength(2)
    expect([answer.status, modes]).toEqual([200, REFUSED])
    const ids = idsOf(answer.body)
    expect([ids.length, new Set([...ids, ...sold]).size]).toEqual([2, 4])
  })

  test('a seat that was sold elsewhere, by its id: it is not granted', async () => {
    const { answer, modes, seat } = await seatSoldElsewhere(world)
    expect([answer.status, idsOf(answer.body), modes]).toEqual([200, [], REFUSED])
    expect(await stored(answer.body.data.id)).toMatchObject({ status: 'executed', tickets: [] })
    expect(await sql('SELECT status FROM tickets WHERE id = $1', [seat])).toEqual([{ status: 'sold' }])
  })

  test('a seat that was released elsewhere, by its id: it is granted', async () => {
    const { answer, modes, seat } = await seatReleasedElsewhere(world)
    expect([answer.status, idsOf(answer.body), modes]).toEqual([200, [seat], REFUSED])
    expect(labelsIn(answer)).toEqual(await labelsStored(world, answer.body.data.id))
  })

  test('an order that stays as it is, and was changed elsewhere: it is answered as it is', async () => {
    const { answer, modes, order, seats } = await unchangedSinceOthersChange(world)
    expect([answer.status, idsOf(answer.body), modes]).toEqual([200, seats.slice(0, 1), REFUSED])
    expect(labelsIn(answer)).toEqual(await labelsStored(world, order))
    expect((await other.client.getOrder(order)).body.data).toEqual(answer.body.data)
    const states = await sql(
      'SELECT status FROM tickets WHERE id = ANY($1) ORDER BY array_position($1, id)',
      [seats],
    )
    expect(states.map(({ status }) => status)).toEqual(['reserved', 'vacant', 'sold'])
  })

  test('places that both remember and want at once: each is sold once', async () => {
    const set = id('last_places_standing')
    const ask = (count: number) => ({ event: id('last_places'), random: { [set]: count } })
    await one.client.createOrder({ ...ask(50), status: 'done' })
    await one.client.createOrder({ ...ask(46), status: 'done' })
    for (const side of world.sides) {
      const all = await open(world, side, 'last_places', 4)
      expect(all.tickets).toHaveLength(4)
      await side.client.changeOrder(all.id, { status: 'cancelled' })
      await warm(world, side)
    }
    // Of four places two times three have two in common at least.
    const lock: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [set]]
    const { selling } = await stalledBy(database, lock, async (untilWaiting) => {
      const sent = Promise.all(world.sides.map((side) => told(side, (client) => client.createOrder(ask(3)))))
      await untilWaiting(2)
      return { selling: sent }
    })
    const both = (await selling).toSorted((a, b) => a.modes.refused - b.modes.refused)
    expect(both.map(({ modes }) => modes)).toEqual([OPTIMISTIC, REFUSED])
    expect(both.map(({ answer }) => answer.body.data.tickets.length)).toEqual([3, 1])
    expect(new Set(both.flatMap(({ answer }) => idsOf(answer.body))).size).toBe(4)
  })

  const STATUS = 'Incorrect status for this operation'
  const set = id('many_standing')
  test.each<{ name: string; there: object; here: object; error?: string; after: object }>([
    {
      name: 'it got more tickets: all of them are sold',
      there: { random: { [set]: 3 } },
      here: { status: 'done' },
      after: { status: 'done', tickets: ['sold', 'sold', 'sold'], charge: 42_750, paid: 42_750 },
    },
    {
      name: 'it got more tickets: all of them are free again',
      there: { random: { [set]: 3 } },
      here: { status: 'cancelled' },
      after: { status: 'cancelled', tickets: [], paid: 0 },
    },
    {
      name: 'it lost a ticket: the other is sold',
      there: { random: { [set]: 1 } },
      here: { status: 'done' },
      after: { status: 'done', tickets: ['sold'], charge: 14_250, paid: 14_250 },
    },
    {
      name: 'its data and settings changed: what it gets here is added',
      there: { vendor_data: { order_id: 'there' }, settings: { send_tickets: true } },
      here: { random: { [set]: 3 }, settings: { customer: { name: 'Anna' } } },
      after: {
        status: 'executed',
        vendor_data: { order_id: 'there' },
        settings: { send_tickets: true, customer: { name: 'Anna' } },
        tickets: ['reserved', 'reserved', 'reserved'],
      },
    },
    {
      name: 'it was cancelled: it is not completed',
      there: { status: 'cancelled' },
      here: { status: 'done' },
      error: STATUS,
      after: { status: 'cancelled', tickets: [], paid: 0 },
    },
    {
      name: 'it was cancelled: it is not changed',
      there: { status: 'cancelled' },
      here: { random: { [set]: 3 } },
      error: 'Not allow to update order in status cancelled',
      after: { status: 'cancelled', tickets: [], paid: 0 },
    },
    {
      name: 'it was completed: it is not completed again',
      there: { status: 'done' },
      here: { status: 'done' },
      error: STATUS,
      after: { status: 'done', tickets: ['sold', 'sold'], paid: 28_500 },
    },
    {
      name: 'it was completed: it is not cancelled',
      there: { status: 'done' },
      here: { status: 'cancelled' },
      error: 'Order is not cancellable',
      after: { status: 'done', tickets: ['sold', 'sold'], paid: 28_500 },
    },
    {
      name: 'it was completed: it is not changed',
      there: { status: 'done' },
      here: { random: { [set]: 1 } },
      error: 'Not allow to update order in status done',
      after: { status: 'done', tickets: ['sold', 'sold'], paid: 28_500 },
    },
  ])('an order that was changed elsewhere: $name', async ({ there, here, error, after }) => {
    const { answer, modes, changed, order } = await changedBetween(world, { there, here })
    expect([changed.status, answer.status, modes]).toEqual([200, error === undefined ? 200 : 400, REFUSED])
    expect(await stored(order)).toMatchObject(after)
    if (error !== undefined) expect(answer.body).toEqual({ errors: [error] })
    else expect(answer.body.data).toEqual((await other.client.getOrder(order)).body.data)
  })

  test('money that was spent elsewhere: the order is not completed, and the balance stays', async () => {
    const { answer, modes, balance } = await completeWithoutMoney(world)
    expect([answer.status, answer.body, modes, balance]).toEqual([
      400,
      { errors: ['Not enough money, contact to Partner vendor manager'] },
      REFUSED,
      10_000,
    ])
  })

  test('an order that another transaction has is 409 at once', async () => {
    const { answer, modes, at_once } = await lockedElsewhere(world)
    expect([at_once, answer.status, answer.body, modes]).toEqual([
      true,
      409,
      { errors: ['Conflict: another request to this order is running'] },
      REFUSED,
    ])
  })

  test('an order whose hold is over is not completed, though the process takes it to be earlier', async () => {
    const { answer, modes, state } = await completeAfterTheEnd(world)
    expect([answer.status, answer.body, modes, state]).toEqual([
      400,
      { errors: ['Incorrect status for this operation'] },
      REFUSED,
      'executed',
    ])
  })

  test('an Idempotency-Key that another process has answered: 409, and nothing happens twice', async () => {
    const { both, orders } = await sameKeyTwice(world, crypto.randomUUID())
    const [first, second] = both.toSorted((a, b) => a.answer.status - b.answer.status)
    expect([first?.answer.status, first?.modes]).toEqual([200, OPTIMISTIC])
    expect([second?.answer.status, second?.modes.refused, second?.modes.optimistic]).toEqual([409, 1, 0])
    expect(orders).toBe(1)
  })

  test('one command that the database refuses hurts only itself', async () => {
    await warm(world, one)
    await sql('ALTER TABLE orders ADD CONSTRAINT refused_by_test CHECK (price <> 600)')
    const counts = Array.from({ length: 20 }, (_, nth) => (nth === 7 ? 6 : 1))
    const [answers, modes] = await withDeskModes(one.base_url, () =>
      Promise.all(
        counts.map((count) =>
          one.client.createOrder({ event: id('warm'), random: { [id('warm_standing')]: count } }),
        ),
      ),
    )
    await sql('ALTER TABLE orders DROP CONSTRAINT refused_by_test')
    expect(answers.map(({ status }) => status)).toEqual(counts.map((count) => (count === 6 ? 500 : 200)))
    expect(answers[7]?.body).toEqual({ errors: ['internal error'] })
    expect(modes.refused).toBe(1)
    const sold = answers.filter(({ status }) => status === 200).flatMap(({ body }) => idsOf(body))
    expect(new Set(sold).size).toBe(19)
  })

  test('and after four more that ask it tries again', async () => {
    await soldElsewhere(world)
    const modes: DeskModes[] = []
    for (let nth = 0; nth < 6; nth++)
      modes.push((await told(one, (client) => client.createOrder({ event: id('many') }))).modes)
    expect(modes).toEqual([ASKING, ASKING, ASKING, ASKING, OPTIMISTIC, OPTIMISTIC])
  })
})

/** How many batches the desk has begun. */
async function batchesOf({ base_url }: Side): Promise<number> {
  const text = await (await fetch(`${base_url}/metrics`)).text()
  return Number(/^parterre_desk_batch_size_count (\d+)$/m.exec(text)?.[1])
}

describe('a batch that is sent behind another one, before that is answered', async () => {
  const made = await makeOptimisticDatabase()
  const many = { event: made.id('many'), random: { [made.id('many_standing')]: 1 } }
  const account = `partner = '${made.id('vendor')}' AND kind = 'vendor'`
  const countOrders = async () =>
    (await made.database.sql('SELECT count(*)::integer AS n FROM orders'))[0]?.['n']
  afterAll(async () => expect(await verify(made.database.db)).toEqual([]))

  /** A side with batches of two, and an order that may be completed. */
  async function openSide() {
    const pair = await openSides(made, { desk_batch_max: 2 })
    const [side] = pair.sides
    const order = await open(pair, side, 'many', 1)
    await warm(pair, side)
    return { side, order: order.id }
  }

  /** While the account is held: one that completes the order, and behind it two that make new ones. */
  async function sendBoth({ side, order }: Awaited<ReturnType<typeof openSide>>) {
    const before = await batchesOf(side)
    const first = side.client.changeOrder(order, { status: 'done' })
    await waitUntil(async () => (await batchesOf(side)) === before + 1)
    const behind = Promise.all([side.client.createOrder(many), side.client.createOrder(many)])
    await waitUntil(async () => (await batchesOf(side)) === before + 2)
    return { first, behind }
  }

  test('is written though that is refused', async () => {
    const opened = await openSide()
    const { side, order } = opened
    const [row] = await made.database.sql(`SELECT balance FROM accounts WHERE ${account}`)
    const spend: [string, unknown[]] = [`UPDATE accounts SET balance = 0 WHERE ${account}`, []]
    const [answers, modes] = await withDeskModes(side.base_url, async () => {
      const sent = await stalledBy(made.database, spend, async (untilWaiting) => {
        const both = await sendBoth(opened)
        await untilWaiting(1)
        return both
      })
      return { first: await sent.first, behind: await sent.behind }
    })
    await made.database.sql(`UPDATE accounts SET balance = balance + $1 WHERE ${account}`, [row?.['balance']])
    expect([answers.first.status, answers.first.body]).toEqual([
      400,
      { errors: ['Not enough money, contact to Partner vendor manager'] },
    ])
    expect(answers.behind.map(({ status, body }) => [status, body.data.tickets.length])).toEqual([
      [200, 1],
      [200, 1],
    ])
    expect(modes).toEqual({ optimistic: 1, asking: 1, refused: 1 })
    expect(await made.database.sql('SELECT status FROM orders WHERE id = $1', [order])).toEqual([
      { status: 'executed' },
    ])
  })

  test('is lost with it when the connection is, and the next has a new one', async () => {
    const opened = await openSide()
    const { side, order } = opened
    const before = await countOrders()
    const hold: [string, unknown[]] = [`SELECT 1 FROM accounts WHERE ${account} FOR UPDATE`, []]
    const statuses = await stalledBy(made.database, hold, async (untilWaiting) => {
      const { first, behind } = await sendBoth(opened)
      await untilWaiting(1)
      await made.database.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'parterre desk' AND wait_event_type = 'Lock'`)
      return [(await first).status, ...(await behind).map(({ status }) => status)]
    })
    expect(statuses).toEqual([503, 503, 503])
    expect(await countOrders()).toBe(before)
    const [again, modes] = await withDeskModes(side.base_url, () =>
      side.client.changeOrder(order, { status: 'done' }),
    )
    // What became of the order is not known.
    expect([again.status, modes]).toEqual([200, ASKING])
    const [next, next_modes] = await withDeskModes(side.base_url, () => side.client.createOrder(many))
    expect([next.status, next_modes]).toEqual([200, OPTIMISTIC])
  })
})

/** What `work` answers, and how many batches of both sides were written meanwhile without asking: one alone may be wrong each time. */
async function withOptimistic<T>(
  sides: readonly [Side, Side],
  work: () => Promise<T>,
): Promise<{ answers: T; optimistic: number }> {
  const [one_side, other_side] = sides
  const [[answers, there], here] = await withDeskModes(one_side.base_url, () =>
    withDeskModes(other_side.base_url, work),
  )
  return { answers, optimistic: here.optimistic + there.optimistic }
}

describe.each([
  ['batches', {}],
  ['a transaction for each request', { desk_batch_max: 1 }],
])('a rush on two processes, with %s', async (_name, settings) => {
  const made = await makeOptimisticDatabase()
  afterAll(async () => expect(await verify(made.database.db)).toEqual([]))

  test('sells each place once', async () => {
    const rush = await openSides(made, settings)
    for (const side of rush.sides) await warm(rush, side)
    const random = { [rush.id('many_standing')]: 1 }
    const { answers, optimistic } = await withOptimistic(rush.sides, () =>
      Promise.all(
        Array.from({ length: 60 }, async (_, nth) => {
          const { client } = rush.sides[nth % 2] as (typeof rush.sides)[0]
          const ids: string[] = []
          for (let visit = 0; visit < 2; visit++) {
            const { body } = await client.createOrder({ event: rush.id('many'), random })
            if (body.data.tickets.length === 0) continue
            const done = await client.changeOrder(body.data.id, { status: 'done' })
            expect(done.status).toBe(200)
            ids.push(...idsOf(done.body))
          }
          return ids
        }),
      ),
    )
    const sold = answers.flat()
    // Who finds the last ones locked by others may get none, though they are vacant again later.
    const rest = await rush.sides[1].client.createOrder({
      event: rush.id('many'),
      random: { [rush.id('many_standing')]: 50 },
    })
    sold.push(...idsOf(rest.body))
    expect([sold.length, new Set(sold).size]).toEqual([100, 100])
    expect(optimistic).toBeGreaterThan(0)
  })
})

/** Numbers from 0 up to `below`, the same ones for the same seed. */
function makeRandom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe.each([
  ['batches', {}],
  ['small batches', { desk_batch_max: 4 }],
  ['a transaction for each request', { desk_batch_max: 1 }],
])('a rush for the seats of a hall on two processes, with %s', async (_name, settings) => {
  const made = await makeOptimisticDatabase()
  const event = made.id('known_hall')
  const seats = await seatsOfHall(made, 'known_hall')
  afterAll(async () => expect(await verify(made.database.db)).toEqual([]))

  const labels = async () => {
    const rows = await made.database.sql(
      `SELECT id, "set", serial, number,
         json_build_object('row', seat_row, 'number', seat_number, 'sector', sector) AS seat
       FROM tickets WHERE event = $1`,
      [event],
    )
    return new Map(rows.map((row) => [String(row['id']), row]))
  }

  /** Buys by id and by count, changes its mind, and completes, cancels or leaves what it has; answers the orders as it saw them last. */
  async function buy({ client }: Side, nth: number): Promise<Answer<OrderBody>[]> {
    const random = makeRandom(nth)
    const label = await labels()
    /** Mostly of the half of the hall that the process has for itself. */
    const someSeats = () => {
      const half = random(4) === 0 ? 0 : (nth % 2) * (seats.length / 2)
      const first = half + random(seats.length / 2)
      return Array.from(
        { length: 1 + random(3) },
        (_, next) => seats[(first + next) % seats.length] as string,
      )
    }
    const check = (answer: Answer<OrderBody>) => {
      expect(answer).toMatchObject({ status: 200 })
      expect(labelsIn(answer)).toEqual(idsOf(answer.body).map((ticket) => label.get(ticket)))
      return answer
    }
    /** What to ask for, by an order that holds `held`; and whether it may be answered with `after`. */
    const choose = (held: string[]) => {
      if (random(3) === 0) {
        const set = made.id(random(4) === 0 ? 'known_hall_balcony' : 'known_hall_stalls')
        const count = 1 + random(3)
        const isPossible = (after: string[]) => after.length <= count
        return { ask: { random: { [set]: count } }, isPossible }
      }
      const tickets = [...new Set([...held.slice(random(2)), ...someSeats()])]
      const all_or_nothing = random(3) === 0
      const isPossible = (after: string[]) =>
        all_or_nothing
          ? [tickets, held].some((all) => all.toSorted().join() === after.toSorted().join())
          : after.every((ticket) => tickets.includes(ticket))
      return { ask: { tickets, all_or_nothing }, isPossible }
    }

    const orders: Answer<OrderBody>[] = []
    for (let visit = 0; visit < 8; visit++) {
      const { ask, isPossible } = choose([])
      let answer = check(await client.createOrder({ event, ...ask }))
      expect(isPossible(idsOf(answer.body))).toBe(true)
      const { id: order } = answer.body.data
      for (let changes = random(3); changes > 0; changes--) {
        const next = choose(idsOf(answer.body))
        answer = check(await client.changeOrder(order, next.ask))
        expect(next.isPossible(idsOf(answer.body))).toBe(true)
      }
      const end = random(10)
      if (end === 0 && answer.body.data.tickets.length > 0)
        answer = check(await client.changeOrder(order, { status: 'done' }))
      else if (end < 8) answer = check(await client.changeOrder(order, { status: 'cancelled' }))
      orders.push(answer)
    }
    return orders
  }

  test('sells each seat once, and answers what is stored', async () => {
    const rush = await openSides(made, settings)
    for (const side of rush.sides) {
      await learnHall(rush, side, 'known_hall')
      await warm(rush, side)
    }
    const sideOf = (nth: number) => rush.sides[nth % 2] as Side
    const { answers, optimistic } = await withOptimistic(rush.sides, () =>
      Promise.all(Array.from({ length: 16 }, (_, nth) => buy(sideOf(nth), nth))),
    )
    expect(optimistic).toBeGreaterThan(0)
    const orders = answers.flatMap((all, nth) => all.map((answer) => ({ answer, nth })))
    const held = orders.flatMap(({ answer }) => idsOf(answer.body))
    expect(new Set(held).size).toBe(held.length)
    for (const { answer, nth } of orders) {
      const { body } = await sideOf(nth + 1).client.getOrder(answer.body.data.id)
      expect(body.data).toEqual(answer.body.data)
    }

    // What is left is sold by id, whatever each process takes for gone.
    const sold = new Set<string>()
    for (const { answer, nth } of orders) {
      const { id: order, status } = answer.body.data
      if (status === 'done') for (const seat of idsOf(answer.body)) sold.add(seat)
      if (status === 'executed') await sideOf(nth).client.changeOrder(order, { status: 'cancelled' })
    }
    const left = seats.filter((seat) => !sold.has(seat))
    const rest = await Promise.all(
      left.map((seat, nth) => sideOf(nth).client.createOrder({ tickets: [seat], status: 'done' })),
    )
    expect(rest.map(({ body }) => idsOf(body))).toEqual(left.map((seat) => [seat]))
    expect(sold.size).toBeGreaterThan(0)
  })
})
