import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient, type Client, type OrderBody } from '../support/client.ts'
import { leaveEarly } from '../support/gone.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { stalledBy } from '../support/stall.ts'
import { waitUntil } from '../support/wait.ts'

const world = await openOrderWorld()
const { id } = world
const { sql } = world.database
const second = await startService({ database: world.database, parts: ['api'] })
const vendor = world.client('vendor')
const elsewhere = createClient(second.base_url, world.key('vendor'))
const ORDERS = '/v2/resources/orders'

const post = (client: Client, key: string, body: object) =>
  client.send<OrderBody>('POST', ORDERS, { body, headers: { 'idempotency-key': key } })
const patch = (client: Client, key: string, order: string, body: object) =>
  client.send<OrderBody>('PATCH', `${ORDERS}/${order}`, { body, headers: { 'idempotency-key': key } })
const countOrders = async () => Number((await sql('SELECT count(*)::integer AS n FROM orders'))[0]?.['n'])
const one = () => ({ event: id('event'), random: { [id('standing')]: 1 } })

describe('Idempotency-Key', () => {
  test('the first answer is given again, by any process, and nothing happens twice', async () => {
    const key = randomUUID()
    const before = await countOrders()
    const first = await post(vendor, key, one())
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    for (const client of [vendor, elsewhere]) {
      const again = await post(client, key, one())
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
      expect(again.body).toEqual(first.body)
    }
    expect(await countOrders()).toBe(before + 1)
  })

  test('a completion is answered again with its barcodes, though the order is done', async () => {
    const order = (await vendor.createOrder(one())).body.data.id
    const key = randomUUID()
    const first = await patch(vendor, key, order, { status: 'done' })
    expect(first.body.data.status).toBe('done')
    expect((await patch(elsewhere, key, order, { status: 'done' })).body).toEqual(first.body)
    expect((await patch(vendor, randomUUID(), order, { status: 'done' })).status).toBe(400)
  })

  test('the same key for another body, path or method is 422', async () => {
    const key = randomUUID()
    const { body } = await post(vendor, key, one())
    const reused = [422, { errors: ['this Idempotency-Key was used for another request'] }]
    const other = await post(vendor, key, { event: id('event') })
    expect([other.status, other.body]).toEqual(reused)
    const patched = await patch(vendor, key, body.data.id, one())
    expect([patched.status, patched.body]).toEqual(reused)
  })

  test("another API key's are its own", async () => {
    const key = randomUUID()
    const mine = await post(vendor, key, one())
    const theirs = await post(world.client('salespoint'), key, one())
    expect([theirs.status, theirs.body.data.id === mine.body.data.id]).toEqual([200, false])
  })

  test('a refusal is an answer too, also when it came before the order was looked at', async () => {
    const poor = world.client('poor')
    const order = (await poor.createOrder(one())).body.data.id
    const key = randomUUID()
    const first = await patch(poor, key, order, { status: 'done' })
    expect(first.body).toEqual({ errors: ['Not enough money, contact to Partner poor manager'] })
    await sql("UPDATE accounts SET credit_limit = 100000 WHERE partner = $1 AND kind = 'vendor'", [
      id('poor'),
    ])
    const again = await patch(poor, key, order, { status: 'done' })
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      400,
      first.body,
      'true',
    ])
    expect((await patch(poor, randomUUID(), order, { status: 'done' })).status).toBe(200)
    const malformed = randomUUID()
    for (const replayed of [null, 'true']) {
      const { status, headers } = await post(vendor, malformed, { event: 5 })
      expect([status, headers.get('idempotent-replayed')]).toEqual([400, replayed])
    }
  })

  test('while the first runs, a second is 409, in the same process and in another', async () => {
    const key = randomUUID()
    const before = await countOrders()
    const lock: [string, unknown[]] = [
      'SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE',
      [id('standing')],
    ]
    const sent = await stalledBy(world.database, lock, async (untilWaiting) => {
      const first = post(vendor, key, one())
      await untilWaiting(1)
      const same_process = await post(vendor, key, one())
      const other_process = post(elsewhere, key, one())
      await untilWaiting(2)
      return { first, same_process, other_process }
    })
    expect(sent.same_process.status).toBe(409)
    const statuses = [(await sent.first).status, (await sent.other_process).status]
    expect(statuses.toSorted()).toEqual([200, 409])
    expect(await countOrders()).toBe(before + 1)
  })

  test('a request whose client has gone before its key was known is over all the same', async () => {
    const key = randomUUID()
    const order = (await vendor.createOrder(one())).body.data.id
    const { hostname } = new URL(world.base_url)
    await leaveEarly(world, [
      `PATCH ${ORDERS}/${order} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: key  ${world.key('vendor')}\r\n` +
        `Idempotency-Key: ${key}\r\n\r\n`,
    ])
    const again = await vendor.send('PATCH', `${ORDERS}/${order}`, { headers: { 'idempotency-key': key } })
    expect([again.status, again.body]).toEqual([400, { errors: ['the body is empty'] }])
  })

  test('one that another process answers while a second waits there is answered alike', async () => {
    const key = randomUUID()
    const order = (await vendor.createOrder(one())).body.data.id
    const lock: [string, unknown[]] = ['SELECT 1 FROM set_counts WHERE "set" = $1 FOR UPDATE', [id('vip')]]
    const looks = async () => {
      const [row] = await sql(
        `SELECT max(query_start)::text AS last FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle' AND query LIKE '%FROM idempotent_answers%'`,
      )
      return row?.['last']
    }
    const sent = await stalledBy(world.database, lock, async (untilWaiting) => {
      // The batch in flight that the second waits for.
      const ahead = elsewhere.createOrder({ event: id('event'), random: { [id('vip')]: 1 } })
      await untilWaiting(1)
      const before = await looks()
      const waiting = patch(elsewhere, key, order, { status: 'done' })
      await waitUntil(async () => (await looks()) !== before)
      return { first: await patch(vendor, key, order, { status: 'done' }), waiting, ahead }
    })
    expect(sent.first.body.data.status).toBe('done')
    const { status, headers, body } = await sent.waiting
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(body).toEqual(sent.first.body)
    expect((await sent.ahead).status).toBe(200)
  })

  test('refund requests and their approval too', async () => {
    const { data } = (await vendor.createOrder({ ...one(), status: 'done' })).body
    const ask = (client: Client, key: string) =>
      client.send<{ data: { id: string; status: string } }>('POST', '/v2/resources/refund_requests', {
        body: { order: data.id, culprit: 'user', tickets: data.tickets.map((ticket) => ticket.id) },
        headers: { 'idempotency-key': key },
      })
    const key = randomUUID()
    const first = await ask(vendor, key)
    expect(first.status).toBe(200)
    expect((await ask(elsewhere, key)).body).toEqual(first.body)
    const approve = (client: Client) =>
      client.send<{ data: { status: string } }>(
        'PATCH',
        `/v2/resources/refund_requests/${first.body.data.id}`,
        {
          body: { status: 'approved' },
          headers: { 'idempotency-key': `${key}-approve` },
        },
      )
    const approved = await approve(vendor)
    expect(approved.body.data.status).toBe('approved')
    expect((await approve(elsewhere)).body).toEqual(approved.body)
    expect(await sql("SELECT count(*)::integer AS n FROM transfers WHERE kind = 'refund'")).toEqual([
      { n: 1 },
    ])
  })

  test('a refund request is answered by the connection that makes it: it waits for no other', async () => {
    const { data } = (await vendor.createOrder({ ...one(), status: 'done' })).body
    const { base_url } = await startService({
      database: world.database,
      parts: ['api'],
      config: { pool_size: 1 },
    })
    const send = <Body>(method: string, path: string, body: object) =>
      createClient(base_url, world.key('vendor')).send<Body>(method, `/v2/resources/refund_requests${path}`, {
        body,
        headers: { 'idempotency-key': randomUUID() },
      })
    const tickets = data.tickets.map((ticket) => ticket.id)
    const made = await send<{ data: { id: string } }>('POST', '', {
      order: data.id,
      culprit: 'user',
      tickets,
    })
    expect(made.status).toBe(200)
    expect((await send('PATCH', `/${made.body.data.id}`, { status: 'rejected' })).status).toBe(200)
  })

  test('an export is asked for once, and a check is answered as it was', async () => {
    const key = randomUUID()
    const ask = (client: Client) =>
      client.send('POST', `${ORDERS}/export`, {
        body: { email: 'a@example.org' },
        headers: { 'idempotency-key': key },
      })
    const first = await ask(vendor)
    const again = await ask(elsewhere)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, '', 'true'])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(await sql('SELECT count(*)::integer AS n FROM exports')).toEqual([{ n: 1 }])
    const check = () =>
      vendor.send('POST', '/v2/services/promocodes/check', {
        body: { event: id('event'), code: 'NOBODY' },
        headers: { 'idempotency-key': `${key}-check` },
      })
    const checked = await check()
    const rechecked = await check()
    expect([rechecked.status, rechecked.body, rechecked.headers.get('idempotent-replayed')]).toEqual([
      400,
      checked.body,
      'true',
    ])
  })

  test('is forgotten after 24 hours', async () => {
    const key = randomUUID()
    const first = await post(vendor, key, one())
    await sql("UPDATE idempotent_answers SET created_at = created_at - interval '24 hours' WHERE key = $1", [
      key,
    ])
    const later = await post(vendor, key, one())
    expect([later.status, later.body.data.id === first.body.data.id]).toEqual([200, false])
  })

  test.each(['', 'a b', 'x'.repeat(256), 'ключ'])('%j is no key', async (key) => {
    const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') }
    const { status, body } = await vendor.send('POST', ORDERS, { body: one(), headers })
    expect([status, body]).toEqual([
      400,
      { errors: ['Idempotency-Key must be 1 to 255 visible ASCII characters'] },
    ])
  })
})
