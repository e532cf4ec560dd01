import { afterAll, expect, test } from 'vitest'
import { createCatalog } from '../../src/events/catalog.ts'
import { createDb } from '../../src/platform/db/db.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog, makeEvent } from '../support/makers.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const world = await importWorld(database)
const event = world.id('event')
const LISTENER = `application_name = 'parterre listen catalog' AND datname = current_database()`

// Its connections are broken below, which is no fault here.
const db = createDb({ target: { connectionString: database.url }, pool_size: 2, onError: () => {} })
afterAll(() => db.close())
let opened = 0

/** A catalog that listens; entries are read again by themselves after `ttl_ms`. */
async function openCatalog(ttl_ms: number) {
  const catalog = createCatalog({ db, ttl_ms })
  afterAll(() => catalog.close())
  opened++
  await waitUntil(allListen)
  return catalog
}

async function allListen(): Promise<boolean> {
  const rows = await database.sql(
    `SELECT pid FROM pg_stat_activity WHERE ${LISTENER} AND query LIKE 'LISTEN%' AND state = 'idle'`,
  )
  return rows.length === opened
}

const rename = (title: string) =>
  database.sql(`UPDATE events SET title = jsonb_build_object('text', $2::text) WHERE id = $1`, [event, title])

test('an event has all that does not change while it is sold', async () => {
  const catalog = await openCatalog(60_000)
  const entry = await catalog.event(event)
  expect(entry).toMatchObject({
    id: event,
    org: { id: world.id('org'), name: 'Partner org', legal_detail: null },
    venue: {
      id: world.id('venue'),
      point: [37.6, 55.75],
      city: { id: 1, country: 'RU' },
      country: { id: 'RU' },
    },
    map: { id: world.id('map'), name: 'Test map', svg: [] },
    sectors: [{ id: world.id('hall'), name: 'Hall', with_seats: true }],
    title: { text: 'Event event', desc: 'About event' },
    status: 'public',
    currency: 'RUB',
    order_lifetime_s: 900,
    max_tickets_per_order: 50,
    promokey_required: false,
    smart_tickets: null,
    refund_policy: 'general',
    promotions: [],
    custom_fields: [],
  })
  expect(entry!.shard).toBe((Number.parseInt(event.slice(8, 12), 16) << 16) >> 16)
  expect(entry!.sets.map((set) => [set.id, set.price, set.with_seats, set.rules])).toEqual([
    [world.id('standing'), 15_000, false, []],
    [world.id('vip'), 30_000, false, []],
    [world.id('seats'), 50_000, true, []],
  ])
  const accounts = await database.sql(`SELECT id FROM accounts WHERE partner = $1 AND kind = 'org'`, [
    world.id('org'),
  ])
  expect(accounts).toEqual([{ id: entry!.org_account }])
  expect(entry!.deals.map((deal) => deal.id)).toEqual([world.id('poor_deal'), world.id('deal')])
  expect(entry!.deals[1]).toMatchObject({
    vendor: world.id('vendor'),
    events: null,
    org_share: 950_000,
    agent: 50_000,
    extra: 40_000,
    lifetime: { start: null, finish: null },
    active: true,
    refund_approval: 'vendor',
    account: expect.any(String),
  })
})

test('an event has its promotions, custom fields, integration and refund policy', async () => {
  const steps = [
    { from: 8, value: '15%' },
    { from: 4, value: '10%' },
  ]
  const full = await importWorld(
    database,
    makeCatalog({
      events: [
        makeEvent('full_event', {
          smart_tickets: { name: 'Smart', mode: 'only' },
          refund_policy: [
            { days: 3, percent: '30%' },
            { days: 10, percent: '100%' },
          ],
          promotions: [
            { lifetime: { start: '2026-01-01' }, sets: ['full_event_standing'], percentage: '12.5%' },
            { lifetime: { finish: '2026-01-01' }, fix: '5.00' },
            { levels: { by: 'count', kind: 'percentage', steps } },
          ],
          custom_fields: [
            { ref: 'drink', scope: 'ticket', kind: 'single', name: 'Drink', options: ['Water', 'Wine'] },
            { ref: 'birth', scope: 'order', kind: 'date', name: 'Date of birth', required: true },
          ],
        }),
      ],
      deals: [],
      accounts: [],
      keys: [],
    }),
  )
  const catalog = await openCatalog(60_000)
  const id = expect.any(String)
  expect(await catalog.event(full.id('full_event'))).toMatchObject({
    smart_tickets: { name: 'Smart', mode: 'only' },
    refund_policy: [
      { days: 10, percent: 1_000_000 },
      { days: 3, percent: 300_000 },
    ],
    promotions: [
      {
        id,
        lifetime: { start: Date.UTC(2026, 0), finish: null },
        sets: [full.id('full_event_standing')],
        discount: { percentage: 125_000 },
      },
      { id, lifetime: { start: null, finish: Date.UTC(2026, 0) }, sets: [], discount: { fix: 500 } },
      {
        id,
        lifetime: { start: null, finish: null },
        sets: [],
        discount: {
          levels: {
            by: 'count',
            kind: 'percentage',
            steps: [
              { from: 4, value: 100_000 },
              { from: 8, value: 150_000 },
            ],
          },
        },
      },
    ],
    custom_fields: [
      {
        id: full.id('drink'),
        scope: 'ticket',
        kind: 'single',
        name: 'Drink',
        required: false,
        bounds: { options: ['Water', 'Wine'] },
      },
      {
        id: full.id('birth'),
        scope: 'order',
        kind: 'date',
        name: 'Date of birth',
        required: true,
        bounds: {},
      },
    ],
  })
})

test('partners and several events are there; what does not exist is not', async () => {
  const catalog = await openCatalog(60_000)
  expect(await catalog.partner(world.id('vendor'))).toMatchObject({ name: 'Partner vendor', contact: {} })
  expect(await catalog.partner('x')).toBeUndefined()
  expect(await catalog.event('x')).toBeUndefined()
  expect(await catalog.event('0'.repeat(24))).toBeUndefined()
  const ids = [world.id('other_event'), '0'.repeat(24), event]
  expect((await catalog.events(ids)).map((entry) => entry.id)).toEqual([world.id('other_event'), event])
})

test.each([[event], ['']])('NOTIFY catalog, %j drops the event', async (payload) => {
  const catalog = await openCatalog(60_000)
  const before = await catalog.event(event)
  const title = `Renamed by ${payload}`
  await rename(title)
  expect(await catalog.event(event)).toBe(before)
  await database.sql(`SELECT pg_notify('catalog', $1)`, [payload])
  await waitUntil(async () => (await catalog.event(event))!.title.text === title, { timeout_ms: 1000 })
})

test('an event is read again after its time, without a notification', async () => {
  const catalog = await openCatalog(50)
  await catalog.event(event)
  await rename('Renamed quietly')
  await waitUntil(async () => (await catalog.event(event))!.title.text === 'Renamed quietly')
})

test('the connection that listens comes back, and what was missed is read', async () => {
  const catalog = await openCatalog(60_000)
  await catalog.event(event)
  await database.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENER}`)
  await rename('Renamed while away')
  await database.sql(`SELECT pg_notify('catalog', '')`)
  await waitUntil(async () => (await catalog.event(event))!.title.text === 'Renamed while away')
  await waitUntil(allListen)
  await rename('Renamed when back')
  await database.sql(`SELECT pg_notify('catalog', $1)`, [event])
  await waitUntil(async () => (await catalog.event(event))!.title.text === 'Renamed when back', {
    timeout_ms: 1000,
  })
})
