import { beforeEach, describe, expect, it } from 'vitest'
import { ImportFaults, importCatalog, type ImportResult } from '../../src/events/import/import-catalog.ts'
import { newId } from '../../src/kernel/ids.ts'
import { makeKey } from '../../src/partners/keys.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait.ts'
import { dump, makeFullCatalog, put, type FullCatalog } from './full-catalog.ts'

describe('importing again', async () => {
  const database = await createTestDatabase()
  const { db, sql } = database
  let document: FullCatalog
  let first: ImportResult

  const run = (one: unknown = document) => importCatalog({ db, document: one, now: Date.now, makeKey })
  const change = (changes: Record<string, unknown>) => {
    for (const [path, value] of Object.entries(changes)) put(document, path, value)
    return run()
  }
  const faultsOf = async (changes: Record<string, unknown>) => {
    const before = await dump(database)
    const error: unknown = await change(changes).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ImportFaults)
    expect(await dump(database)).toEqual(before)
    return Object.fromEntries((error as ImportFaults).faults.map(({ path, message }) => [path, message]))
  }
  const tickets = (ref: string) =>
    sql('SELECT * FROM tickets WHERE "set" = $1 ORDER BY number', [first.ids[ref]])
  const counts = async (ref: string) =>
    (await sql('SELECT * FROM set_counts WHERE "set" = $1', [first.ids[ref]]))[0]
  /** Puts tickets into an order, as a sale does, with the counters. */
  async function take(ref: string, numbers: number[], status: 'reserved' | 'sold') {
    const set = first.ids[ref]
    await sql(
      `UPDATE tickets SET status = $3, "order" = 'o', price = 1, discount = 0, nominal = 1, extra = 0,
         reserved_till = CASE WHEN $3 = 'reserved' THEN now() END, barcode = CASE WHEN $3 = 'sold' THEN id END
       WHERE "set" = $1 AND number = ANY ($2)`,
      [set, numbers, status],
    )
    await sql(
      `UPDATE set_counts SET vacant = vacant - $2::integer, ${status === 'sold' ? 'sold = sold' : 'held = held'} + $2 WHERE "set" = $1`,
      [set, numbers.length],
    )
  }

  beforeEach(async () => {
    const tables = await sql(
      `SELECT string_agg(quote_ident(tablename), ', ') AS all FROM pg_tables
       WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'platform_settings')`,
    )
    await sql(`TRUNCATE ${String(tables[0]!['all'])} CASCADE`)
    document = makeFullCatalog()
    first = await run()
  })

  it('the same document writes nothing and makes nothing', async () => {
    const before = await dump(database)
    expect(await run(makeFullCatalog())).toEqual({ ids: first.ids, keys: {} })
    expect(await dump(database)).toEqual(before)
  })

  it('the same document without any ref writes nothing too', async () => {
    const anonymous = {
      partners: [{ name: 'Alone' }],
      venues: [{ ...document.venues[0], ref: undefined, name: 'Barn' }],
      groups: [{ org: 'org', name: 'Anonymous' }],
      maps: [
        {
          venue: 'venue',
          name: 'Plan',
          sectors: [{ name: 'Box', with_seats: true, rows: [{ row: '1', seats: 2 }] }],
        },
      ],
      events: [
        {
          org: 'org',
          venue: 'venue',
          title: { text: 'Nameless' },
          status: 'public',
          lifetime: { start: '2030-01-01', finish: '2030-01-02' },
          sets: [
            {
              name: 'A',
              price: '1.00',
              with_seats: false,
              amount: 2,
              rules: document.events[0]!.sets[0]!.rules,
            },
          ],
          promotions: [{ fix: '1.00' }],
          promocodes: [{ code: 'c', fix: '1.00' }],
          promokeys: [{ code: 'c' }],
          custom_fields: [{ scope: 'order', kind: 'checkbox', name: 'OK' }],
        },
      ],
      deals: [{ org: 'vendor', vendor: 'org', org_share: '90%', agent: '10%', extra: '0%' }],
      accounts: [{ partner: 'org', deposit: '5.00' }],
      keys: [{ name: 'third', partner: 'org' }],
      webhooks: [{ partner: 'org', url: 'https://example.org' }],
    }
    const plain = JSON.parse(JSON.stringify(anonymous)) as unknown
    expect(Object.keys((await run(plain)).keys)).toEqual(['third'])
    const before = await dump(database)
    expect(await run(plain)).toEqual({ ids: {}, keys: {} })
    expect(await dump(database)).toEqual(before)
  })

  it('what the document leaves out stays as it is', async () => {
    const before = await dump(database)
    expect(await run({})).toEqual({ ids: {}, keys: {} })
    expect(await dump(database)).toEqual(before)
  })

  it('finds a record by its id, in another document, and names it by ref from there', async () => {
    await run({
      partners: [{ id: first.ids['vendor'], name: 'Renamed' }],
      keys: [{ name: 'more', partner: 'vendor' }],
    })
    expect(await sql('SELECT name, ref FROM partners WHERE id = $1', [first.ids['vendor']])).toEqual([
      { name: 'Renamed', ref: 'vendor' },
    ])
  })

  it('makes a record under an id of its own', async () => {
    const id = newId(77, Date.now())
    const set = newId(77, Date.now())
    const event = {
      ...document.events[0],
      ref: 'own',
      id,
      sets: [{ id: set, name: 'x', price: '1.00', with_seats: false, amount: 3 }],
    }
    await run({ events: [{ ...event, promotions: [], promocodes: [], promokeys: [], custom_fields: [] }] })
    expect(await sql('SELECT shard, event, amount FROM set_counts WHERE "set" = $1', [set])).toEqual([
      { shard: 77, event: id, amount: 3 },
    ])
  })

  it('changes of prices, texts and lists; of events only what changed is touched', async () => {
    const touched = async () => (await sql('SELECT updated_at FROM events'))[0]!['updated_at']
    const before = await touched()
    await change({
      'partners[0].desc': 'New',
      'keys[0].permissions': ['orders'],
      'webhooks[0].url': 'http://a.example/',
    })
    expect(await touched()).toBe(before)
    expect(await sql(`SELECT permissions FROM api_keys WHERE name = 'main'`)).toEqual([
      { permissions: ['orders'] },
    ])
    await change({ 'events[0].sets[1].price': '100.00' })
    expect(await touched()).toBeGreaterThan(before as number)
    expect(await sql('SELECT price FROM sets WHERE id = $1', [first.ids['standing']])).toEqual([
      { price: 10_000 },
    ])
  })

  it.each([
    ['a title', { 'events[0].title.text': 'Other' }],
    ['a rule', { 'events[0].sets[0].rules[0].price': '1.00' }],
    ['no rule', { 'events[0].sets[0].rules': [] }],
    ['no promotions', { 'events[0].promotions': [] }],
    ['a promocode', { 'events[0].promocodes[0].limit': 10 }],
    ['tickets', { 'events[0].sets[1].amount': 21 }],
  ])('%s touches the event', async (_name, changes) => {
    const [before] = await sql('SELECT updated_at FROM events')
    await change(changes)
    expect((await sql('SELECT updated_at FROM events'))[0]!['updated_at']).toBeGreaterThan(
      before!['updated_at'] as number,
    )
  })

  it('rules and promotions are the whole list; codes and fields that are left out stay', async () => {
    const ids = async (table: string) =>
      (await sql(`SELECT id FROM ${table} ORDER BY id`)).map((row) => row['id'])
    const promotions = await ids('promotions')
    const codes = await ids('promocodes')
    const fields = await ids('custom_fields')
    await change({
      'events[0].sets[0].rules': [{ lifetime: { start: '2029-03-01', finish: '2029-04-01' }, price: '1.00' }],
      'events[0].promotions': [{ fix: '1.00' }],
      'events[0].promocodes': [{ code: 'HALF', fix: '1.00' }],
      'events[0].promokeys': undefined,
      'events[0].custom_fields': [],
    })
    expect(await sql('SELECT price FROM set_rules')).toEqual([{ price: 100 }])
    expect(await ids('promotions')).toEqual(promotions.slice(0, 1))
    expect(await ids('promocodes')).toEqual(codes)
    expect(await sql('SELECT code FROM promocodes ORDER BY code')).toEqual([
      { code: 'HALF' },
      { code: 'ten' },
    ])
    expect(await ids('promokeys')).toHaveLength(1)
    expect(await ids('custom_fields')).toEqual(fields)
  })

  it('a greater amount adds tickets with the numbers that follow', async () => {
    const before = await tickets('standing')
    await change({ 'events[0].sets[1].amount': 23 })
    const after = await tickets('standing')
    expect(after.slice(0, 20)).toEqual(before)
    expect(after.slice(20)).toMatchObject(
      [28, 29, 30].map((number) => ({ number, serial: before[0]!['serial'], status: 'vacant' })),
    )
    expect(await counts('standing')).toMatchObject({ amount: 23, vacant: 20, pending: 3 })
  })

  it('new sets, rows and seats add tickets; those that are there keep their numbers and move along', async () => {
    const before = await tickets('seats')
    await change({
      'maps[0].sectors[0].rows': [
        { row: 'front', seats: 2 },
        { row: '1', seats: 5, from: 4 },
        { row: '2', seats: ['1', 'A', '3'] },
      ],
      'events[0].sets[0].rows': ['front', '1', '2'],
      'events[0].sets[2]': { ref: 'late', name: 'Late', price: '1.00', with_seats: false, amount: 2 },
    })
    const after = await tickets('seats')
    expect(after.map(({ id, number }) => ({ id, number })).slice(0, 7)).toEqual(
      before.map(({ id, number }) => ({ id, number })),
    )
    expect(
      after.map(({ seat_row, seat_number, row_pos, seat_pos, number }) => [
        number,
        seat_row,
        seat_number,
        row_pos,
        seat_pos,
      ]),
    ).toEqual([
      [1, '1', '5', 1, 1],
      [2, '1', '6', 1, 2],
      [3, '1', '7', 1, 3],
      [4, '1', '8', 1, 4],
      [5, '2', '1', 2, 0],
      [6, '2', 'A', 2, 1],
      [7, '2', '3', 2, 2],
      [28, 'front', '1', 0, 0],
      [29, 'front', '2', 0, 1],
      [30, '1', '4', 1, 0],
    ])
    expect(await counts('seats')).toMatchObject({ amount: 10, vacant: 9, pending: 1 })
    expect(await sql('SELECT number FROM tickets ORDER BY number DESC LIMIT 1')).toEqual([{ number: 32 }])
  })

  it('pending tickets: more, fewer, and left as they are', async () => {
    const pending = async () =>
      (await tickets('standing')).filter(({ status }) => status === 'pending').map(({ number }) => number)
    await change({ 'events[0].sets[1].pending': 5 })
    expect(await pending()).toEqual([23, 24, 25, 26, 27])
    await change({ 'events[0].sets[1].pending': 1, 'events[0].sets[0].pending': [{ row: '2', number: 'A' }] })
    expect(await pending()).toEqual([27])
    expect((await tickets('seats')).map(({ status }) => status === 'pending')).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      false,
    ])
    expect(await counts('seats')).toMatchObject({ amount: 7, vacant: 6, pending: 1 })
    await change({ 'events[0].sets[1].pending': undefined, 'events[0].sets[0].pending': undefined })
    expect(await pending()).toEqual([27])
    await change({ 'events[0].sets[1].amount': 22, 'events[0].sets[1].pending': 4 })
    expect(await pending()).toEqual([26, 27, 28, 29])
    expect(await counts('standing')).toMatchObject({ amount: 22, vacant: 18, pending: 4 })
  })

  it.each([
    [
      'a smaller amount',
      { 'events[0].sets[1].amount': 19 },
      '$.events[0].sets[1].amount',
      'none is taken away',
    ],
    [
      'a set that is left out',
      {
        'events[0].sets': [],
        'events[0].promotions': [],
        'events[0].promocodes': [],
        'events[0].promokeys': [],
      },
      '$.events[0].sets',
      'leaves out',
    ],
    [
      'a row that is left out',
      { 'events[0].sets[0].rows': ['2'], 'events[0].sets[0].pending': [] },
      '$.events[0].sets[0].rows',
      '4 seats',
    ],
    [
      'seats that are left out',
      { 'maps[0].sectors[0].rows[0].seats': 2 },
      '$.events[0].sets[0].rows',
      'row 1 seat 7',
    ],
    [
      'another organizer',
      { 'events[0].org': 'vendor', 'events[0].meta': undefined, 'deals[0].events': undefined },
      '$.events[0].org',
      'does not change',
    ],
    ['another currency', { 'events[0].currency': 'RUB' }, '$.events[0].currency', 'does not change'],
    [
      'another vendor of a deal',
      { 'partners[2]': { ref: 'third', name: 'Third' }, 'deals[0].vendor': 'third' },
      '$.deals[0].vendor',
      'does not change',
    ],
    ['a deposit of another amount', { 'accounts[0].deposit': '2000.00' }, '$.accounts[0].deposit', '1000.00'],
    [
      'a deposit ref of somebody else',
      { 'accounts[0].partner': 'org' },
      '$.accounts[0].ref',
      'another account',
    ],
    [
      'a sector that loses its seats',
      {
        'maps[0].sectors[1].with_seats': true,
        'maps[0].sectors[1].rows': [{ row: '1', seats: 1 }],
        'events[0].sets[1].sector': undefined,
      },
      '$.maps[0].sectors[1].with_seats',
      'does not change',
    ],
  ])('%s is refused', async (_name, changes, path, piece) => {
    expect(await faultsOf(changes)).toEqual({ [path]: expect.stringContaining(piece) as unknown })
  })

  it('held and sold tickets are not withheld and not taken away', async () => {
    await take('seats', [1], 'reserved')
    await take('standing', [8, 9, 10, 11, 12, 13, 14, 15, 16, 17], 'sold')
    expect(
      await faultsOf({
        'events[0].sets[0].pending': [{ row: '1', number: '5' }],
        'events[0].sets[1].pending': 11,
      }),
    ).toEqual({
      '$.events[0].sets[0].pending[0]': 'is held or sold',
      '$.events[0].sets[1].pending': expect.stringContaining('only 7') as unknown,
    })
    document = makeFullCatalog()
    expect(await faultsOf({ 'events[0].sets[0].rows': ['2'], 'events[0].sets[0].pending': [] })).toEqual({
      '$.events[0].sets[0].rows': expect.stringContaining('1 of them held or sold') as unknown,
    })
    document = makeFullCatalog()
    await change({
      'events[0].sets[1].amount': 21,
      'events[0].sets[1].price': '1.00',
      'events[0].sets[1].pending': 11,
    })
    expect(await counts('standing')).toMatchObject({ amount: 21, vacant: 0, sold: 10, pending: 11 })
  })

  it('a limit below the uses there were is refused', async () => {
    await sql('UPDATE promocodes SET uses = 4')
    expect(await faultsOf({ 'events[0].promocodes[0].limit': 3 })).toEqual({
      '$.events[0].promocodes[0].limit': expect.stringContaining('4 uses') as unknown,
    })
  })

  it('a key that orders have keeps its sets, and no lower limit than is taken', async () => {
    await sql('UPDATE promokeys SET tickets_limit = NULL, taken = 4')
    expect(await faultsOf({ 'events[0].promokeys[0].limit': 3, 'events[0].promokeys[0].sets': [] })).toEqual({
      '$.events[0].promokeys[0].limit': expect.stringContaining('4 tickets taken') as unknown,
      '$.events[0].promokeys[0].sets': expect.stringContaining('cannot change: 4 tickets') as unknown,
    })
  })

  it('a credit limit below what is owed is refused', async () => {
    await sql(`UPDATE accounts SET balance = -4000 WHERE kind = 'vendor'`)
    expect(await faultsOf({ 'accounts[0].credit_limit': '39.99' })).toEqual({
      '$.accounts[0].credit_limit': expect.stringContaining('40.00') as unknown,
    })
  })

  it('a deposit with a ref of its own is one more', async () => {
    await change({ 'accounts[1]': { partner: 'vendor', currency: 'EUR', deposit: '0.50', ref: 'second' } })
    expect(await sql(`SELECT balance, credit_limit FROM accounts WHERE kind = 'vendor'`)).toEqual([
      { balance: 100_050, credit_limit: 5000 },
    ])
  })

  it('a failure of the store leaves nothing', async () => {
    await sql(`ALTER TABLE api_keys ADD CONSTRAINT no_more CHECK (name <> 'forbidden')`)
    const before = await dump(database)
    await expect(
      change({
        'partners[0].name': 'Other',
        'events[0].sets[1].amount': 40,
        'keys[2]': { name: 'forbidden', partner: 'org' },
      }),
    ).rejects.toThrow('no_more')
    expect(await dump(database)).toEqual(before)
    await sql('ALTER TABLE api_keys DROP CONSTRAINT no_more')
  })

  it('two imports of one document at once make one of everything', async () => {
    const world = {
      ...makeFullCatalog(),
      events: makeFullCatalog().events.map((event) => ({ ...event, ref: 'twin', meta: 'show' })),
      deals: [],
      keys: [{ name: 'twin', partner: 'org' }],
    }
    const [a, b] = await Promise.all([run(world), run(world)])
    expect(a.ids).toEqual(b.ids)
    expect([a.keys, b.keys].filter((keys) => keys['twin'] !== undefined)).toHaveLength(1)
    expect(await sql(`SELECT count(*) FROM tickets WHERE event = $1`, [a.ids['twin']])).toEqual([
      { count: 27 },
    ])
  })

  it('a ticket that is being sold at the moment is not withheld', async () => {
    const seller = await db.connect({ name: 'seller' })
    await seller.query('BEGIN')
    await seller.query('SELECT FROM tickets WHERE id = $1 FOR UPDATE', [(await tickets('seats'))[0]!['id']])
    expect(await faultsOf({ 'events[0].sets[0].pending': [{ row: '1', number: '5' }] })).toEqual({
      '$.events[0].sets[0].pending': expect.stringContaining('being sold') as unknown,
    })
    await seller.query('ROLLBACK')
    await seller.end()
  })

  it('waits for a sale that has the counters, and adds to what it left', async () => {
    const seller = await db.connect({ name: 'seller' })
    await seller.query('BEGIN')
    await seller.query('UPDATE set_counts SET vacant = vacant - 1, held = held + 1 WHERE "set" = $1', [
      first.ids['standing'],
    ])
    const running = change({ 'events[0].sets[1].amount': 30 })
    await waitUntil(
      async () =>
        (
          await sql(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).length > 0,
    )
    await seller.query('COMMIT')
    await seller.end()
    await running
    expect(await counts('standing')).toMatchObject({ amount: 30, vacant: 26, held: 1, pending: 3 })
  })

  it('tells running services, once it is done', async () => {
    const service = await db.connect({ name: 'service' })
    const heard: string[] = []
    service.on('notification', ({ channel }) => heard.push(channel))
    await service.query('LISTEN catalog')
    await run()
    await waitUntil(() => heard.length > 0)
    expect(heard).toEqual(['catalog'])
    await service.end()
  })
})
