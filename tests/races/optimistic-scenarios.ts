import { statements as orders } from '../../src/orders/desk-rows.ts'
import type { Statement } from '../../src/platform/db/sql-file.ts'
import { createClient, type Answer, type Client, type OrderBody } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withDeskModes, type DeskModes } from '../support/desk-modes.ts'
import { importWorld, makeCatalog, makeEvent, makeSet, type World } from '../support/makers.ts'
import { idsOf } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'

/**
 * What a process remembers, and is not so any more: changed by another process, by a statement, or by the time. Each is one request
 * to a desk that has every reason not to ask first. The same scenarios run with the guards off as controls.
 */
export type OptimisticWorld = World & { database: TestDatabase; sides: [Side, Side] }

/** A service, and the vendor's client of it. */
export type Side = { base_url: string; client: Client }

/** What the request was answered, and what the desk's batches were meanwhile. */
export type Told = { answer: Answer<OrderBody>; modes: DeskModes }

export const OPTIMISTIC: DeskModes = { optimistic: 1, asking: 0, refused: 0 }
export const REFUSED: DeskModes = { optimistic: 0, asking: 1, refused: 1 }
export const ASKING: DeskModes = { optimistic: 0, asking: 1, refused: 0 }

export type OptimisticDatabase = World & { database: TestDatabase }

/** Each with 40 seats in the set `<ref>_stalls` and 20 in `<ref>_balcony`, at 10.00. */
const HALLS = [
  'known_hall',
  'counted_hall',
  'unseen_hall',
  'missed_hall',
  'sold_hall',
  'released_hall',
  'unchanged_hall',
]

function makeHall(ref: string): object {
  const sets = ['stalls', 'balcony'].map((sector) => ({
    ref: `${ref}_${sector}`,
    name: sector,
    price: '10.00',
    with_seats: true,
    sector,
  }))
  return makeEvent(ref, { map: 'house', sets })
}

/** Rows and seats are named so that neither can be told from its place. */
function makeHouse(): object {
  const rows = (names: string[], from: number) => names.map((row) => ({ row, seats: 10, from }))
  const sectors = [
    { ref: 'stalls', name: 'Stalls', with_seats: true, rows: rows(['4', 'Ложа "А"', '2b', '1'], 11) },
    { ref: 'balcony', name: 'Balcony', with_seats: true, rows: rows(['1', 'C'], 101) },
  ]
  return { ref: 'house', venue: 'venue', name: 'House', sectors }
}

/** `without`: constraints that are dropped. */
export async function makeOptimisticDatabase({
  without = [] as readonly string[],
} = {}): Promise<OptimisticDatabase> {
  const usual = makeCatalog()
  const database = await createTestDatabase()
  const events = ['sold_elsewhere', 'last_places', 'resold', 'many', 'kept'].map((ref) => makeEvent(ref))
  const world = await importWorld(database, {
    ...usual,
    maps: [...(usual['maps'] as object[]), makeHouse()],
    events: [
      ...(usual['events'] as object[]),
      ...events,
      ...HALLS.map(makeHall),
      makeEvent('warm', { sets: [makeSet('warm_standing', { amount: 3000, price: '1.00' })] }),
      makeEvent('over_in_2_s', { order_lifetime_s: 2 }),
      makeEvent('over_in_4_s', { order_lifetime_s: 4 }),
      makeEvent('over_in_60_s', { order_lifetime_s: 60 }),
    ],
  })
  for (const constraint of without) {
    const [table, name] = constraint.split('.')
    await database.sql(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  }
  return { ...world, database }
}

/** Two services on the database, with one lane each, and no job by which orders lapse. In a test they are closed at its end. */
export async function openSides(
  made: OptimisticDatabase,
  settings: { desk_batch_max?: number } = {},
): Promise<OptimisticWorld> {
  const openSide = async (): Promise<Side> => {
    const { base_url } = await startService({
      database: made.database,
      parts: ['api'],
      // On a slow machine commands wait for longer than is usual.
      config: { desk_lanes: 1, desk_wait_max_ms: 60_000, ...settings },
    })
    return { base_url, client: createClient(base_url, made.key('vendor')) }
  }
  return { ...made, sides: [await openSide(), await openSide()] }
}

/** Sells until it has been done without asking first: then the side knows the time, the vendor's account, and numbers. */
export async function warm({ id }: World, { base_url, client }: Side): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const [, { optimistic }] = await withDeskModes(base_url, () =>
      client.createOrder({ event: id('warm'), random: { [id('warm_standing')]: 1 }, status: 'done' }),
    )
    if (optimistic === 1) return
  }
  throw new Error('the desk asks again and again')
}

