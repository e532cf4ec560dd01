import { isDeepStrictEqual } from 'node:util'
import type { MapDocument, PartnerDocument, SectorDocument, VenueDocument } from './document.ts'
import { identify, type Identity } from './identify.ts'
import type { LayoutRow } from '../rules/place-seats.ts'
import { sql, type StoredSector } from './import-rows.ts'
import { expandRows } from './layout.ts'
import {
  answerId,
  claimsOf,
  identifySection,
  makePlainId,
  resolve,
  type Planning,
  type Sector,
} from './planning.ts'

/** Partners, known by their name when they have neither id nor ref. */
export async function planPartners(planning: Planning): Promise<void> {
  const {
    partners = [],
    events = [],
    groups = [],
    deals = [],
    accounts = [],
    keys = [],
    webhooks = [],
  } = planning.document
  const identities = await identifySection<PartnerDocument, never>(planning, {
    kind: 'partners',
    records: partners,
    named: [
      ...[...events, ...groups].map((record) => record.org),
      ...deals.flatMap((deal) => [deal.org, deal.vendor]),
      ...[...accounts, ...keys, ...webhooks].map((record) => record.partner),
    ],
    nameOf: (partner) => partner.name,
  })
  for (const [
    index,
    { desc = '', tags = [], contact = {}, legal_detail = null, media = {}, name },
  ] of partners.entries()) {
    const { id, ref } = identities[index]!
    planning.rows.partners.push({ id, ref, name, desc, tags, contact, legal_detail, media })
  }
}

/** Venues, known by their name, with their cities and countries, which the file repeats and must not contradict. */
export async function planVenues(planning: Planning): Promise<void> {
  const { venues = [], maps = [], events = [] } = planning.document
  const identities = await identifySection<VenueDocument, never>(planning, {
    kind: 'venues',
    records: venues,
    named: [...maps, ...events].map((record) => record.venue),
    nameOf: (venue) => venue.name,
  })
  const cities = describeOnce(planning, 'cities')
  const countries = describeOnce(planning, 'countries')
  for (const [index, { name, desc = '', address, city, country, point = null }] of venues.entries()) {
    const { id, ref, path } = identities[index]!
    if (city.country !== country.id)
      planning.faults.add(`${path}.city.country`, `is not ${country.id}, that of the venue`)
    countries(country, `${path}.country`)
    cities(city, `${path}.city`)
    planning.rows.venues.push({ id, ref, name, desc, address, city: city.id, country: country.id, point })
  }
}

function describeOnce({ rows, faults }: Planning, table: 'cities' | 'countries') {
  const described = new Map<unknown, { record: object; path: string }>()
  return (record: { id: unknown; name: object }, path: string) => {
    const before = described.get(record.id)
    if (before === undefined) {
      described.set(record.id, { record, path })
      rows[table].push(record)
    } else if (!isDeepStrictEqual(before.record, record)) {
      faults.add(path, `differs from what ${before.path} says of it`)
    }
  }
}

/**
 * Maps, known by venue and name, and their sectors, known by their name in the map. A sector that is left out
 * stays, and whether it has seats does not change.
 */
export async function planMaps(planning: Planning): Promise<void> {
  const { maps = [], events = [] } = planning.document
  const identities = await identifySection<MapDocument, never>(planning, {
    kind: 'maps',
    records: maps,
    named: events.map((event) => event.map),
    nameOf: (map) => map.name,
    ownerOf: (map, path) => resolve(planning, 'venues', map.venue, `${path}.venue`),
  })
  const used = new Set(planning.directory.maps.values().map((known) => known.id))
  const given = maps.flatMap((map) => map.sectors.flatMap(({ id }) => id ?? []))
  const stored = Map.groupBy(
    await planning.tx.query<StoredSector>(sql.find_sectors, [[...used], given]),
    (sector) => sector.owner,
  )
  for (const [index, { name, svg = {}, sectors }] of maps.entries()) {
    const map = identities[index]!
    planning.rows.maps.push({ id: map.id, ref: map.ref, venue: map.owner, name, svg })
    await planSectors(planning, { map, sectors, stored })
  }
  for (const [map, others] of stored) {
    const sectors = planning.sectors.get(map) ?? []
    const known = new Set(sectors.map((sector) => sector.id))
    const kept = others.filter((sector) => !known.has(sector.id))
    planning.sectors.set(map, [...sectors, ...kept.map((sector) => ({ ...sector, rows: sector.rows ?? [] }))])
  }
}

type SectorsOptions = {
  map: Identity<never>
  sectors: readonly SectorDocument[]
  stored: Map<string, StoredSector[]>
}

async function planSectors(planning: Planning, { map, sectors, stored }: SectorsOptions): Promise<void> {
  const { faults } = planning
  const given = new Set(sectors.map((sector) => sector.id))
  const elsewhere = [...stored.values()].flat().filter(({ id, owner }) => given.has(id) && owner !== map.id)
  const identities = await identify<SectorDocument, StoredSector>({
    path: `${map.path}.sectors`,
    records: sectors,
    stored: [...(stored.get(map.id) ?? []), ...elsewhere],
    keyOf: (sector) => `${map.id}\n${sector.name}`,
    storedKeyOf: (sector) => `${sector.owner}\n${sector.name}`,
    newId: () => makePlainId(planning),
    claims: claimsOf(planning, 'sectors'),
    faults,
  })
  const known: Sector[] = []
  for (const [pos, sector] of sectors.entries()) {
    const { id, ref, path, stored: before } = identities[pos]!
    const rows = planRows(planning, sector, path)
    if (before && before.owner !== map.id) faults.add(`${path}.id`, 'is that of a sector of another map')
    if (before && before.with_seats !== sector.with_seats)
      faults.add(`${path}.with_seats`, 'does not change once the sector is there')
    known.push({ id, ref, with_seats: sector.with_seats, rows: rows ?? [] })
    answerId(planning, 'sectors', { id, ref })
    planning.rows.sectors.push({
      id,
      ref,
      map: map.id,
      pos,
      name: sector.name,
      with_seats: sector.with_seats,
      rows,
    })
  }
  planning.sectors.set(map.id, known)
}

/** Null for a sector without seats. */
function planRows(
  { faults }: Planning,
  { with_seats, rows = [] }: SectorDocument,
  path: string,
): LayoutRow[] | null {
  if (with_seats && rows.length === 0) faults.add(`${path}.rows`, 'a sector with seats needs rows')
  if (!with_seats && rows.length > 0) faults.add(`${path}.rows`, 'a sector without seats has no rows')
  return with_seats ? expandRows(rows, { path: `${path}.rows`, faults }) : null
}
