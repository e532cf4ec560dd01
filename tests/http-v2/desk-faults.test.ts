import { describe, expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { withDeskModes } from '../support/desk-modes.ts'
import { idsOf, openOrderWorld } from '../support/order-world.ts'
import { exitOf, spawnService, startService } from '../support/service.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'

const world = await openOrderWorld()
const { id } = world
const { sql } = world.database
const vendor = world.client('vendor')

describe('a batch that the database refuses as a whole', () => {
  test('hurts only the command that it was refused for', async () => {
    await sql('ALTER TABLE orders ADD CONSTRAINT refused_by_test CHECK (price <> 45000)')
    const counts = Array.from({ length: 20 }, (_, index) => (index === 7 ? 3 : 1))
    const answers = await Promise.all(
      counts.map((count) => vendor.createOrder({ event: id('event'), random: { [id('standing')]: count } })),
    )
    await sql('ALTER TABLE orders DROP CONSTRAINT refused_by_test')
    expect(answers.map(({ status }) => status)).toEqual(counts.map((count) => (count === 3 ? 500 : 200)))
    expect(answers[7]?.body).toEqual({ errors: ['internal error'] })
    const sold = answers.filter(({ status }) => status === 200).flatMap(({ body }) => idsOf(body))
    expect(new Set(sold).size).toBe(19)
    // What the refused command had picked is for sale still.
    const rest = await Promise.all([
      vendor.createOrder({ event: id('event'), random: { [id('standing')]: 50 } }),
      vendor.createOrder({ event: id('event'), random: { [id('standing')]: 31 } }),
    ])
    expect(rest.flatMap(({ body }) => idsOf(body))).toHaveLength(81)
  })
})

describe('a batch that asks nothing first and that the database refuses', () => {
  test('hurts only the command that it was refused for', async () => {
    const event = id('other_event')
    const set = id('other_standing')
    // Then the process knows the time and has numbers, so that it need not ask.
    await waitUntil(async () => {
      const [, { optimistic }] = await withDeskModes(world.base_url, () => vendor.createOrder({ event }))
      return optimistic === 1
    })
    await sql('ALTER TABLE orders ADD CONSTRAINT refused_by_test CHECK (price <> 60000)')
    const counts = [1, 1, 3, 1, 1, 1]
    const [answers, modes] = await withDeskModes(world.base_url, () =>
      Promise.all(counts.map((count) => vendor.createOrder({ event, random: { [set]: count } }))),
    )
    await sql('ALTER TABLE orders DROP CONSTRAINT refused_by_test')
    expect(modes.refused).toBe(1)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 500, 200, 200, 200])
    expect(answers[2]?.body).toEqual({ errors: ['internal error'] })
    // What the refused command had picked is for sale still.
    const rest = await vendor.createOrder({ event, random: { [set]: 20 } })
    const sold = [...answers.filter(({ status }) => status === 200), rest].flatMap(({ body }) => idsOf(body))
    expect([sold.length, new Set(sold).size]).toEqual([20, 20])
  })
})

