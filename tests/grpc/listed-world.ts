import { SCHEME } from '../http-v1/listing-world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createGrpcClient, type GrpcClient, type GrpcClientOptions } from '../support/grpc-client.ts'
import { importWorld, makeCatalog, makeDeal, makeEvent, type World } from '../support/makers.ts'
import { startService } from '../support/service.ts'

type Json = Record<string, unknown>

/**
 * By the name of a key, the events whose venues, maps, tags, categories and artists it lists. Event `opera` has `opera_venue`,
 * `opera_map`, and the labels `opera tag`, `opera category`, `opera artist`; so has each one.
 */
export const LISTED: readonly [key: string, events: readonly string[]][] = [
  ['org', ['opera', 'finished']],
  ['other_org', ['gig', 'hidden']],
  ['vendor', ['opera', 'finished', 'gig', 'own']],
  ['one_event', ['gig']],
  ['poor', []],
  ['stranger', []],
]

const name = (en: string, ru: string) => ({ default: ru, en, ru })
const MOSCOW = { id: 524_901, name: name('Moscow', 'Москва'), timezone: 'Europe/Moscow', country: 'RU' }
const RUSSIA = { id: 'RU', name: name('Russia', 'Россия') }

/** `opera_map`: fractions, a list of seats, a row without a place, a sector without seats. */
const OPERA_SECTORS = [
  {
    ref: 'stalls',
    name: 'Партер',
    with_seats: true,
    rows: [
      { row: '1', seats: 3, from: 5, x: 10.4, y: 20, step: 9.8 },
      { row: 'B', seats: ['1', '2a'] },
    ],
  },
  { ref: 'floor', name: 'Floor', with_seats: false },
  { ref: 'box', name: 'Box', with_seats: true, rows: [{ row: '1', seats: 2, x: -7, y: -3, step: -4 }] },
]

const EVENTS = [
  { ref: 'opera', org: 'org' },
  { ref: 'finished', org: 'org', status: 'finished' },
  { ref: 'gig', org: 'other_org' },
  { ref: 'hidden', org: 'other_org' },
  { ref: 'own', org: 'vendor' },
]

/** `vendor` sells all of `org`, of `other_org` only `gig`, and has its own; the deals of `poor` are not in force. */
function listedCatalog(): Json {
  const refs = EVENTS.map(({ ref }) => ref)
  return makeCatalog({
    venues: [
      makeVenue('opera', { desc: 'Two halls', point: [37.6, 55.75] }),
      makeVenue('gig', { point: [0, 0] }),
      ...['finished', 'hidden', 'own', 'unused'].map((ref) => makeVenue(ref)),
    ],
    maps: [
      makeMap('opera', {
        sectors: OPERA_SECTORS,
        svg: { scheme: SCHEME, 'план 1/2': '<svg>✓</svg>' },
      }),
      ...[...refs.slice(1), 'unused'].map((ref) => makeMap(ref)),
      makeMap('gig_second', { venue: 'gig_venue' }),
    ],
    events: [
      ...EVENTS.map(({ ref, ...fields }) =>
        makeEvent(ref, {
          venue: `${ref}_venue`,
          map: `${ref}_map`,
          tags: [`${ref} tag`],
          category: `${ref} category`,
          artists: [`${ref} artist`],
          ...fields,
        }),
      ),
      makeEvent('plain', { venue: 'opera_venue' }),
    ],
    deals: [
      makeDeal('deal', { org: 'org', vendor: 'vendor' }),
      makeDeal('gig_deal', { org: 'other_org', vendor: 'vendor', events: ['gig'] }),
      makeDeal('ended_deal', { org: 'org', vendor: 'poor', lifetime: { finish: '2020-01-01 00:00:00' } }),
      makeDeal('inactive_deal', { org: 'other_org', vendor: 'poor', active: false }),
    ],
    keys: [
      ...['vendor', 'poor', 'stranger', 'org', 'other_org'].map((partner) => ({ name: partner, partner })),
      { name: 'one_event', partner: 'vendor', events: ['gig'] },
      { name: 'no_events', partner: 'vendor', permissions: ['orders'] },
    ],
  })
}

function makeVenue(ref: string, fields: Json = {}): Json {
  return {
    ref: `${ref}_venue`,
    name: `Venue ${ref}`,
    address: `1 ${ref} Road`,
    city: MOSCOW,
    country: RUSSIA,
    ...fields,
  }
}

function makeMap(ref: string, fields: Json = {}): Json {
  const sectors = [{ ref: `${ref}_floor`, name: 'Floor', with_seats: false }]
  return { ref: `${ref}_map`, venue: `${ref}_venue`, name: `Map ${ref}`, sectors, ...fields }
}

export type ListedWorld = World & {
  database: TestDatabase
  /** The client that uses the key of this name. */
  client(name: string, options?: Partial<GrpcClientOptions>): GrpcClient
  /** Imports more of the catalog. */
  add(document: Json): Promise<World>
}

/** A service of the file's own over the catalog above. */
export async function openListedWorld(): Promise<ListedWorld> {
  const database = await createTestDatabase()
  const world = await importWorld(database, listedCatalog())
  const { grpc_address: address } = await startService({ database, parts: ['api'] })
  return {
    ...world,
    database,
    client: (key, options) => createGrpcClient({ address, key: world.key(key), ...options }),
    add: (document) => importWorld(database, document),
  }
}
