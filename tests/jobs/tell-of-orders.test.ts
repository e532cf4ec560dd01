import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { makeCatalog, makeEvent } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const usual = makeCatalog()
const data_dir = await mkdtemp(join(tmpdir(), 'parterre-outbox-'))
afterAll(() => rm(data_dir, { recursive: true }))
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [...(usual['events'] as object[]), makeEvent('brief_event', { order_lifetime_s: 1 })],
    webhooks: [
      { ref: 'all', partner: 'vendor', url: 'http://127.0.0.1:9/all' },
      { ref: 'done', partner: 'org', url: 'http://127.0.0.1:9/done', types: ['order_done'] },
    ],
  },
})
const { base_url } = await startService({ database: world.database, config: { data_dir } })
const { id } = world
const { sql } = world.database
const vendor = createClient(base_url, world.key('vendor'))

/** Who was told what about the order, in the order it happened. */
async function toldOf(order: string): Promise<[string, string][]> {
  const names = new Map([
    [id('vendor'), 'vendor'],
    [id('org'), 'org'],
  ])
  const rows = await sql(
    `SELECT n.partner, n.type FROM notifications n JOIN webhook_deliveries d ON d.notification = n.id
     WHERE n.record ->> 'id' = $1 ORDER BY n.created_at, n.type, n.partner`,
    [order],
  )
  return rows.map(({ partner, type }) => [String(names.get(String(partner))), String(type)])
}

describe('webhooks are told in the transaction', () => {
  test('of creation, completion and cancellation; of a refused request nothing', async () => {
    const { data } = (await vendor.createOrder({ event: id('event'), random: { [id('standing')]: 1 } })).body
    await vendor.changeOrder(data.id, { random: { [id('standing')]: 2 } })
    await vendor.changeOrder(data.id, { status: 'nonsense' })
    await vendor.changeOrder(data.id, { status: 'done' })
    expect((await toldOf(data.id)).toSorted()).toEqual([
      ['org', 'order_done'],
      ['vendor', 'order_created'],
      ['vendor', 'order_done'],
    ])
    const other = (await vendor.createOrder({ event: id('event') })).body.data.id
    await vendor.changeOrder(other, { status: 'cancelled' })
    expect(await toldOf(other)).toEqual([
      ['vendor', 'order_created'],
      ['vendor', 'order_cancelled'],
    ])
  })

  test('of orders that lapse', async () => {
    const { data } = (await vendor.createOrder({ event: id('brief_event') })).body
    await waitUntil(async () => (await toldOf(data.id)).length === 2)
    expect(await toldOf(data.id)).toEqual([
      ['vendor', 'order_created'],
      ['vendor', 'order_expired'],
    ])
  })
})

test('the tickets go to the customer when the order is completed, and only when that was asked for', async () => {
  const customer = { name: 'Анна', email: 'anna@example.org', lang: 'ru' }
  const buy = async (settings: object) =>
    vendor.createOrder({ event: id('event'), random: { [id('standing')]: 2 }, settings, status: 'done' })
  await buy({ customer })
  await buy({ send_tickets: true, customer: { email: '' } })
  const { body } = await buy({ send_tickets: true, customer })
  const outbox = join(data_dir, 'outbox')
  const [file] = await waitUntil(
    async () => {
      const files = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
      return files.length > 0 ? files : undefined
    },
    { timeout_ms: 10_000 },
  )
  const mail = await PostalMime.parse(await readFile(join(outbox, String(file))))
  expect(mail.to).toEqual([expect.objectContaining({ address: 'anna@example.org' })])
  expect(mail.attachments).toEqual([expect.objectContaining({ mimeType: 'application/pdf' })])
  expect(mail.text).toContain(body.data.code)
  await waitUntil(async () => (await sql('SELECT 1 FROM graphile_worker.jobs')).length === 0)
  expect((await readdir(outbox)).filter((name) => name.endsWith('.eml'))).toHaveLength(1)
})
