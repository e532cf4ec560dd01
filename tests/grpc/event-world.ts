import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { createGrpcClient } from '../support/grpc-client.ts'
import type { GrpcClient, GrpcClientOptions } from '../support/grpc-client.ts'
import { importWorld } from '../support/makers.ts'
import type { World } from '../support/makers.ts'
import { startService } from '../support/service.ts'
import { days, listingCatalog } from '../http-v1/listing-world.ts'

type Json = Record<string, unknown>

/** The groups' events: `clubs` has one that `vendor` may not see, `season` one that is finished, `empty` none. */
const GROUPS = {
  festival: 'summer',
  concert: 'summer',
  theatre: 'season',
  club: 'clubs',
  closed_club: 'clubs',
}

export const PROMOTIONS = [
  { lifetime: { start: '2026-01-01' }, sets: ['standing', 'vip'], percentage: '12.3456%' },
  { lifetime: { finish: '2026-02-01' }, fix: '5.00' },
  levels('sum', 'percentage', [
    { from: '1000.00', value: '5%' },
    { from: '2000.50', value: '100%' },
  ]),
  levels('sum', 'fix', [{ from: '0.00', value: '1.50' }]),
  levels('count', 'percentage', [{ from: 4, value: '0.0001%' }]),
  levels('count', 'fix', [
    { from: 8, value: '200.00' },
    { from: 4, value: '100.00' },
  ]),
]

/**
 * The catalog of the v1 listings with groups, where `closed_club` comes first of all; `festival` has the rest of what an event
 * can have. Keys `org_finished` (of `org`) and `one_club` (of `other_org`) are for `theatre` and `club` alone.
 */
export function eventCatalog(fields: { festival?: Json; catalog?: Json } = {}): Json {
  const catalog = listingCatalog({
    category: 'Music',
    artists: ['Ария', 'Kino'],
    open_date: true,
    smart_tickets: { name: 'Smart', mode: 'only' },
    promotions: PROMOTIONS,
    ...fields.festival,
  })
  const events = catalog['events'] as Json[]
  const keys = catalog['keys'] as Json[]
  return {
    ...catalog,
    groups: [
      {
        ref: 'summer',
        org: 'org',
        name: 'Лето',
        desc: 'All summer',
        age_rating: 18,
        media: { cover_original: { url: 'https://img.example.org/2.png' } },
      },
      { ref: 'season', org: 'org', name: 'Season' },
      { ref: 'clubs', org: 'other_org', name: 'Clubs' },
      { ref: 'empty', org: 'other_org', name: 'Empty' },
    ],
    events: events.map((event) => ({
      ...event,
      meta: GROUPS[event['ref'] as keyof typeof GROUPS],
      ...(event['ref'] === 'closed_club' ? { lifetime: days(2, 3) } : {}),
    })),
    keys: [
      ...keys,
      { name: 'org_finished', partner: 'org', events: ['theatre'] },
      { name: 'one_club', partner: 'other_org', events: ['club'] },
    ],
    ...fields.catalog,
  }
}

export type EventWorld = World & {
  database: TestDatabase
  /** A client of the listing service, by the key of this name. */
  grpc(name: string, options?: Pick<GrpcClientOptions, 'service'>): GrpcClient
  /** A client of the HTTP API, by the key of this name. */
  http(name: string): Client
  ids(...refs: string[]): string[]
}

/** A service of the file's own, or of the `describe`'s. */
export async function openEventWorld(document: unknown = eventCatalog()): Promise<EventWorld> {
  const database = await createTestDatabase()
  const world = await importWorld(database, document)
  const { base_url, grpc_address } = await startService({ database, parts: ['api'] })
  return {
    ...world,
    database,
    grpc: (name, options) => createGrpcClient({ address: grpc_address, key: world.key(name), ...options }),
    http: (name) => createClient(base_url, world.key(name)),
    ids: (...refs) => refs.map(world.id),
  }
}

function levels(by: 'sum' | 'count', kind: 'percentage' | 'fix', steps: Json[]): Json {
  return { levels: { by, kind, steps } }
}
