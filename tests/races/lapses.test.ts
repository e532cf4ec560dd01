import { afterAll, describe, expect, test } from 'vitest'
import { verify } from '../../src/main/verify/verify.ts'
import type { Config } from '../../src/main/config.ts'
import type { Part } from '../../src/main/parts.ts'
import { createClient, type Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { withDeskModes } from '../support/desk-modes.ts'
import { importWorld, makeCatalog, makeEvent, makeSet } from '../support/makers.ts'
import { idsOf } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'

/** Unpaid orders end beside what buyers do: on connections of their own, in batches of their own. */

/** Enough that a process which is refused now and then is right in between. */
const PLACES = 400

/** A store with an event `brief` whose orders last two seconds; no other file's or describe's job ends them. */
async function openBriefWorld() {
  const usual = makeCatalog()
  const database = await createTestDatabase()
  const event = makeEvent('brief', {
    order_lifetime_s: 2,
    sets: [makeSet('brief_set', { amount: PLACES, price: '1.00' })],
  })
  const { id, key } = await importWorld(database, {
    ...usual,
    events: [...(usual['events'] as object[]), event],
  })
  afterAll(async () => expect(await verify(database.db)).toEqual([]))

  return {
    id,
    database,

    async openSide(parts: readonly Part[], config: Partial<Config> = {}) {
      const service = await startService({ database, parts, config })
      return { service, client: createClient(service.base_url, key('vendor')) }
    },

    /** An order of so many places of the brief event. */
    async hold(client: Client, count: number) {
      const { body } = await client.createOrder({ event: id('brief'), random: { [id('brief_set')]: count } })
      return { order: body.data.id, tickets: idsOf(body) }
    },

    /** Whoever changes what the event has on sale waits while `work` runs. */
    withCountsLocked<T>(work: (untilWaiting: (connections: number) => Promise<void>) => Promise<T>) {
      const lock = 'SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE'
      return stalledBy(database, [lock, [id('brief_set')]], work)
    },

    /** How many orders of the event there are in each state. */
    async states() {
      const rows = await database.sql(
        'SELECT status, count(*)::integer AS n FROM orders WHERE event = $1 GROUP BY status',
        [id('brief')],
      )
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
    },
  }
}

describe('while an order is ending', async () => {
  const world = await openBriefWorld()
  const { id } = world
  const ending = await world.openSide(['api', 'jobs'])
  const beside = await world.openSide(['api'])

  test('a request for it waits and is told so, 409 in another process; those for others go on', async () => {
    const { client } = ending
    const { order } = await world.hold(client, 2)
    const { elsewhere, others, changing } = await world.withCountsLocked(async (untilWaiting) => {
      await untilWaiting(1)
      let is_answered = false
      const sent = client.changeOrder(order, { status: 'done' }).finally(() => (is_answered = true))
      const refused = await beside.client.changeOrder(order, { status: 'done' })
      const created = await client.createOrder({ event: id('event'), random: { [id('standing')]: 1 } })
      const changed = await client.changeOrder(created.body.data.id, { status: 'cancelled' })
      expect(is_answered).toBe(false)
      return { elsewhere: refused, others: [created.status, changed.status], changing: sent }
    })
    expect([elsewhere.status, others]).toEqual([409, [200, 200]])
    const { status, body } = await changing
    expect([status, body]).toEqual([400, { errors: ['Incorrect status for this operation'] }])
    expect(await world.states()).toEqual({ expired: 1 })
  })
})

describe.each([
  ['batches', {}],
  ['a transaction for each command', { desk_batch_max: 1 }],
])(
  'a set whose places are all held by orders that end, on two processes with %s',
  async (_name, settings) => {
    const world = await openBriefWorld()
    const config = { desk_lanes: 1, desk_wait_max_ms: 60_000, ...settings }
    const sides = [
      await world.openSide(['api', 'jobs'], config),
      await world.openSide(['api', 'jobs'], config),
    ] as const
    const clientOf = (nth: number) => sides[nth % 2 === 0 ? 0 : 1].client

    test('sells each place once, to those who ask again and again', async () => {
      const held = await Promise.all(
        Array.from({ length: PLACES / 2 }, (_, nth) => world.hold(clientOf(nth), 2)),
      )
      expect(new Set(held.flatMap(({ tickets }) => tickets)).size).toBe(PLACES)
      const sold: string[] = []
      const buyAgainAndAgain = async (client: Client) => {
        while (sold.length < PLACES) {
          const { order, tickets } = await world.hold(client, 1)
          if (tickets.length === 0) continue
          const done = await client.changeOrder(order, { status: 'done' })
          if (done.status === 200) sold.push(...idsOf(done.body))
        }
      }
      const [, modes] = await withDeskModes(sides[0].service.base_url, () =>
        Promise.all(Array.from({ length: 16 }, (_, nth) => buyAgainAndAgain(clientOf(nth)))),
      )
      expect([sold.length, new Set(sold).size]).toEqual([PLACES, PLACES])
      expect(modes.optimistic).toBeGreaterThan(0)
      const ended = await world.database.sql('SELECT DISTINCT status FROM orders WHERE id = ANY($1)', [
        held.map(({ order }) => order),
      ])
      expect(ended).toEqual([{ status: 'expired' }])
    })
  },
)

describe('a service that stops while orders end', async () => {
  const world = await openBriefWorld()

  test('waits for them', async () => {
    const { service, client } = await world.openSide(['api', 'jobs'], { desk_batch_max: 1 })
    await Promise.all(Array.from({ length: 10 }, () => world.hold(client, 1)))
    const { closing } = await world.withCountsLocked(async (untilWaiting) => {
      // Two connections, an order each.
      await untilWaiting(2)
      let is_closed = false
      const closed = service.close().finally(() => (is_closed = true))
      await waitUntil(async () => (await fetch(service.base_url).catch(() => undefined)) === undefined)
      expect(is_closed).toBe(false)
      return { closing: closed }
    })
    await closing
    // None is left half done, nor behind an answer that nobody has heard.
    const { expired = 0, executed = 0 } = await world.states()
    expect(expired).toBeGreaterThanOrEqual(2)
    expect(expired + executed).toBe(10)
    const desks = `SELECT 1 FROM pg_stat_activity
                   WHERE datname = current_database() AND application_name = 'parterre desk'`
    await waitUntil(async () => (await world.database.sql(desks)).length === 0)
  })
})
