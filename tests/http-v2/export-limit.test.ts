/** Exports that wait: the service here makes none. */
import { expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld } from '../support/makers.ts'
import { startService } from '../support/service.ts'

const database = await createTestDatabase()
const { sql } = database
const world = await importWorld(database)
const { base_url } = await startService({ database, parts: ['api'] })

const REFUSED = { status: 429, body: { errors: ['10 exports are not made yet, ask again when one is done'] } }

function exportOrders(key: string, headers: Record<string, string> = {}) {
  const body = { email: 'buh@example.org' }
  return createClient(base_url, world.key(key)).send('POST', '/v2/resources/orders/export', { body, headers })
}

test('a partner has ten at most, however many it asks for at once, and other partners have theirs', async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, () => exportOrders('vendor')))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(15)
  for (const answer of refused) {
    expect(answer).toMatchObject(REFUSED)
    expect(answer.headers.get('retry-after')).toBe('60')
  }
  expect(await sql('SELECT count(*) FROM exports')).toEqual([{ count: 10 }])
  expect((await exportOrders('org')).status).toBe(200)
})

test('the next is taken when one has ended, also under the Idempotency-Key of a refusal', async () => {
  const headers = { 'idempotency-key': 'export-1' }
  expect(await exportOrders('vendor', headers)).toMatchObject(REFUSED)
  await sql(
    `UPDATE exports SET status = 'failed' WHERE id = (SELECT min(id) FROM exports WHERE status = 'new')`,
  )
  expect((await exportOrders('vendor', headers)).status).toBe(200)
  expect(await exportOrders('vendor')).toMatchObject(REFUSED)
})

test('one that was lost a day ago takes no place', async () => {
  await sql(`UPDATE exports SET created_at = created_at - interval '25 hours' WHERE status = 'new'`)
  expect((await exportOrders('vendor')).status).toBe(200)
})
