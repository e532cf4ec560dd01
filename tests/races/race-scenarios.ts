import { createClient, type Answer, type Client, type OrderBody } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog, makeEvent, type World } from '../support/makers.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'

/**
 * The races, each stopped where it would go wrong: both sides have read what they decide by, and neither has written. The
 * same scenarios run with the guards on, in one process and in two, and with the guards off as controls.
 */
export type RaceWorld = World & {
  database: TestDatabase
  /** The same key's clients of the one or two services, taken in turn. */
  sides(key: string): [Client, Client]
  /** How many connections wait once both sides are under way: two commands of one process share a batch or a lane. */
  waiting: number
}

export async function makeRaceDatabase(): Promise<{ database: TestDatabase; world: World }> {
  const usual = makeCatalog()
  const database = await createTestDatabase()
  const world = await importWorld(database, {
    ...usual,
    events: [...(usual['events'] as object[]), makeEvent('brief_event', { order_lifetime_s: 2 })],
  })
  return { database, world }
}

export function makeRaceWorld(
  { database, world }: Awaited<ReturnType<typeof makeRaceDatabase>>,
  base_urls: readonly string[],
): RaceWorld {
  const [first, second = first] = base_urls as [string, string?]
  return {
    ...world,
    database,
    sides: (key) => [createClient(first, world.key(key)), createClient(second, world.key(key))],
    waiting: base_urls.length,
  }
}

/** Time enough for the job to come by. */
const LAPSE_ROUNDS = '1.5 s'

type Both = [Answer<OrderBody>, Answer<OrderBody>]

/** Lets both sides go at once, up to the update of the set's counts, which is the last a command waits for. */
function bothUpToCounts(
  world: RaceWorld,
  set: string,
  send: (client: Client) => Promise<Answer<OrderBody>>,
): Promise<Both> {
  return bothUpTo(
    world,
    ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [set]],
    world.sides('vendor'),
    send,
  )
}

async function bothUpTo(
  world: RaceWorld,
  lock: [string, unknown[]],
  sides: [Client, Client],
  send: (client: Client, side: number) => Promise<Answer<OrderBody>>,
): Promise<Both> {
  const answers = await stalledBy(world.database, lock, async (untilWaiting) => {
    const sent = Promise.all(sides.map(send)) as Promise<Both>
    await untilWaiting(world.waiting)
    return { sent }
  })
  return answers.sent
}

/** Two buyers, one seat: who has it by the answers. */
export async function twoBuyersOneSeat(world: RaceWorld, row: number): Promise<string[]> {
  const [seat] = await world.database.sql(
    'SELECT id FROM tickets WHERE "set" = $1 AND row_pos = $2 ORDER BY id',
    [world.id('seats'), row],
  )
  const tickets = [String(seat?.['id'])]
  const answers = await bothUpToCounts(world, world.id('seats'), (client) =>
    client.createOrder({ event: world.id('event'), tickets }),
  )
  return answers.filter(({ body }) => body.data.tickets.length === 1).map(({ body }) => body.data.id)
}

/** Two buyers, one last ticket of a count: how many each got. */
export async function lastOfCount(world: RaceWorld): Promise<number[]> {
  const [client] = world.sides('vendor')
  const set = world.id('vip')
  const [row] = await world.database.sql('SELECT vacant FROM set_counts WHERE "set" = $1', [set])
  const random = { [set]: Number(row?.['vacant']) - 1 }
  await client.createOrder({ event: world.id('event'), random })
  const answers = await bothUpToCounts(world, set, (side) =>
    side.createOrder({ event: world.id('event'), random: { [set]: 1 } }),
  )
  return answers.map(({ body }) => body.data.tickets.length).toSorted()
}

/** Two requests on one order, the second sent while the first is running: their statuses. */
export async function twoRequestsOneOrder(world: RaceWorld): Promise<number[]> {
  const [first, second] = world.sides('vendor')
  const set = world.id('standing')
  const { data } = (await first.createOrder({ event: world.id('event'), random: { [set]: 2 } })).body
  const lock: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [set]]
  const sent = await stalledBy(world.database, lock, async (untilWaiting) => {
    const one = first.changeOrder(data.id, { random: { [set]: 3 } })
    await untilWaiting(1)
    const two = second.changeOrder(data.id, { random: { [set]: 1 } })
    await Promise.race([two, untilWaiting(2)])
    return { one, two }
  })
  return [(await sent.one).status, (await sent.two).status]
}

/**
 * An order is being completed when its lifetime ends and the job comes by: what it is afterwards. The vendor has just the
 * money, so that its account is locked before anything is written.
 */
