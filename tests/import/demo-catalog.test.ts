import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importCatalog } from '../../src/events/import/import-catalog.ts'
import { makeKey } from '../../src/partners/keys.ts'
import { createTestDatabase } from '../support/database.ts'
import { dump } from './full-catalog.ts'

const DEMO = new URL('../../demo/catalog.json', import.meta.url)

describe('the demo catalog', async () => {
  const database = await createTestDatabase()
  const { db, sql } = database
  const run = () =>
    importCatalog({ db, document: JSON.parse(readFileSync(DEMO, 'utf8')), now: Date.now, makeKey })
  const { ids, keys } = await run()
  const amounts = async (event: string) =>
    sql(
      `SELECT s.with_seats, sum(c.amount)::integer AS amount FROM sets s JOIN set_counts c ON c."set" = s.id
       WHERE s.event = $1 GROUP BY 1 ORDER BY 1`,
      [ids[event]],
    )

  it('has what it promises', async () => {
    expect(await amounts('cherry-orchard-premiere')).toEqual([{ with_seats: true, amount: 1200 }])
    expect(await amounts('cherry-orchard-evening')).toEqual([{ with_seats: true, amount: 1200 }])
    expect(await amounts('festival')).toEqual([
      { with_seats: false, amount: 20_500 },
      { with_seats: true, amount: 2000 },
    ])
    expect(await sql('SELECT amount FROM set_counts WHERE "set" = $1', [ids['festival-standing']])).toEqual([
      { amount: 20_000 },
    ])
    expect(await amounts('depot-night')).toEqual([
      { with_seats: false, amount: 620 },
      { with_seats: true, amount: 120 },
    ])
    expect(Object.keys(keys)).toContain('biletik')
    const sellers = await sql(
      `SELECT p.ref, a.balance, (SELECT count(*) FROM deals d WHERE d.vendor = p.id) AS deals
       FROM accounts a JOIN partners p ON p.id = a.partner WHERE a.kind = 'vendor' ORDER BY p.ref`,
    )
    expect(sellers).toEqual([
      { ref: 'biletik', balance: 500_000_000_000, deals: 2 },
      { ref: 'city-tickets', balance: 25_000_000, deals: 2 },
      { ref: 'guest-tickets', balance: 10_000_000, deals: 0 },
      { ref: 'new-ticket', balance: 0, deals: 1 },
    ])
  })

  it('shows something by every method of the listing service', async () => {
    expect(
      await sql(
        `SELECT title FROM events WHERE meta IS NULL OR category IS NULL OR artists = '{}' OR tags = '{}'`,
      ),
    ).toEqual([])
    expect(await sql(`SELECT name FROM maps WHERE (svg->>'scheme' LIKE '<svg%</svg>') IS NOT TRUE`)).toEqual(
      [],
    )
    expect(
      await sql(
        `SELECT s.name, r.value FROM sectors s, jsonb_array_elements(s.rows) r
         WHERE s.with_seats AND NOT r.value ?& '{x,y,step}'`,
      ),
    ).toEqual([])
  })

  it('is imported again without a change', async () => {
    const before = await dump(database)
    expect(await run()).toEqual({ ids, keys: {} })
    expect(await dump(database)).toEqual(before)
  })

  it('a big event is imported fast (figure only)', async () => {
    const started = performance.now()
    const amount = 100_000
    await importCatalog({
      db,
      document: {
        events: [
          {
            org: 'north-wind',
            venue: 'tushino-field',
            title: { text: 'Big' },
            status: 'public',
            lifetime: { start: '2030-01-01', finish: '2030-01-02' },
            sets: [{ name: 'Standing', price: '1.00', with_seats: false, amount }],
          },
        ],
      },
      now: Date.now,
      makeKey,
    })
    console.log(`tickets imported a second: ${Math.round(amount / ((performance.now() - started) / 1000))}`)
  })
})
