import { makeKey } from '../../src/partners/keys.ts'
import { importCatalog } from '../../src/events/import/import-catalog.ts'
import type { TestDatabase } from './database.ts'

const HOUR_MS = 3_600_000

type Json = Record<string, unknown>

/** What an import of a document answers: ids by ref and keys by name, both of which must be there when asked for. */
export type World = { id(ref: string): string; key(name: string): string }

/** A period from now on, as the catalog writes it; hours may be negative. */
export function lifetime(from_hours: number, to_hours: number): { start: string; finish: string } {
  const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()
  return { start: at(from_hours), finish: at(to_hours) }
}

/** An event of `org` at `venue`, on sale, in 30 days; `fields` replace or add to what it has. */
export function makeEvent(ref: string, fields: Json = {}): Json {
  return {
    ref,
    org: 'org',
    venue: 'venue',
    title: { text: `Event ${ref}`, desc: `About ${ref}` },
    status: 'public',
    lifetime: lifetime(30 * 24, 30 * 24 + 3),
    sets: [makeSet(`${ref}_standing`)],
    ...fields,
  }
}

/** A set without seats: 100 tickets at 150.00. */
export function makeSet(ref: string, fields: Json = {}): Json {
  return { ref, name: `Set ${ref}`, price: '150.00', with_seats: false, amount: 100, ...fields }
}

/**
 * The usual test catalog:
 * - `event` of `org`: `standing` (100 at 150.00), `vip` (10 at 300.00), `seats` (rows 1 to 3 of 10 at 500.00);
 * - `other_event` of `other_org`: `other_standing` (20 at 200.00);
 * - `closed_event` (promokey needed), `partly_closed_event` (sets `open`, `closed`), `stand_by_event`,
 *   `finished_event`, `cancelled_event`, `past_event`: each of `org`, with a set `<ref>_standing` unless named;
 * - vendors `vendor` (deals with both organizers, 100,000.00), `poor` (a deal, no money), `stranger` (money, no deal);
 * - keys named after the partners, and of `vendor`: `salespoint`, `no_orders` (may not touch orders), `one_event`
 *   (`event` only). `org` sells its own without a deal.
 * `fields` replace whole sections.
 */
export function makeCatalog(fields: Json = {}): Json {
  return {
    partners: ['org', 'other_org', 'vendor', 'poor', 'stranger'].map((ref) => ({
      ref,
      name: `Partner ${ref}`,
    })),
    venues: [makeVenue()],
    maps: [makeMap()],
    events: [
      makeEvent('event', {
        map: 'map',
        sets: [
          makeSet('standing'),
          makeSet('vip', { price: '300.00', amount: 10 }),
          { ref: 'seats', name: 'Seats', price: '500.00', with_seats: true, sector: 'hall' },
        ],
      }),
      makeEvent('other_event', {
        org: 'other_org',
        sets: [makeSet('other_standing', { price: '200.00', amount: 20 })],
      }),
      makeEvent('closed_event', { promokey_required: true }),
      makeEvent('partly_closed_event', {
        sets: [makeSet('open'), makeSet('closed', { promokey_required: true })],
      }),
      makeEvent('stand_by_event', { status: 'stand_by' }),
      makeEvent('finished_event', { status: 'finished' }),
      makeEvent('cancelled_event', { status: 'cancelled' }),
      makeEvent('past_event', { lifetime: lifetime(-5, -2) }),
    ],
    deals: [
      makeDeal('deal', { org: 'org', vendor: 'vendor' }),
      makeDeal('other_deal', { org: 'other_org', vendor: 'vendor' }),
      makeDeal('poor_deal', { org: 'org', vendor: 'poor' }),
    ],
    accounts: [
      { partner: 'vendor', deposit: '100000.00', ref: 'vendor_deposit' },
      { partner: 'poor' },
      { partner: 'stranger', deposit: '100000.00', ref: 'stranger_deposit' },
    ],
    keys: [
      ...['vendor', 'poor', 'stranger', 'org', 'other_org'].map((name) => ({ name, partner: name })),
      { name: 'salespoint', partner: 'vendor', origin: 'salespoint' },
      { name: 'no_orders', partner: 'vendor', permissions: ['events'] },
      { name: 'one_event', partner: 'vendor', events: ['event'] },
    ],
    ...fields,
  }
}

/** 95 % to the organizer, 5 % to the vendor, and a fee of 4 % on top. */
export function makeDeal(ref: string, fields: Json = {}): Json {
  return { ref, org_share: '95%', agent: '5%', extra: '4%', ...fields }
}

function makeVenue(): Json {
  const name = (en: string, ru: string) => ({ default: en, en, ru })
  return {
    ref: 'venue',
    name: 'Test Hall',
    address: '1 Test Street',
    city: { id: 1, name: name('Moscow', 'Москва'), timezone: 'Europe/Moscow', country: 'RU' },
    country: { id: 'RU', name: name('Russia', 'Россия') },
    point: [37.6, 55.75],
  }
}

function makeMap(): Json {
  return {
    ref: 'map',
    venue: 'venue',
    name: 'Test map',
    sectors: [
      {
        ref: 'hall',
        name: 'Hall',
        with_seats: true,
        rows: ['1', '2', '3'].map((row) => ({ row, seats: 10 })),
      },
    ],
  }
}

/** Imports a document as `parterre import` does. */
export async function importWorld({ db }: TestDatabase, document: unknown = makeCatalog()): Promise<World> {
  const { ids, keys } = await importCatalog({ db, document, now: Date.now, makeKey, progress: () => {} })
  const lookUp = (record: Readonly<Record<string, string>>, name: string): string => {
    const value = record[name]
    if (value === undefined) throw new Error(`the imported catalog has no ${name}`)
    return value
  }
  return { id: (ref) => lookUp(ids, ref), key: (name) => lookUp(keys, name) }
}
