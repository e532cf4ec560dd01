import { expect, test } from 'vitest'
import { writeNotifications } from '../../src/partners/notifications.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog } from '../support/makers.ts'
import { runParterre } from '../support/service.ts'

const { url, db, sql } = await createTestDatabase()
const { id } = await importWorld(
  { url, db, sql },
  makeCatalog({
    webhooks: [{ ref: 'hook', partner: 'vendor', url: 'https://a.example/', types: ['order_done'] }],
  }),
)
const [stored] = await sql('SELECT id, secret FROM webhooks')
const webhook = String(stored!['id'])
const UNKNOWN = '6920a1f00000c3a5e10000ff'

async function resultOf(words: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runParterre(['webhooks', ...words], { env: { DATABASE_URL: url } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function write(count: number) {
  const at = Date.UTC(2026, 0, 2)
  const notification = { partner: id('vendor'), type: 'order_done', at, record: {} } as const
  await Promise.all(
    writeNotifications(
      db,
      Array.from({ length: count }, () => notification),
    ),
  )
}

test('the secret is shown, and a new one is made', async () => {
  const shown = { id: webhook, secret: `whsec_${(stored!['secret'] as Buffer).toString('base64')}` }
  expect(await resultOf(['secret', webhook])).toEqual(shown)
  const renewed = (await resultOf(['secret', webhook, '--new'])) as { secret: string }
  expect(renewed.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(renewed.secret).not.toBe(shown.secret)
  expect(await resultOf(['secret', webhook])).toEqual(renewed)
})

test('webhooks and deliveries are listed, failed ones are replayed, a disabled webhook is enabled', async () => {
  await write(3)
  const [one] = await sql(`UPDATE webhook_deliveries SET status = 'failed', next_at = NULL, attempts = 12
    WHERE notification IN (SELECT id FROM notifications ORDER BY id LIMIT 2) RETURNING notification`)
  await sql('UPDATE webhooks SET disabled_at = $1', ['2026-01-03T00:00:00Z'])
  const listed = {
    id: webhook,
    ref: 'hook',
    partner: { id: id('vendor'), name: 'Partner vendor' },
    url: 'https://a.example/',
    types: ['order_done'],
    disabled_at: '2026-01-03T00:00:00.000Z',
    pending: 1,
    failed: 2,
  }
  expect(await resultOf(['list'])).toEqual([listed])
  expect(await resultOf(['list', '--partner', 'org'])).toEqual([])

  const refused = await runParterre(['webhooks', 'replay', webhook], { env: { DATABASE_URL: url } })
  expect(refused).toMatchObject({ code: 1, stderr: 'the webhook is disabled: enable it first\n' })
  expect(await resultOf(['enable', webhook])).toEqual({ id: webhook, disabled_at: null })

  expect(await resultOf(['deliveries', 'vendor', '--status', 'failed'])).toMatchObject([
    { webhook, attempts: 12, status: 'failed', next_at: null, created_at: '2026-01-02T00:00:00.000Z' },
    { webhook, attempts: 12, status: 'failed' },
  ])
  expect(await resultOf(['deliveries', 'vendor', '--count', '1'])).toHaveLength(1)

  expect(await resultOf(['replay', webhook, '--since', '2026-01-03'])).toEqual({ webhook, replayed: 0 })
  const notification = String(one!['notification'])
  expect(await resultOf(['replay', webhook, '--notification', notification])).toEqual({
    webhook,
    replayed: 1,
  })
  expect(await resultOf(['replay', webhook])).toEqual({ webhook, replayed: 1 })
  expect(await sql('SELECT DISTINCT status, attempts FROM webhook_deliveries')).toEqual([
    { status: 'pending', attempts: 0 },
  ])
}, 40_000)

test.each([
  [['secret', UNKNOWN], `there is no webhook ${UNKNOWN}`],
  [['secret', UNKNOWN, '--new'], `there is no webhook ${UNKNOWN}`],
  [['enable', UNKNOWN], `there is no webhook ${UNKNOWN}`],
  [['replay', UNKNOWN], `there is no webhook ${UNKNOWN}`],
  [['replay', webhook, '--notification', UNKNOWN], `there is no notification ${UNKNOWN} for this webhook`],
  [['deliveries', 'nobody'], "no partner has the id, ref or name 'nobody'"],
])('%j: %s', async (words, message) => {
  const { code, stderr } = await runParterre(['webhooks', ...words], { env: { DATABASE_URL: url } })
  expect({ code, stderr }).toEqual({ code: 1, stderr: `${message}\n` })
})
