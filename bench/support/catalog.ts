/** What a scenario sells: a catalog of its own, with new names every time, so that one store can be measured again and again. */
import { randomBytes } from 'node:crypto'
import type { Target } from './service.ts'

/** A category of standing places, or of seats in a hall of equal rows. */
export type SetWish = { places: number } | { rows: number; seats_in_row: number }
export type EventWish = { set: SetWish; order_lifetime_s?: number; price?: string }

export type SaleEvent = { id: string; set: string }

/** Some events of one organizer, and the vendor that sells them. */
export type Sale = {
  key: string
  events: readonly SaleEvent[]
  /** What the service has answered to be sold, in orders and in tickets, in the whole life of the sale. */
  acknowledged: { orders: number; tickets: number }
}

type Imported = { ids: Record<string, string>; keys: Record<string, string> }

const DAY_MS = 86_400_000
const PRICE = '3500.00'
/** Of the vendor, who pays the organizer's share of what it sells: more than any run can sell. */
const DEPOSIT = '5000000000.00'

/** Imports the events; the sale is among those that are checked when the scenario ends. */
export async function openSale(target: Target, wishes: readonly EventWish[]): Promise<Sale> {
  const ref = `bench-${randomBytes(5).toString('hex')}`
  const document = JSON.stringify(catalogOf(ref, wishes))
  const { ids, keys } = JSON.parse(await target.parterre(['import', '-'], document)) as Imported
  const idOf = (name: string): string => {
    const id = ids[name]
    if (id === undefined) throw new Error(`the import did not tell the id of ${name}`)
    return id
  }
  const key = keys[ref]
  if (key === undefined) throw new Error('the import did not tell the key')
  const sale: Sale = {
    key,
    events: wishes.map((_, nth) => ({ id: idOf(eventRef(ref, nth)), set: idOf(setRef(ref, nth)) })),
    acknowledged: { orders: 0, tickets: 0 },
  }
  target.sales.push(sale)
  return sale
}

const eventRef = (ref: string, nth: number) => `${ref}-event-${nth}`
const setRef = (ref: string, nth: number) => `${ref}-set-${nth}`

function catalogOf(ref: string, wishes: readonly EventWish[]): object {
  const [org, vendor, venue] = [`${ref}-org`, `${ref}-vendor`, `${ref}-venue`]
  const place = { default: 'Moscow', en: 'Moscow', ru: 'Москва' }
  const country = { id: 'RU', name: { default: 'Russia', en: 'Russia', ru: 'Россия' } }
  const from = Date.now() + DAY_MS
  const lifetime = { start: new Date(from).toISOString(), finish: new Date(from + DAY_MS).toISOString() }
  const halls = wishes.flatMap(({ set }, nth) => ('rows' in set ? [hallOf(ref, nth, set)] : []))
  return {
    partners: [
      { ref: org, name: `Bench organizer ${ref}` },
      { ref: vendor, name: `Bench vendor ${ref}` },
    ],
    venues: [
      {
        ref: venue,
        name: 'Bench field',
        address: '1 Field road',
        city: { id: 1, name: place, timezone: 'Europe/Moscow', country: 'RU' },
        country,
      },
    ],
    maps: halls.map((hall) => ({ ...hall, venue })),
    events: wishes.map(({ set, price = PRICE, ...settings }, nth) => ({
      ...settings,
      ref: eventRef(ref, nth),
      org,
      venue,
      title: { text: `Bench event ${nth}` },
      status: 'public',
      lifetime,
      ...('rows' in set ? { map: hallRef(ref, nth) } : {}),
      sets: [
        {
          ref: setRef(ref, nth),
          name: 'Bench set',
          price,
          ...('rows' in set
            ? { with_seats: true, sector: sectorRef(ref, nth) }
            : { with_seats: false, amount: set.places }),
        },
      ],
    })),
    deals: [{ ref: `${ref}-deal`, org, vendor, org_share: '95%', agent: '5%', extra: '4%' }],
    accounts: [{ partner: vendor, ref: `${ref}-deposit`, deposit: DEPOSIT }],
    keys: [{ name: ref, partner: vendor }],
  }
}

const hallRef = (ref: string, nth: number) => `${ref}-hall-${nth}`
const sectorRef = (ref: string, nth: number) => `${ref}-sector-${nth}`

function hallOf(ref: string, nth: number, hall: { rows: number; seats_in_row: number }) {
  const rows = Array.from({ length: hall.rows }, (_, row) => ({
    row: String(row + 1),
    seats: hall.seats_in_row,
  }))
  return {
    ref: hallRef(ref, nth),
    name: 'Bench hall',
    sectors: [{ ref: sectorRef(ref, nth), name: 'Stalls', with_seats: true, rows }],
  }
}
