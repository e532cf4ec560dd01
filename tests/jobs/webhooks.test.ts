import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { newId, NO_SHARD } from '../../src/kernel/ids.ts'
import { startDeliveries, type DeliverOptions } from '../../src/partners/deliver.ts'
import {
  createSubscriptions,
  startForgetting,
  writeNotifications,
  type NewNotification,
} from '../../src/partners/notifications.ts'
import { createSender } from '../../src/platform/webhooks/send.ts'
import { secretText } from '../../src/platform/webhooks/sign.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog } from '../support/makers.ts'
import { startReceiver } from '../support/receiver.ts'
import { exitOf, spawnParterre, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const { db, sql } = database
const { id } = await importWorld(database)
const log = pino({ level: 'silent' })

beforeEach(async () => {
  await sql('DELETE FROM notifications')
  await sql('DELETE FROM webhooks')
})

/** A worker with short waits; it ends with the test. */
function deliver(options: Partial<DeliverOptions> = {}) {
  const worker = startDeliveries({
    db,
    log,
    send: createSender({ allow_private: true }),
    present: async ({ record }) => record,
    interval_ms: 10,
    back_off: { first_ms: 20, longest_ms: 20, attempts: 3 },
    ...options,
  })
  onTestFinished(() => worker.stop())
  return worker
}

/** A webhook of `vendor`; answers its id and its secret. */
async function addWebhook(url: string, fields: { partner?: string; types?: string[] } = {}) {
  const webhook = newId(NO_SHARD, Date.now())
  const secret = Buffer.from(`secret of ${webhook}`)
  await sql('INSERT INTO webhooks (id, partner, url, types, secret) VALUES ($1, $2, $3, $4, $5)', [
    webhook,
    fields.partner ?? id('vendor'),
    url,
    fields.types ?? [],
    secret,
  ])
  return { webhook, secret: secretText(secret) }
}

function write(...notifications: Partial<NewNotification>[]) {
  return db.transaction((tx) =>
    Promise.all(
      writeNotifications(
        tx,
        notifications.map((fields) => ({
          partner: id('vendor'),
          type: 'order_done',
          at: Date.now(),
          record: {},
          ...fields,
        })),
      ),
    ),
  )
}

function deliveries() {
  return sql(
    'SELECT d.*, n.type, n.record FROM webhook_deliveries d JOIN notifications n ON n.id = d.notification',
  )
}

async function untilAll(status: string, count = 1) {
  await waitUntil(async () => {
    const found = await deliveries()
    return found.length === count && found.every((one) => one['status'] === status)
  })
  return deliveries()
}

describe('what is written', () => {
  test('a notification, and a delivery for each enabled webhook that takes the type', async () => {
    const { webhook: all } = await addWebhook('http://a.example/')
    const { webhook: some } = await addWebhook('http://b.example/', {
      types: ['order_done', 'order_created'],
    })
    await addWebhook('http://c.example/', { types: ['order_created'] })
    await addWebhook('http://d.example/', { partner: id('org') })
    const { webhook: disabled } = await addWebhook('http://e.example/')
    await sql('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [disabled])
    await write({ record: { name: 'Ёлка' } })
    const written = await deliveries()
    expect(written.map((one) => one['webhook']).sort()).toEqual([all, some].sort())
    expect(written[0]).toMatchObject({
      status: 'pending',
      attempts: 0,
      type: 'order_done',
      record: { name: 'Ёлка' },
    })
    expect(await sql('SELECT FROM notifications')).toHaveLength(1)
  })

  test('nothing that no webhook takes', async () => {
    await addWebhook('http://a.example/', { types: ['order_created'] })
    await write({}, { partner: id('org') })
    expect(await sql('SELECT FROM notifications')).toEqual([])
  })

  test('nothing when the transaction is rolled back', async () => {
    await addWebhook('http://a.example/')
    const failing = db.transaction(async (tx) => {
      const notification = { partner: id('vendor'), type: 'order_done', at: Date.now(), record: {} } as const
      await Promise.all(writeNotifications(tx, [notification]))
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await sql('SELECT FROM notifications')).toEqual([])
  })
})

describe('subscriptions', () => {
  test('are known at the start, after a NOTIFY, and within a second without one', async () => {
    await addWebhook('http://a.example/', { types: ['order_done'] })
    await addWebhook('http://b.example/', { types: ['order_created'] })
    const subscriptions = await createSubscriptions({ db, log })
    onTestFinished(() => subscriptions.close())
    const has = (type: NewNotification['type'], partner = id('vendor')) => subscriptions.has(partner, type)
    expect([has('order_done'), has('order_created'), has('order_expired')]).toEqual([true, true, false])
    expect(has('order_done', id('org'))).toBe(false)
    await addWebhook('http://c.example/', { partner: id('org') })
    await sql("SELECT pg_notify('catalog', '')")
    await waitUntil(() => has('order_expired', id('org')), { timeout_ms: 900 })
    await sql('UPDATE webhooks SET disabled_at = now()')
    await waitUntil(() => !has('order_done') && !has('order_done', id('org')), { timeout_ms: 1500 })
  })
})

describe('delivery', () => {
  test('is a POST that Standard Webhooks verifies', async () => {
    const receiver = await startReceiver(() => 204)
    const { secret } = await addWebhook(`${receiver.url}/hook?a=b`)
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
    await write({ at, type: 'order_created', record: { name: 'Ёлка' } })
    deliver()
    const [delivery] = await untilAll('delivered')
    expect(delivery).toMatchObject({ attempts: 1, last_status: 204, last_error: null, next_at: null })
    const [one] = receiver.received()
    expect(one!.path).toBe('/hook?a=b')
    expect(one!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': delivery!['notification'],
    })
    const verified = new Webhook(secret).verify(one!.body, one!.headers as Record<string, string>)
    expect(verified).toEqual({
      type: 'order_created',
      timestamp: '2026-01-02T03:04:05.678Z',
      data: { name: 'Ёлка' },
    })
    const other = new Webhook(secretText(Buffer.from('another')))
    expect(() => other.verify(one!.body, one!.headers as Record<string, string>)).toThrow(
      'No matching signature',
    )
    expect(receiver.received()).toHaveLength(1)
  })

  test('is tried again after 500, under the same id', async () => {
    let answers = 0
    const receiver = await startReceiver(() => (answers++ === 0 ? 500 : 200))
    await addWebhook(receiver.url)
    await write({})
    deliver()
    const [delivery] = await untilAll('delivered')
    expect(delivery).toMatchObject({ attempts: 2, last_status: 200, last_error: null })
    const ids = receiver.received().map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([delivery!['notification'], delivery!['notification']])
  })

  test('fails after the last attempt', async () => {
    const receiver = await startReceiver(() => 503)
    await addWebhook(receiver.url)
    await write({})
    deliver()
    const [delivery] = await untilAll('failed')
    expect(delivery).toMatchObject({
      attempts: 3,
      last_status: 503,
      last_error: 'answered 503',
      next_at: null,
    })
    expect(receiver.received()).toHaveLength(3)
  })

  test('waits by the schedule', async () => {
    const receiver = await startReceiver(() => 500)
    await addWebhook(receiver.url)
    await write({})
    deliver({ back_off: { first_ms: 60_000, longest_ms: 60_000, attempts: 3 } })
    await waitUntil(async () => (await deliveries())[0]!['last_error'])
    const [row] = await sql(
      'SELECT extract(epoch FROM next_at - now())::double precision AS wait_s, status FROM webhook_deliveries',
    )
    expect(row!['status']).toBe('pending')
    expect(row!['wait_s']).toBeGreaterThan(50)
    expect(row!['wait_s']).toBeLessThan(67)
  })

  test('410 disables the webhook and fails what waits for it, and no other', async () => {
    const receiver = await startReceiver(({ path }) => (path === '/gone' ? 410 : 200))
    const { webhook } = await addWebhook(`${receiver.url}/gone`)
    await addWebhook(`${receiver.url}/here`)
    await write(...Array.from({ length: 20 }, () => ({})))
    deliver()
    await waitUntil(async () => (await deliveries()).every((one) => one['status'] !== 'pending'))
    for (const one of await deliveries())
      expect(one).toMatchObject(
        one['webhook'] === webhook ? { status: 'failed', last_status: 410 } : { status: 'delivered' },
      )
    expect(await sql('SELECT id FROM webhooks WHERE disabled_at IS NOT NULL')).toEqual([{ id: webhook }])
    expect(receiver.received('/gone').length).toBeLessThan(20)
  })

  test('follows no redirect', async () => {
    const receiver = await startReceiver(() => (_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    await addWebhook(`${receiver.url}/hook`)
    await write({})
    deliver()
    const [delivery] = await untilAll('failed')
    expect(delivery).toMatchObject({ last_status: 302, last_error: 'answered 302' })
    expect(receiver.received('/elsewhere')).toEqual([])
  })

  test('that cannot be presented fails like any other', async () => {
    const receiver = await startReceiver(() => 200)
    await addWebhook(receiver.url)
    await write({})
    deliver({ present: async () => Promise.reject(new Error('a bug')) })
    expect(await untilAll('failed')).toMatchObject([{ last_status: null, last_error: 'internal error' }])
    expect(receiver.received()).toEqual([])
  })

  test('a slow receiver holds up no other', async () => {
    const held: ServerResponse[] = []
    const slow = await startReceiver(() => (_request, response) => void held.push(response))
    const quick = await startReceiver(() => 200)
    const { webhook } = await addWebhook(slow.url)
    await write(...Array.from({ length: 300 }, () => ({})))
    deliver()
    await waitUntil(() => slow.received().length > 0)
    await addWebhook(quick.url, { partner: id('org') })
    await write(...Array.from({ length: 100 }, () => ({ partner: id('org') })))
    await waitUntil(() => quick.received().length === 100, { timeout_ms: 3000 })
    expect(slow.received()).toHaveLength(8)
    await sql('DELETE FROM webhooks WHERE id = $1', [webhook])
    for (const response of held) response.destroy()
  })

  test('by two workers is made once each when nothing fails', async () => {
    const receiver = await startReceiver(() => 200)
    await addWebhook(receiver.url)
    deliver()
    deliver()
    for (let round = 0; round < 5; round++) await write(...Array.from({ length: 60 }, () => ({})))
    await untilAll('delivered', 300)
    const ids = receiver.received().map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(300)
    expect(new Set(ids).size).toBe(300)
  })

  test('that is stopped ends what is being sent, and begins nothing', async () => {
    const gate = Promise.withResolvers<void>()
    const receiver = await startReceiver(() => (_request, response) => {
      void gate.promise.then(() => response.end())
    })
    await addWebhook(receiver.url)
    await write({})
    const worker = deliver()
    await waitUntil(() => receiver.received().length === 1)
    const stopped = worker.stop()
    await write({})
    gate.resolve()
    await stopped
    const statuses = (await deliveries()).map((one) => one['status'])
    expect(statuses.sort()).toEqual(['delivered', 'pending'])
    expect(receiver.received()).toHaveLength(1)
  })
})

test('notifications older than 30 days are deleted with their deliveries', async () => {
  await addWebhook('http://a.example/')
  const day_ms = 24 * 3_600_000
  await write({ at: Date.now() - 31 * day_ms }, { at: Date.now() - 29 * day_ms, record: { kept: true } })
  const forgetting = startForgetting({ db, log })
  await waitUntil(async () => (await sql('SELECT FROM notifications')).length === 1)
  await forgetting.stop()
  expect(await deliveries()).toMatchObject([{ record: { kept: true } }])
})

test('an import tells organizer and vendors with a deal of the events that it changed', async () => {
  await addWebhook('http://a.example/')
  await addWebhook('http://b.example/', { partner: id('org') })
  await addWebhook('http://c.example/', { partner: id('stranger') })
  const told = () => sql('SELECT partner, type, record FROM notifications ORDER BY partner')
  const usual = makeCatalog()
  const only = (events: unknown[]) => ({ ...usual, events, keys: [], accounts: [] })
  const stored = (await sql("SELECT start, finish FROM events WHERE ref = 'closed_event'"))[0]!
  const event = {
    ...(usual['events'] as { ref: string }[]).find(({ ref }) => ref === 'closed_event')!,
    lifetime: {
      start: new Date(Number(stored['start'])).toISOString(),
      finish: new Date(Number(stored['finish'])).toISOString(),
    },
  }
  await importWorld(database, only([event]))
  expect(await told()).toEqual([])
  await importWorld(database, only([{ ...event, tags: ['new'] }]))
  const record = { id: id('closed_event') }
  expect(await told()).toEqual(
    [id('org'), id('vendor')].sort().map((partner) => ({ partner, type: 'event_updated', record })),
  )
})

test('a notification that a process was killed over is delivered by another one', async () => {
  let answer: (response: ServerResponse) => void = () => {}
  const receiver = await startReceiver(() => (_request, response) => answer(response))
  await addWebhook(receiver.url)
  await write({ type: 'event_updated', record: { id: id('event') } })
  const killed = spawnParterre(['serve', '--only', 'jobs'], {
    DATABASE_URL: database.url,
    WEBHOOKS_ALLOW_PRIVATE: 'on',
    LOG_LEVEL: 'warn',
  })
  await waitUntil(() => receiver.received().length === 1)
  killed.child.kill('SIGKILL')
  await exitOf(killed)
  const [left] = await sql(
    'SELECT status, attempts, next_at > now() AND next_at < now() + $1::interval AS leased FROM webhook_deliveries',
    ['31 s'],
  )
  expect(left).toEqual({ status: 'pending', attempts: 1, leased: true })
  answer = (response) => void response.writeHead(200).end()
  const config = { webhooks_allow_private: 'on' } as const
  await startService({ database, config, parts: ['jobs'] })
  // The half minute is not waited for.
  await sql('UPDATE webhook_deliveries SET next_at = now()')
  const [delivery] = await untilAll('delivered')
  const [first, second] = receiver.received()
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  expect(second!.headers['webhook-id']).toBe(delivery!['notification'])
  expect(JSON.parse(second!.body)).toMatchObject({
    type: 'event_updated',
    data: { id: id('event'), org: id('org'), status: 'public', title: { text: 'Event event' } },
  })
})