export async function completeAgainstLapse(
  world: RaceWorld,
): Promise<{ answer: number; state: unknown; tickets: unknown[] }> {
  const { sql } = world.database
  const [client] = world.sides('poor')
  await deposit(world, '285.00')
  const event = world.id('brief_event')
  const { data } = (await client.createOrder({ event, random: { [world.id('brief_event_standing')]: 2 } }))
    .body
  const lock = lockOnAccount(world, 'poor')
  const { completing } = await stalledBy(world.database, lock, async (untilWaiting) => {
    const answered = client.changeOrder(data.id, { status: 'done' })
    await untilWaiting(1)
    await waitUntil(async () => {
      const [row] = await sql(
        'SELECT clock_timestamp() > expired_after + $2::interval AS over FROM orders WHERE id = $1',
        [data.id, LAPSE_ROUNDS],
      )
      return row?.['over']
    })
    return { completing: answered }
  })
  const answer = await completing
  const tickets = await sql('SELECT status FROM tickets WHERE id = ANY($1) ORDER BY id', [
    data.tickets.map(({ id }) => id),
  ])
  return {
    answer: answer.status,
    state: await stateOf(data.id),
    tickets: tickets.map((row) => row['status']),
  }

  async function stateOf(order: string): Promise<unknown> {
    return (await sql('SELECT status FROM orders WHERE id = $1', [order]))[0]?.['status']
  }
}

/** Two completions against a balance that is enough for one: statuses, and the balance afterwards. */
export async function twoCompletionsOneBalance(
  world: RaceWorld,
): Promise<{ statuses: number[]; balance: number }> {
  const { sql } = world.database
  const sides = world.sides('poor')
  await deposit(world, '142.50')
  const random = { [world.id('standing')]: 1 }
  const orders: string[] = []
  for (const client of sides)
    orders.push((await client.createOrder({ event: world.id('event'), random })).body.data.id)
  const answers = await bothUpTo(world, lockOnAccount(world, 'poor'), sides, (client, side) =>
    client.changeOrder(orders[side] as string, { status: 'done' }),
  )
  const [row] = await sql(`SELECT balance FROM accounts WHERE partner = $1 AND kind = 'vendor'`, [
    world.id('poor'),
  ])
  return { statuses: answers.map(({ status }) => status).toSorted(), balance: Number(row?.['balance']) }
}

/**
 * A vendor with so much money that its account is not locked completes an order while the money is spent elsewhere: the status,
 * what the order is then, and whether the balance is below zero.
 */
export async function completeWhileMoneyGoes(
  world: RaceWorld,
): Promise<{ answer: number; state: unknown; overspent: boolean }> {
  const { sql } = world.database
  const [client] = world.sides('vendor')
  const random = { [world.id('standing')]: 1 }
  const { data } = (await client.createOrder({ event: world.id('event'), random })).body
  const account = `partner = $1 AND kind = 'vendor'`
  const [before] = await sql(`SELECT balance FROM accounts WHERE ${account}`, [world.id('vendor')])
  const spend: [string, unknown[]] = [
    `UPDATE accounts SET balance = 0 WHERE ${account}`,
    [world.id('vendor')],
  ]
  const { completing } = await stalledBy(world.database, spend, async (untilWaiting) => {
    const answered = client.changeOrder(data.id, { status: 'done' })
    await untilWaiting(1)
    return { completing: answered }
  })
  const answer = await completing
  const [after] = await sql(
    `SELECT o.status, a.balance < 0 AS overspent FROM orders o, accounts a WHERE o.id = $2 AND a.${account}`,
    [world.id('vendor'), data.id],
  )
  await sql(`UPDATE accounts SET balance = balance + $2 WHERE ${account}`, [
    world.id('vendor'),
    before?.['balance'],
  ])
  return { answer: answer.status, state: after?.['status'], overspent: after?.['overspent'] === true }
}

/** One side makes an order of two, the other takes one away, the first wants two again: how many it was told, and has. */
export async function changedElsewhere(world: RaceWorld): Promise<{ told: number; held: unknown }> {
  const [first, second] = world.sides('vendor')
  const set = world.id('standing')
  const { data } = (await first.createOrder({ event: world.id('event'), random: { [set]: 2 } })).body
  await second.changeOrder(data.id, { random: { [set]: 1 } })
  const { body } = await first.changeOrder(data.id, { random: { [set]: 2 } })
  const [row] = await world.database.sql(
    `SELECT count(*)::integer AS held FROM tickets WHERE "order" = $1 AND status = 'reserved'`,
    [data.id],
  )
  return { told: body.data.tickets.length, held: row?.['held'] }
}

function lockOnAccount(world: RaceWorld, partner: string): [string, unknown[]] {
  return [`SELECT 1 FROM accounts WHERE partner = $1 AND kind = 'vendor' FOR UPDATE`, [world.id(partner)]]
}

async function deposit(world: RaceWorld, amount: string): Promise<void> {
  await importWorld(world.database, {
    accounts: [{ partner: world.id('poor'), deposit: amount, ref: crypto.randomUUID() }],
  })
}
