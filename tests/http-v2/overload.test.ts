import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createExpressSession, createSession } from '../../src/platform/db/session.ts'
import type { ExpressSession } from '../../src/platform/db/session.ts'
import { createDb } from '../../src/platform/db/db.ts'
import { isStoreAway } from '../../src/platform/db/store-away.ts'
import { createClient } from '../support/client.ts'
import { leaveEarly } from '../support/gone.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { openFreezable } from '../support/proxy.ts'
import { startService } from '../support/service.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'

const world = await openOrderWorld()
const { id } = world
const key = world.key('vendor')
const place = { event: id('event'), random: { [id('standing')]: 1 } }
const counts: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [id('standing')]]

const FEW = { every_ms: 100 }

/** A second, with what a busy machine takes. */
const SOON_MS = 2500

describe('a desk whose database is slower than its requests', () => {
  test('refuses who has waited too long and who comes behind, answers what is begun, and goes on by itself', async () => {
    const config = { desk_lanes: 1, desk_wait_max_ms: 1000 }
    const { base_url } = await startService({ database: world.database, parts: ['api'], config })
    const client = createClient(base_url, key)
    const begun = await stalledBy(world.database, counts, async (untilWaiting) => {
      const first = client.createOrder(place)
      await untilWaiting(1)
      const asked_at = performance.now()
      const waiting = client.createOrder(place).then(timed(asked_at))
      // Alone in the queue, this one is let in and waits; once it has waited for half of the time, others are refused at once.
      let refused: ReturnType<ReturnType<typeof timed>> | undefined
      await waitUntil(() => {
        void client
          .createOrder(place)
          .then(timed(performance.now()))
          .then((answer) => {
            if (answer.ms < 800) refused ??= answer
          })
        return refused
        // So many that wait would be a batch of their own.
      }, FEW)
      expect(refused).toMatchObject({ status: 503, retry_after: '1' })
      const overdue = await waiting
      expect(overdue).toMatchObject({ status: 503, retry_after: '1' })
      expect(overdue.ms).toBeGreaterThanOrEqual(1000)
      expect(overdue.ms).toBeLessThan(SOON_MS)
      return { first }
    })
    expect((await begun.first).status).toBe(200)
    expect((await client.createOrder(place)).status).toBe(200)
  })
})

describe('a database that stops answering without a word', () => {
  test('is told by 503 within about a second, whatever is asked, and nothing is wrong when it is back', async () => {
    const frozen = await openFreezable(world.database.url)
    const { base_url } = await startService({ database: frozen, parts: ['api'] })
    const client = createClient(base_url, key)
    expect((await client.createOrder(place)).status).toBe(200)
    frozen.freeze()
    // The key is believed for a moment more, and what is begun then waits for the database.
    await waitUntil(async () => {
      const asked = client.createOrder(place).then(timed(performance.now()))
      const answer = await Promise.race([asked, until(SOON_MS)])
      return answer?.status === 503
    })
    const asked_at = performance.now()
    const answers = await Promise.all(
      [
        ...Array.from({ length: 100 }, () => client.createOrder(place)),
        client.send('POST', '/v2/resources/orders', {
          body: place,
          headers: { 'idempotency-key': 'frozen' },
        }),
        client.get('/v2/resources/orders'),
        client.get('/health/ready'),
      ].map((asked) => asked.then(timed(asked_at))),
    )
    expect(new Set(answers.map(({ status, retry_after }) => `${status} ${retry_after}`))).toEqual(
      new Set(['503 1']),
    )
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(SOON_MS)
    expect((await client.get('/health/live')).status).toBe(200)
    frozen.thaw()
    await waitUntil(async () => (await client.createOrder(place)).status === 200)
  }, 20_000)

  test.each([
    ['BEGIN and COMMIT', createSession],
    ['one Sync', createExpressSession],
  ])(
    'does not keep a transaction by %s for ever: it fails as if the connection were lost, and the next has another',
    async (_kind, create) => {
      const frozen = await openFreezable(world.database.url)
      const db = createDb({ target: { connectionString: frozen.url }, pool_size: 1, onError: () => {} })
      const session: ExpressSession = create(db, { name: 'test', settings: {}, answer_limit_ms: 200 })
      const run = async () => {
        let rows: Promise<unknown> | undefined
        await session.transaction((tx) => {
          rows = tx.query({ name: 'one', text: 'SELECT 1 AS one' })
          return { result: undefined, sent: [rows] }
        })
        return rows
      }
      expect(await run()).toEqual([{ one: 1 }])
      frozen.freeze()
      const error = await run().catch((reason: unknown) => reason)
      expect(isStoreAway(error)).toBe(true)
      frozen.thaw()
      expect(await run()).toEqual([{ one: 1 }])
      await session.close()
      await db.close()
    },
  )

  test('lets nobody connect, and that too says that it is away', async () => {
    const frozen = await openFreezable(world.database.url)
    const db = createDb({ target: { connectionString: frozen.url }, pool_size: 1, onError: () => {} })
    frozen.freeze()
    const [own, pooled] = await Promise.allSettled([
      db.connect({ name: 'test' }),
      db.query({ name: 'one', text: 'SELECT 1 AS one' }),
    ])
    for (const outcome of [own, pooled])
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.toSatisfy(isStoreAway) as unknown })
    await db.close()
  }, 20_000)
})

describe('large bodies', () => {
  test('have so much room together; without it one is refused, and small ones are not', async () => {
    const { hostname, port } = new URL(world.base_url)
    const head = `POST /v2/resources/orders HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: key ${key}\r\n`
    const typed = 'Content-Type: application/json\r\n'
    // Sixteen begin to send a MiB each, and do not end.
    const slow = Array.from({ length: 16 }, () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(`${head}${typed}Content-Length: ${1024 * 1024}\r\n\r\n{`)
      return socket
    })
    const client = world.client('vendor')
    const large = { ...place, vendor_data: { raw: { note: 'x'.repeat(20_000) } } }
    await waitUntil(async () => (await client.createOrder(large)).status === 503)
    expect((await client.createOrder(large)).headers.get('retry-after')).toBe('1')
    expect((await client.createOrder(place)).status).toBe(200)
    for (const socket of slow) socket.destroy()
    await waitUntil(async () => (await client.createOrder(large)).status !== 503)
  })

  test('take no room when their clients have gone before the key was known', async () => {
    const { hostname } = new URL(world.base_url)
    const head = `POST /v2/resources/orders HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: key  ${key}\r\n`
    const begun = `${head}Content-Type: application/json\r\nContent-Length: ${1024 * 1024}\r\n\r\n{`
    await leaveEarly(
      world,
      Array.from({ length: 16 }, () => begun),
    )
    const large = { ...place, vendor_data: { raw: { note: 'x'.repeat(20_000) } } }
    expect((await world.client('vendor').createOrder(large)).status).toBe(400)
  })
})

type Told = { status: number; headers: Headers }

function timed(since: number) {
  return ({ status, headers }: Told) => ({
    status,
    retry_after: headers.get('retry-after'),
    ms: performance.now() - since,
  })
}

function until(ms: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(() => resolve(undefined), ms))
}
