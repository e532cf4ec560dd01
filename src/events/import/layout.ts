import type { SectorDocument } from './document.ts'
import { childPath, type FaultList } from './import-faults.ts'
import type { LayoutRow } from '../rules/place-seats.ts'

/**
 * A seat by its texts, and its place: `row_pos` counts rows front to back, `seat_pos` differs by 1 between
 * neighbours.
 */
export type Seat = { row: string; number: string; row_pos: number; seat_pos: number }

type RowDocument = NonNullable<SectorDocument['rows']>[number]

/** `seats: 3, from: 5` are the seats 5, 6 and 7. Two rows or two seats of one name are faults. */
export function expandRows(
  rows: readonly RowDocument[],
  { path, faults }: { path: string; faults: FaultList },
): LayoutRow[] {
  const names = new Set<string>()
  return rows.map(({ row: label, seats, from, ...place }, index) => {
    const at = childPath(path, index)
    const row = String(label)
    if (names.has(row)) faults.add(`${at}.row`, 'is in the sector twice')
    names.add(row)
    if (typeof seats === 'number')
      return { row, seats: Array.from({ length: seats }, (_, nth) => String((from ?? 1) + nth)), ...place }
    if (from !== undefined) faults.add(`${at}.from`, 'goes with a count of seats, not with a list')
    const numbers = seats.map(String)
    const twice = numbers.findIndex((number, nth) => numbers.indexOf(number) !== nth)
    if (twice >= 0) faults.add(`${at}.seats[${twice}]`, 'is in the row twice')
    return { row, seats: numbers, ...place }
  })
}

/** The seats of those rows of a sector that are wanted; places are those in the whole sector. */
export function* seatsOf(rows: readonly LayoutRow[], wanted: ReadonlySet<string>): Generator<Seat> {
  for (const [row_pos, { row, seats }] of rows.entries()) {
    if (!wanted.has(row)) continue
    for (const [seat_pos, number] of seats.entries()) yield { row, number, row_pos, seat_pos }
  }
}

/** What tells one seat of a sector from another. */
export const seatKey = (row: string, number: string): string => `${row}\n${number}`
