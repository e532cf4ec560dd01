import { beforeEach, describe, expect, test } from 'vitest'
import { writeNotifications, type NotificationType } from '../../src/partners/notifications.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { makeCatalog } from '../support/makers.ts'

const usual = makeCatalog()
const world = await openOrderWorld({
  document: {
    ...usual,
    keys: [
      ...(usual['keys'] as object[]),
      { name: 'admin', partner: 'vendor', permissions: ['admin'] },
      { name: 'org_admin', partner: 'org', permissions: ['admin'] },
    ],
    webhooks: [
      { partner: 'vendor', url: 'https://one.example/' },
      { partner: 'vendor', url: 'https://two.example/', types: ['order_created'] },
      { partner: 'org', url: 'https://org.example/' },
    ],
  },
})
const { id } = world
const { db, sql } = world.database
const admin = world.client('admin')
const DELIVERIES = '/v2/resources/webhooks/deliveries'
const UNKNOWN = '6920a1f00000c3a5e10000ff'

type Page = {
  data: Record<string, unknown>[]
  pagination: { page: number; page_size: number; total: number }
  total_count: number
}
const list = (query = '', client = admin) => client.get<Page>(`${DELIVERIES}${query}`)
const replay = (notification: string, client = admin) =>
  client.send<{ data: unknown }>('POST', `${DELIVERIES}/${notification}/replay`)

const webhooks = new Map(
  (await sql('SELECT id, url FROM webhooks')).map((row) => [String(row['url']), String(row['id'])]),
)
const webhookOf = (name: string) => webhooks.get(`https://${name}.example/`)!

/** A notification of each type in turn, a second apart. */
async function write(partner: string, ...types: NotificationType[]) {
  const first_at = Date.UTC(2026, 0, 2, 3, 4, 5)
  await Promise.all(
    writeNotifications(
      db,
      types.map((type, index) => ({ partner: id(partner), type, at: first_at + 1000 * index, record: {} })),
    ),
  )
}

beforeEach(() => sql('DELETE FROM notifications'))

describe('the list of deliveries', () => {
  test("has the partner's own, newest first", async () => {
    await write('vendor', 'order_created', 'order_done')
    await write('org', 'order_done')
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(body).toMatchObject({ pagination: { page: 1, page_size: 50, total: 1 }, total_count: 3 })
    expect(body.data.map(({ type, webhook }) => [type, webhook])).toEqual([
      ['order_done', webhookOf('one')],
      ...[webhookOf('one'), webhookOf('two')].sort().map((webhook) => ['order_created', webhook]),
    ])
    expect(body.data[0]).toEqual({
      notification: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'order_done',
      created_at: '2026-01-02 03:04:06',
      webhook: webhookOf('one'),
      url: 'https://one.example/',
      status: 'pending',
      attempts: 0,
      last_status: null,
      last_error: null,
      next_at: '2026-01-02 03:04:06',
      delivered_at: null,
    })
    expect((await list('', world.client('org_admin'))).body.total_count).toBe(1)
  })

  test('comes in pages; past the last one it is empty', async () => {
    await write('vendor', 'order_done', 'order_cancelled', 'order_expired')
    const pages = await Promise.all([1, 2, 3].map((page) => list(`?page=${page}&page_size=2`)))
    expect(pages.map(({ body }) => body.data.map(({ type }) => type))).toEqual([
      ['order_expired', 'order_cancelled'],
      ['order_done'],
      [],
    ])
    expect(pages[2]!.body).toMatchObject({
      pagination: { page: 3, page_size: 2, total: 2 },
      total_count: 3,
    })
  })

  test('is filtered by status and webhook', async () => {
    await write('vendor', 'order_created', 'order_done')
    await sql("UPDATE webhook_deliveries SET status = 'failed' WHERE webhook = $1", [webhookOf('two')])
    expect((await list('?status=failed')).body.data).toMatchObject([{ webhook: webhookOf('two') }])
    expect((await list(`?webhook=${webhookOf('one')}`)).body.total_count).toBe(2)
    expect((await list(`?webhook=${webhookOf('org')}`)).body.total_count).toBe(0)
  })

  test.each([
    ['?type=order_done', 'type is not a parameter of this list; it takes webhook, status, page, page_size'],
    ['?status=lost', 'status must be one of pending, delivered, failed'],
    ['?webhook=one', 'webhook must be an id of 24 lower-case hex digits'],
    ['?page=0', 'page must be an integer from 1 to 1000000000'],
    ['?page_size=201', 'page_size must be an integer from 1 to 200'],
  ])('%s: %s', async (query, error) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { errors: [error] } })
  })

  test('is for keys with the permission admin', async () => {
    const answer = { status: 403, body: { errors: ['the key lacks the permission admin'] } }
    expect(await list('', world.client('vendor'))).toMatchObject(answer)
    expect(await replay(UNKNOWN, world.client('vendor'))).toMatchObject(answer)
  })
})

describe('replay', () => {
  const first = async () => String((await list()).body.data[0]!['notification'])

  test('has a notification sent again, whatever became of it', async () => {
    await write('vendor', 'order_created')
    await sql(
      `UPDATE webhook_deliveries SET status = CASE webhook WHEN $1 THEN 'delivered' ELSE 'failed' END,
         attempts = 5, next_at = NULL, delivered_at = now()`,
      [webhookOf('one')],
    )
    const notification = await first()
    expect(await replay(notification)).toMatchObject({
      status: 202,
      body: { data: { notification, webhooks: [webhookOf('one'), webhookOf('two')].sort() } },
    })
    const pending = { status: 'pending', attempts: 0, delivered_at: null, next_at: expect.any(String) }
    expect((await list()).body.data).toMatchObject([pending, pending])
  })

  test('passes over disabled webhooks, and is refused when all are', async () => {
    await write('vendor', 'order_created')
    const notification = await first()
    await sql('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [webhookOf('two')])
    expect((await replay(notification)).body).toEqual({
      data: { notification, webhooks: [webhookOf('one')] },
    })
    await sql('UPDATE webhooks SET disabled_at = now()')
    expect(await replay(notification)).toMatchObject({
      status: 400,
      body: { errors: ['every webhook of this notification is disabled'] },
    })
    await sql('UPDATE webhooks SET disabled_at = NULL')
  })

  test("another partner's notification is answered like one that does not exist", async () => {
    await write('vendor', 'order_created')
    const refused = { status: 404, body: { errors: ['Notification not found'] } }
    expect(await replay(await first(), world.client('org_admin'))).toMatchObject(refused)
    expect(await replay(UNKNOWN)).toMatchObject(refused)
    expect(await replay('none')).toMatchObject(refused)
  })
})
