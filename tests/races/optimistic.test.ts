import { afterAll, describe, expect, test } from 'vitest'
import { verify } from '../../src/main/verify/verify.ts'
import { createClient } from '../support/client.ts'
import { withDeskModes, type DeskModes } from '../support/desk-modes.ts'
import { countsOf, idsOf } from '../support/order-world.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'
import {
  ASKING,
  changedBetween,
  completeAfterTheEnd,
  completeWithoutMoney,
  lockedElsewhere,
  open,
  makeOptimisticDatabase,
  openSides,
  OPTIMISTIC,
  REFUSED,
  sameKeyTwice,
  soldElsewhere,
  told,
  warm,
} from './optimistic-scenarios.ts'

/** Batches that are written without asking first, with another process on the database that makes them wrong. */

const world = await openSides(await makeOptimisticDatabase())
const { id, database } = world
const { sql } = database
const [one, other] = world.sides

afterAll(async () => expect(await verify(database.db)).toEqual([]))

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

describe('it asks', () => {
  test('for seats', async () => {
    await warm(world, one)
    const set = id('seats')
    const { answer, modes } = await told(one, (client) =>
      client.createOrder({ event: id('event'), random: { [set]: 2 } }),
    )
    expect([countsOf(answer.body), modes]).toEqual([{ [set]: 2 }, ASKING])
    expect(answer.body.data.tickets.map(({ seat }) => seat?.row)).toEqual(['1', '1'])
    const more = await told(one, (client) =>
      client.changeOrder(answer.body.data.id, { random: { [set]: 3, [id('standing')]: 1 } }),
    )
    expect([countsOf(more.answer.body), more.modes]).toEqual([{ [set]: 3, [id('standing')]: 1 }, ASKING])
    // What they are completed with is known.
    const done = await told(one, (client) => client.changeOrder(answer.body.data.id, { status: 'done' }))
    expect(done.modes).toEqual(OPTIMISTIC)
    expect(await stored(answer.body.data.id)).toMatchObject({
      status: 'done',
      tickets: Array(4).fill('sold'),
    })
  })

  test('for tickets by name', async () => {
    await warm(world, one)
    const rows = await sql(`SELECT id FROM tickets WHERE "set" = $1 AND status = 'vacant' LIMIT 2`, [
      id('vip'),
    ])
    const tickets = rows.map((row) => String(row['id']))
    const created = await told(one, (client) => client.createOrder({ event: id('event'), tickets }))
    expect([idsOf(created.answer.body).toSorted(), created.modes]).toEqual([tickets.toSorted(), ASKING])
    const changed = await told(one, (client) =>
      client.changeOrder(created.answer.body.data.id, { tickets: tickets.slice(0, 1) }),
    )
    expect([idsOf(changed.answer.body), changed.modes]).toEqual([tickets.slice(0, 1), ASKING])
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
    const batches = async () => {
      const text = await (await fetch(`${side.base_url}/metrics`)).text()
      return Number(/^parterre_desk_batch_size_count (\d+)$/m.exec(text)?.[1])
    }
    const before = await batches()
    const first = side.client.changeOrder(order, { status: 'done' })
    await waitUntil(async () => (await batches()) === before + 1)
    const behind = Promise.all([side.client.createOrder(many), side.client.createOrder(many)])
    await waitUntil(async () => (await batches()) === before + 2)
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
    const [answers, modes] = await withDeskModes(rush.sides[0].base_url, () =>
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
    expect(modes.optimistic).toBeGreaterThan(0)
  })
})