/** Creates an order of the event's places. */
export async function open({ id }: World, { client }: Side, event: string, count: number) {
  const { body } = await client.createOrder({
    event: id(event),
    random: { [id(`${event}_standing`)]: count },
  })
  return body.data
}

/** Ids of the seats of the hall, in order of sector, row and seat. */
export async function seatsOfHall({ id, database }: OptimisticDatabase, hall: string): Promise<string[]> {
  const rows = await database.sql(
    'SELECT id FROM tickets WHERE event = $1 ORDER BY sector, row_pos, seat_pos',
    [id(hall)],
  )
  return rows.map((row) => String(row['id']))
}

/** Has the side learn of the seats of the hall, by asking for some of each set. */
export async function learnHall({ id }: World, { client }: Side, hall: string): Promise<void> {
  const random = { [id(`${hall}_stalls`)]: 1, [id(`${hall}_balcony`)]: 1 }
  const { body } = await client.createOrder({ event: id(hall), random })
  await client.changeOrder(body.data.id, { status: 'cancelled' })
}

export async function told(side: Side, send: (client: Client) => Promise<Answer<OrderBody>>): Promise<Told> {
  const [answer, modes] = await withDeskModes(side.base_url, () => send(side.client))
  return { answer, modes }
}

/** One side has just had two places and released them, and would sell them next; the other sells them. */
export async function soldElsewhere(world: OptimisticWorld): Promise<Told & { sold: string[] }> {
  const { sides, id } = world
  const [one, other] = sides
  const random = { [id('sold_elsewhere_standing')]: 2 }
  const { id: order, tickets } = await open(world, one, 'sold_elsewhere', 2)
  await one.client.changeOrder(order, { status: 'cancelled' })
  await warm(world, one)
  const sold = await other.client.createOrder({
    event: id('sold_elsewhere'),
    tickets: tickets.map((ticket) => ticket.id),
    status: 'done',
  })
  const selling = await told(one, (client) => client.createOrder({ event: id('sold_elsewhere'), random }))
  return { ...selling, sold: idsOf(sold.body) }
}

/** One side takes a seat for vacant that the other has sold, and is asked for it by its id. */
export async function seatSoldElsewhere(world: OptimisticWorld): Promise<Told & { seat: string }> {
  const [one, other] = world.sides
  const event = world.id('sold_hall')
  await learnHall(world, one, 'sold_hall')
  const [seat] = (await seatsOfHall(world, 'sold_hall')) as [string]
  await warm(world, one)
  await other.client.createOrder({ event, tickets: [seat], status: 'done' })
  return { ...(await told(one, (client) => client.createOrder({ event, tickets: [seat] }))), seat }
}

/** One side takes a seat for gone that the other has released, and is asked for it by its id. */
export async function seatReleasedElsewhere(world: OptimisticWorld): Promise<Told & { seat: string }> {
  const [one, other] = world.sides
  const event = world.id('released_hall')
  await learnHall(world, one, 'released_hall')
  const [seat] = (await seatsOfHall(world, 'released_hall')) as [string]
  const { body } = await one.client.createOrder({ event, tickets: [seat] })
  await warm(world, one)
  await other.client.changeOrder(body.data.id, { status: 'cancelled' })
  return { ...(await told(one, (client) => client.createOrder({ event, tickets: [seat] }))), seat }
}

/**
 * One side has made an order of two seats, of which the other has released the second. The first is asked for a third, all or
 * nothing, that it knows to be gone.
 */
export async function unchangedSinceOthersChange(
  world: OptimisticWorld,
): Promise<Told & { order: string; seats: string[] }> {
  const [one, other] = world.sides
  const event = world.id('unchanged_hall')
  await learnHall(world, one, 'unchanged_hall')
  const [first, second, gone] = (await seatsOfHall(world, 'unchanged_hall')) as [string, string, string]
  await one.client.createOrder({ event, tickets: [gone], status: 'done' })
  const { body } = await one.client.createOrder({ event, tickets: [first, second] })
  const order = body.data.id
  await warm(world, one)
  await other.client.changeOrder(order, { tickets: [first] })
  const tickets = [first, second, gone]
  const asked = await told(one, (client) => client.changeOrder(order, { tickets, all_or_nothing: true }))
  return { ...asked, order, seats: tickets }
}

/** One side has made an order of two; the other has done `there` to it before the first does `here`. */
export async function changedBetween(
  world: OptimisticWorld,
  { there, here }: { there: object; here: object },
): Promise<Told & { order: string; changed: Answer<OrderBody> }> {
  const [one, other] = world.sides
  const { id: order } = await open(world, one, 'many', 2)
  await warm(world, one)
  const changed = await other.client.changeOrder(order, there)
  return { order, changed, ...(await told(one, (client) => client.changeOrder(order, here))) }
}

