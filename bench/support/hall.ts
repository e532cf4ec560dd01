/** A hall of seats to list and to sell. */
import type { Target } from './service.ts'

export type Hall = { key: string; event: string; seats: number }

const ROWS = 100
const DAY_MS = 86_400_000

/** Imports an event with this many vacant seats, a multiple of 100; refs and names are new with every call. */
export async function importHall(target: Target, seats: number): Promise<Hall> {
  const ref = `bench-${seats}-${Date.now().toString(36)}`
  const imported = JSON.parse(
    await target.parterre(['import', '-'], JSON.stringify(catalogOf(ref, seats / ROWS))),
  ) as { ids: Record<string, string>; keys: Record<string, string> }
  const [event, key] = [imported.ids[`${ref}-event`], imported.keys[ref]]
  if (event === undefined || key === undefined) throw new Error('the import answered no event or no key')
  return { key, event, seats }
}

function catalogOf(ref: string, seats_a_row: number): object {
  const [org, vendor, venue, map, sector] = ['org', 'vendor', 'venue', 'map', 'sector'].map(
    (kind) => `${ref}-${kind}`,
  )
  const name = (en: string, ru: string) => ({ default: en, en, ru })
  const from = Date.now() + DAY_MS
  const rows = Array.from({ length: ROWS }, (_row, index) => ({ row: String(index + 1), seats: seats_a_row }))
  return {
    partners: [
      { ref: org, name: `Bench organizer ${ref}` },
      { ref: vendor, name: `Bench vendor ${ref}` },
    ],
    venues: [
      {
        ref: venue,
        name: 'Bench hall',
        address: '1 Hall road',
        city: { id: 524_901, name: name('Moscow', 'Москва'), timezone: 'Europe/Moscow', country: 'RU' },
        country: { id: 'RU', name: name('Russia', 'Россия') },
      },
    ],
    maps: [
      { ref: map, venue, name: 'Hall', sectors: [{ ref: sector, name: 'Stalls', with_seats: true, rows }] },
    ],
    events: [
      {
        ref: `${ref}-event`,
        org,
        venue,
        map,
        title: { text: 'Concert' },
        status: 'public',
        lifetime: { start: new Date(from).toISOString(), finish: new Date(from + DAY_MS).toISOString() },
        sets: [{ ref: `${ref}-seats`, name: 'Stalls', price: '3500.00', with_seats: true, sector }],
      },
    ],
    deals: [{ ref: `${ref}-deal`, org, vendor, org_share: '95%', agent: '5%', extra: '4%' }],
    accounts: [{ partner: vendor, ref: `${ref}-deposit`, deposit: '5000000000.00' }],
    keys: [{ name: ref, partner: vendor }],
  }
}