describe('a database that goes away', () => {
  test('while the answer to a refund request is kept ends the request, not the process', async () => {
    const { base_url } = await spawnService({ DATABASE_URL: world.database.url, DEMO_CATALOG: 'off' })
    const client = createClient(base_url, world.key('vendor'))
    const sale = { event: id('event'), random: { [id('vip')]: 1 }, status: 'done' }
    const { data } = (await client.createOrder(sale)).body
    const send = (method: 'POST' | 'PATCH', path: string, body: object) =>
      client.send<{ data: { id: string } }>(method, `/v2/resources/refund_requests${path}`, {
        body,
        headers: { 'idempotency-key': `kept-${method}` },
      })
    // What is kept can be read, but not written.
    const lock: [string, unknown[]] = ['LOCK TABLE idempotent_answers IN SHARE MODE', []]
    const cut = (work: () => ReturnType<typeof send>) =>
      stalledBy(world.database, lock, async (untilWaiting) => {
        const sent = work()
        await untilWaiting(1)
        await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'`)
        return (await sent).status
      })
    const ask = () =>
      send('POST', '', { order: data.id, culprit: 'user', tickets: data.tickets.map((ticket) => ticket.id) })
    expect(await cut(ask)).toBe(503)
    const asked = await ask()
    expect(asked.status).toBe(200)
    const approve = () => send('PATCH', `/${asked.body.data.id}`, { status: 'approved' })
    expect(await cut(approve)).toBe(503)
    expect((await approve()).status).toBe(200)
  })

  test('is answered 503 with Retry-After while it is gone, and the service goes on by itself after', async () => {
    const { data } = (await vendor.createOrder({ event: id('event'), random: { [id('vip')]: 1 } })).body
    const counts: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [id('vip')]]
    const { changing } = await stalledBy(world.database, counts, async (untilWaiting) => {
      const sent = vendor.changeOrder(data.id, { random: { [id('vip')]: 2 } })
      await untilWaiting(1)
      await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'parterre desk'`)
      return { changing: sent }
    })
    const { status, headers, body } = await changing
    expect([status, headers.get('retry-after'), body]).toEqual([
      503,
      '1',
      { errors: ['the store is away, try again'] },
    ])
    // Each of the connections that were cut is found so by the one request that uses it next.
    let again = await vendor.changeOrder(data.id, { random: { [id('vip')]: 2 } })
    await waitUntil(async () => {
      if (again.status === 503) again = await vendor.changeOrder(data.id, { random: { [id('vip')]: 2 } })
      return again.status !== 503
    })
    expect([again.status, idsOf(again.body).length]).toEqual([200, 2])
  })
})

describe('a batch whose orders cannot be loaded', () => {
  test.each([
    [
      'its connection is lost',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'parterre desk' AND wait_event_type = 'Lock'`,
    ],
    ['it waits for a lock for too long', 'SELECT'],
  ])('ends nothing but itself: %s', { timeout: 20_000 }, async (_name, fault) => {
    const started = await spawnService({ DATABASE_URL: world.database.url }, ['--only', 'api'])
    const client = createClient(started.base_url, world.key('vendor'))
    const order = { event: id('event'), random: { [id('standing')]: 1 } }
    const { data } = (await client.createOrder(order)).body
    const locking: [string, unknown[]] = ['LOCK TABLE orders IN EXCLUSIVE MODE', []]
    const answer = await stalledBy(world.database, locking, async (untilWaiting) => {
      const changing = client.changeOrder(data.id, { vendor_data: { row: 1 } })
      await untilWaiting(1)
      await sql(fault)
      return changing
    })
    expect(answer.status).toBe(503)
    expect((await client.changeOrder(data.id, { vendor_data: { row: 2 } })).status).toBe(200)
    started.child.kill('SIGTERM')
    expect(await exitOf(started)).toBe(0)
  })
})

describe('more commands than may wait', () => {
  test('are refused with 503 and Retry-After; those that wait are served', async () => {
    const { base_url } = await startService({
      database: world.database,
      parts: ['api'],
      config: { desk_lanes: 1, desk_batch_max: 2, desk_queue_max: 5, desk_wait_max_ms: 60_000 },
    })
    const client = createClient(base_url, world.key('vendor'))
    const counts: [string, unknown[]] = [
      'SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE',
      [id('seats')],
    ]
    const { waiting } = await stalledBy(world.database, counts, async (untilWaiting) => {
      const order = (seat: number) =>
        client.createOrder({ event: world.id('event'), tickets: [world.seats[seat]] })
      const first: ReturnType<typeof order>[] = []
      // Behind a batch that has sent its writes another one begins when it is full, up to two.
      for (const [batch, seats] of [[0], [1, 2]].entries()) {
        first.push(...seats.map(order))
        await untilWaiting(batch + 1)
      }
      const others = Array.from({ length: 20 }, (_, index) => order(3 + index))
      const refused: number[] = []
      for (const other of others)
        void other.then(({ status, headers }) => {
          if (status === 503 && headers.get('retry-after') === '1') refused.push(status)
        })
      await waitUntil(() => refused.length === 15)
      return { waiting: Promise.all([...first, ...others]) }
    })
    const statuses = (await waiting).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(8)
  })
})