/** A vendor whom the process knows to be rich has no more than 100.00, and completes an order that costs more. */
export async function completeWithoutMoney(world: OptimisticWorld): Promise<Told & { balance: number }> {
  const { sql } = world.database
  const [one] = world.sides
  const { id: order } = await open(world, one, 'many', 1)
  await warm(world, one)
  const account = `partner = $1 AND kind = 'vendor'`
  const vendor = world.id('vendor')
  const balanceOf = async () =>
    Number((await sql(`SELECT balance FROM accounts WHERE ${account}`, [vendor]))[0]?.['balance'])
  const before = await balanceOf()
  await sql(`UPDATE accounts SET balance = 10000 WHERE ${account}`, [vendor])
  const selling = await told(one, (client) => client.changeOrder(order, { status: 'done' }))
  const balance = await balanceOf()
  await sql(`UPDATE accounts SET balance = balance + $2 WHERE ${account}`, [vendor, before - 10_000])
  return { ...selling, balance }
}

/** Another transaction has the order: whether the answer came at once, and else after it. */
export async function lockedElsewhere(world: OptimisticWorld): Promise<Told & { at_once: boolean }> {
  const [one] = world.sides
  const { id: order } = await open(world, one, 'many', 1)
  await warm(world, one)
  const lock: [string, unknown[]] = ['SELECT 1 FROM orders WHERE id = $1 FOR UPDATE', [order]]
  const { at_once, changing } = await stalledBy(world.database, lock, async (untilWaiting) => {
    const sent = told(one, (client) => client.changeOrder(order, { vendor_data: { order_id: '1' } }))
    const is_first = await Promise.race([sent.then(() => true), untilWaiting(1).then(() => false)])
    return { at_once: is_first, changing: sent }
  })
  return { ...(await changing), at_once }
}

/** The process takes it to be 20 s earlier than it is, and completes an order whose hold is over. */
export async function completeAfterTheEnd(world: OptimisticWorld): Promise<Told & { state: unknown }> {
  const { sql } = world.database
  const [one] = world.sides
  await warm(world, one)
  const { id: order } = await open(world, one, 'over_in_2_s', 1)
  await waitUntil(async () => {
    const [row] = await sql('SELECT clock_timestamp() > expired_after AS is_over FROM orders WHERE id = $1', [
      order,
    ])
    return row?.['is_over']
  })
  await withClockSlow(() => warm(world, one))
  const selling = await told(one, (client) => client.changeOrder(order, { status: 'done' }))
  const [row] = await sql('SELECT status FROM orders WHERE id = $1', [order])
  return { ...selling, state: row?.['status'] }
}

/** What processes read of the clock meanwhile is 20 s behind; what is judged by the database is not. */
async function withClockSlow(work: () => Promise<void>): Promise<void> {
  const writable = orders as Record<string, Statement>
  const { read_clock } = orders
  const NOW = 'clock_timestamp() AS now'
  if (!read_clock.text.includes(NOW)) throw new Error(`read_clock has no ${NOW}`)
  writable['read_clock'] = {
    name: `${read_clock.name}_slow`,
    text: read_clock.text.replace(NOW, `clock_timestamp() - interval '20 s' AS now`),
  }
  try {
    await work()
  } finally {
    writable['read_clock'] = read_clock
  }
}

/** The same request with the same Idempotency-Key to both, neither of which has seen the other's answer. */
export async function sameKeyTwice(
  world: OptimisticWorld,
  key: string,
): Promise<{ both: [Told, Told]; orders: number }> {
  const { database, id, sides } = world
  const set = id('kept_standing')
  const countOrders = async () => {
    const [row] = await database.sql('SELECT count(*)::integer AS n FROM orders WHERE event = $1', [
      id('kept'),
    ])
    return Number(row?.['n'])
  }
  for (const side of sides) await warm(world, side)
  const before = await countOrders()
  const lock: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [set]]
  const { sent } = await stalledBy(database, lock, async (untilWaiting) => {
    const answers = Promise.all(
      sides.map((side) =>
        told(side, (client) =>
          client.send<OrderBody>('POST', '/v2/resources/orders', {
            body: { event: id('kept'), random: { [set]: 1 } },
            headers: { 'idempotency-key': key },
          }),
        ),
      ),
    ) as Promise<[Told, Told]>
    await untilWaiting(2)
    return { sent: answers }
  })
  return { both: await sent, orders: (await countOrders()) - before }
}
