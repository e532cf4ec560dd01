import { afterAll, describe, expect, test } from 'vitest'
import { statements as tickets } from '../../src/inventory/tickets-rows.ts'
import { SESSION_SETTINGS } from '../../src/orders/desk.ts'
import { statements as orders } from '../../src/orders/desk-rows.ts'
import type { Statement } from '../../src/platform/db/sql-file.ts'
import { statements as promo } from '../../src/promo/promo-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog } from '../support/makers.ts'

/**
 * The plans of the statements that go through a batch of any number of shards, with the settings of the desk's sessions: rows
 * are found by the index of shard and id in the order of the parameters; those of orders are written by their place, which is
 * known from locking them.
 */

const LOOKING_UP = [
  orders.lock_orders,
  orders.lock_recent_orders,
  orders.orders_of_vendors,
  orders.check_versions,
  tickets.lock_vacant,
  tickets.lock_vacant_unless_busy,
  tickets.places_of_tickets,
  tickets.still_taken,
  tickets.tickets_of_orders,
  promo.lock_promocodes,
  promo.lock_promokeys,
]
const WRITING = [tickets.change_tickets, promo.take_promocode_uses, promo.move_promokeys]
const LOCKING_AND_WRITING = [orders.update_orders, orders.complete_orders, orders.end_orders]

const FILL = [
  `INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, org_share, extra_share, currency, expired_after)
   SELECT 1, 'order' || n, 'event', n, 'org', 'vendor', 'api', 'executed', 0, 0, 'EUR', now() FROM generate_series(1, 300) n`,
  `INSERT INTO promocodes (shard, id, event, code, fix)
   SELECT shard, 'code' || n, id, n, 100 FROM generate_series(1, 300) n, (SELECT shard, id FROM events LIMIT 1) e`,
  `INSERT INTO promokeys (shard, id, event, code)
   SELECT shard, 'key' || n, id, n FROM generate_series(1, 300) n, (SELECT shard, id FROM events LIMIT 1) e`,
  'ANALYZE',
]

describe.each([
  ['without statistics', []],
  ['with the statistics of small tables', FILL],
])('%s', async (_, fill) => {
  const database = await createTestDatabase()
  await importWorld(database, makeCatalog())
  for (const text of fill) await database.sql(text)
  const client = await database.db.connect({ name: 'plans test', settings: SESSION_SETTINGS })
  afterAll(() => client.end())

  async function plan({ name, text }: Statement): Promise<string[]> {
    await client.query(`PREPARE ${name} AS ${text}`)
    const { rows } = await client.query<{ count: number }>(
      'SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = $1',
      [name],
    )
    const parameters = Array.from({ length: rows[0]!.count }, () => 'NULL').join(', ')
    const explained = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE ${name}(${parameters})`)
    return explained.rows.map((row) => row['QUERY PLAN'])
  }

  async function expectLookups(statement: Statement, expected: RegExp): Promise<void> {
    const lines = await plan(statement)
    expect(lines.join('\n')).not.toMatch(/Sort|Hash|Merge|Seq Scan on|Memoize/)
    expect(lines.filter((line) => line.includes('Nested Loop')).length).toBeGreaterThan(0)
    const conditions = lines.filter((line) => line.includes('Index Cond'))
    expect(conditions.length).toBe(lines.filter((line) => line.includes('Index Scan using')).length)
    for (const condition of conditions) expect(condition).toMatch(expected)
  }

  test.each(LOOKING_UP)('$name looks each row up by its key', async (statement) => {
    await expectLookups(statement, /\(shard = \w+\.shard\) AND \(id = /)
  })

  test.each(WRITING)('$name writes each row where its key is found', async (statement) => {
    await expectLookups(
      statement,
      /\(shard = (u\.shard|ANY \(ARRAY\[u\.shard\]\))\) AND \(id = (u\.id|ANY \(ARRAY\[u\.id\]\))\)/,
    )
  })

  test.each(LOCKING_AND_WRITING)('$name locks rows and goes by their places', async (statement) => {
    const lines = await plan(statement)
    expect(lines.join('\n')).not.toMatch(/Seq Scan on|Merge/)
    expect(lines.filter((line) => line.includes('Tid Scan on')).length).toBe(1)
    const conditions = lines.filter((line) => line.includes('Index Cond'))
    expect(conditions.length).toBeGreaterThan(0)
    for (const condition of conditions) expect(condition).toMatch(/\(shard = n\.shard\) AND \(id = n\.id\)/)
  })

  test('move_counts goes by the index of shard and set, in its order', async () => {
    const lines = await plan(tickets.move_counts)
    expect(lines.join('\n')).not.toMatch(/Seq Scan on|Merge|Sort|Nested Loop/)
    expect(lines.filter((line) => line.includes('Index Scan using set_counts_pkey')).length).toBe(1)
    expect(lines.find((line) => line.includes('Index Cond'))).toMatch(/shard = ANY \(\$1\)/)
  })
})
