import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { importCatalog } from '../../src/events/import/import-catalog.ts'
import { isObjectId, shardOf } from '../../src/kernel/ids.ts'
import { createTestDatabase } from '../support/database.ts'
import { makeFullCatalog } from './full-catalog.ts'

const NOW = Date.UTC(2026, 10, 20, 21, 30)

function makeKey() {
  const key = randomBytes(16).toString('hex')
  return { key, hash: createHash('sha256').update(key).digest(), hint: key.slice(0, 4) }
}

describe('what an import stores', async () => {
  const database = await createTestDatabase()
  const { db, sql } = database
  const { ids, keys } = await importCatalog({ db, document: makeFullCatalog(), now: () => NOW, makeKey })
  const one = async (text: string) => (await sql(text))[0]
  const at = (text: string) => Date.parse(text)

  it('answers the ids of all refs', () => {
    expect(Object.keys(ids).sort()).toEqual(
      [
        'deal',
        'event',
        'floor',
        'map',
        'org',
        'parterre',
        'seats',
        'show',
        'standing',
        'vendor',
        'venue',
        'who',
      ].sort(),
    )
    expect(Object.values(ids).every(isObjectId)).toBe(true)
  })

  it('gives the records of an event its shard, and others none', async () => {
    const shard = shardOf(ids['event']!)
    expect(shard).not.toBe(0)
    for (const table of [
      'sets',
      'set_rules',
      'tickets',
      'promotions',
      'promocodes',
      'promokeys',
      'custom_fields',
    ]) {
      const rows = await sql(`SELECT shard, id FROM ${table}`)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.every((row) => row['shard'] === shard && shardOf(String(row['id'])) === shard)).toBe(true)
    }
    for (const table of [
      'partners',
      'venues',
      'maps',
      'sectors',
      'meta_events',
      'deals',
      'accounts',
      'api_keys',
      'webhooks',
    ]) {
      const rows = await sql(`SELECT id FROM ${table}`)
      expect(rows.every((row) => shardOf(String(row['id'])) === 0)).toBe(true)
    }
  })

  it('partners', async () => {
    const { partners } = makeFullCatalog()
    expect(await one(`SELECT * FROM partners WHERE ref = 'org'`)).toMatchObject(partners[0]!)
    expect(await one(`SELECT * FROM partners WHERE ref = 'vendor'`)).toMatchObject({
      desc: '',
      tags: [],
      contact: {},
      legal_detail: null,
      media: {},
    })
  })

  it('venues, cities and countries', async () => {
    const [venue] = makeFullCatalog().venues
    expect(await one('SELECT * FROM countries')).toEqual(venue!.country)
    expect(await one('SELECT * FROM cities')).toEqual(venue!.city)
    expect(await one('SELECT * FROM venues')).toEqual({
      ...venue,
      id: ids['venue'],
      city: 498817,
      country: 'RU',
    })
  })

  it('maps and sectors, ranges of seats written out', async () => {
    expect(await one('SELECT * FROM maps')).toEqual({
      id: ids['map'],
      ref: 'map',
      venue: ids['venue'],
      name: 'Hall',
      svg: { plan: '<svg/>' },
    })
    expect(await sql('SELECT * FROM sectors ORDER BY pos')).toEqual([
      {
        id: ids['parterre'],
        ref: 'parterre',
        map: ids['map'],
        pos: 0,
        name: 'Parterre',
        with_seats: true,
        rows: [
          { row: '1', seats: ['5', '6', '7', '8'], x: 1.5, y: 2, step: 0.5 },
          { row: '2', seats: ['1', 'A', '3'] },
          { row: '3', seats: ['1', '2', '3'] },
        ],
      },
      {
        id: ids['floor'],
        ref: 'floor',
        map: ids['map'],
        pos: 1,
        name: 'Floor',
        with_seats: false,
        rows: null,
      },
    ])
  })

  it('groups and events', async () => {
    const [group] = makeFullCatalog().groups
    expect(await one('SELECT * FROM meta_events')).toEqual({ ...group, id: ids['show'], org: ids['org'] })
    const [
      {
        meta: _meta,
        sets: _sets,
        promotions: _p,
        promocodes: _c,
        promokeys: _k,
        custom_fields: _f,
        lifetime: _l,
        ...event
      },
    ] = makeFullCatalog().events as [FullEvent]
    const row = await one('SELECT * FROM events')
    expect(row).toMatchObject({
      ...event,
      id: ids['event'],
      org: ids['org'],
      venue: ids['venue'],
      map: ids['map'],
      meta: ids['show'],
      start: at('2030-01-01T18:00:00Z'),
      finish: at('2030-01-01T21:00:00Z'),
      refund_policy: [
        { days: 10, percent: 1_000_000 },
        { days: 3, percent: 300_000 },
      ],
    })
    expect(row!['serial']).toMatch(/^[A-Z]{3}$/)
  })

  it('sets, rules and counters', async () => {
    expect(await sql('SELECT * FROM sets ORDER BY ref')).toMatchObject([
      {
        id: ids['seats'],
        event: ids['event'],
        pos: 7,
        name: 'Seats',
        desc: 'Red',
        price: 15_000,
        with_seats: true,
        sector: ids['parterre'],
        promokey_required: true,
      },
      {
        id: ids['standing'],
        pos: 1,
        desc: '',
        price: 9900,
        with_seats: false,
        sector: ids['floor'],
        promokey_required: false,
      },
    ])
    expect(await sql('SELECT * FROM set_rules')).toMatchObject([
      { set: ids['seats'], start: at('2029-01-01Z'), finish: at('2029-02-01Z'), price: 12_050 },
    ])
    expect(await sql('SELECT * FROM set_counts ORDER BY amount')).toMatchObject([
      { set: ids['seats'], event: ids['event'], amount: 7, vacant: 6, held: 0, sold: 0, pending: 1 },
      { set: ids['standing'], event: ids['event'], amount: 20, vacant: 17, held: 0, sold: 0, pending: 3 },
    ])
  })

  it('tickets, numbered through the event, with places of the whole sector', async () => {
    const tickets = await sql('SELECT * FROM tickets ORDER BY number')
    expect(tickets.map((ticket) => ticket['number'])).toEqual(
      Array.from({ length: 27 }, (_, index) => index + 1),
    )
    expect(new Set(tickets.map((ticket) => ticket['serial'])).size).toBe(1)
    const seats = tickets.slice(0, 7)
    expect(seats.every((ticket) => ticket['sector'] === ids['parterre'])).toBe(true)
    expect(
      seats.map(({ seat_row, seat_number, row_pos, seat_pos, status }) => [
        seat_row,
        seat_number,
        row_pos,
        seat_pos,
        status,
      ]),
    ).toEqual([
      ['1', '5', 0, 0, 'vacant'],
      ['1', '6', 0, 1, 'pending'],
      ['1', '7', 0, 2, 'vacant'],
      ['1', '8', 0, 3, 'vacant'],
      ['2', '1', 1, 0, 'vacant'],
      ['2', 'A', 1, 1, 'vacant'],
      ['2', '3', 1, 2, 'vacant'],
    ])
    const standing = tickets.slice(7)
    expect(standing.every((ticket) => ticket['sector'] === null && ticket['set'] === ids['standing'])).toBe(
      true,
    )
    expect(
      standing.filter((ticket) => ticket['status'] === 'pending').map((ticket) => ticket['number']),
    ).toEqual([25, 26, 27])
  })

  it('promotions, promocodes, promokeys and custom fields', async () => {
    expect(await sql('SELECT * FROM promotions ORDER BY pos')).toMatchObject([
      {
        start: at('2029-01-01Z'),
        finish: null,
        sets: [ids['seats']],
        percentage: 125_000,
        fix: null,
        levels: null,
      },
      { start: null, sets: [], percentage: null, fix: 500, levels: null },
      {
        percentage: null,
        fix: null,
        levels: {
          by: 'sum',
          kind: 'fix',
          steps: [
            { from: 10_000, value: 500 },
            { from: 20_000, value: 2000 },
          ],
        },
      },
    ])
    expect(await sql('SELECT * FROM promocodes ORDER BY code DESC')).toMatchObject([
      {
        code: 'ten',
        percentage: null,
        fix: 1000,
        sets: [],
        min_tickets: null,
        use_limit: null,
        uses: 0,
        viral: false,
      },
      {
        code: 'Half',
        percentage: 500_000,
        fix: null,
        start: null,
        finish: at('2029-06-01Z'),
        sets: [ids['standing']],
        min_tickets: 2,
        max_tickets: 4,
        use_limit: 9,
        viral: true,
      },
    ])
    expect(await sql('SELECT * FROM promokeys')).toMatchObject([
      { code: 'Open', sets: [ids['seats']], start: null, finish: null, tickets_limit: 5, single_order: true },
    ])
    expect(await sql('SELECT * FROM custom_fields ORDER BY pos')).toMatchObject([
      {
        id: ids['who'],
        ref: 'who',
        scope: 'order',
        kind: 'text',
        required: true,
        bounds: { min: 2, max: 9, pattern: '^\\p{L}+$' },
      },
      {
        ref: null,
        scope: 'ticket',
        kind: 'multiple',
        required: false,
        bounds: { options: ['soup', 7], min: 0, max: 2 },
      },
      { scope: 'ticket', kind: 'single', bounds: { gt: 0, lte: 120 } },
    ])
  })

  it('deals', async () => {
    expect(await sql('SELECT * FROM deals')).toEqual([
      {
        id: ids['deal'],
        ref: 'deal',
        org: ids['org'],
        vendor: ids['vendor'],
        events: [ids['event']],
        org_share: 875_000,
        agent: 125_000,
        extra: 40_000,
        start: at('2026-01-01Z'),
        finish: at('2031-01-01Z'),
        active: false,
        refund_approval: 'org',
      },
    ])
  })

  it('accounts of the vendor, the organizer and the platform, and the deposit between them', async () => {
    const accounts = await sql('SELECT * FROM accounts ORDER BY kind')
    expect(accounts).toMatchObject([
      { kind: 'cash', partner: null, currency: 'EUR', balance: -100_000 },
      { kind: 'org', partner: ids['org'], currency: 'EUR', balance: 0 },
      { kind: 'vendor', partner: ids['vendor'], currency: 'EUR', balance: 100_000, credit_limit: 5000 },
    ])
    expect(await sql('SELECT * FROM transfers')).toEqual([
      {
        debit_account: accounts[0]!['id'],
        kind: 'deposit',
        ref: 'first',
        credit_account: accounts[2]!['id'],
        amount: 100_000,
        created_at: NOW,
      },
    ])
  })

  it('keys as hashes, the keys themselves in the answer', async () => {
    expect(Object.keys(keys)).toEqual(['main', 'plain'])
    expect(await sql('SELECT * FROM api_keys ORDER BY name')).toMatchObject([
      {
        name: 'main',
        partner: ids['vendor'],
        hash: createHash('sha256').update(keys['main']!).digest(),
        hint: keys['main']!.slice(0, 4),
        origin: 'salespoint',
        permissions: ['admin', 'orders'],
        events: [ids['event']],
        expires_at: at('2035-01-01Z'),
        revoked_at: null,
      },
      {
        name: 'plain',
        partner: ids['org'],
        origin: 'api',
        permissions: ['events', 'orders', 'refunds'],
        events: null,
        expires_at: null,
      },
    ])
  })

  it('webhooks with a secret', async () => {
    const [webhook] = await sql('SELECT * FROM webhooks')
    expect(webhook).toMatchObject({
      ref: 'hook',
      partner: ids['vendor'],
      url: 'https://example.org/hook',
      types: ['order_done'],
    })
    expect(webhook!['secret']).toHaveLength(32)
  })
})

type FullEvent = ReturnType<typeof makeFullCatalog>['events'][number]
