/**
 * The seats of one seated set as this process knows them, all of them, because the best of them are picked. What is shown of a seat
 * never changes, so it is kept compactly beside the map of what is vacant.
 */
import type { Queryable } from '../platform/db/db.ts'
import { pickBestAvailable } from './rules/best-available.ts'
import { createSeatMap, markTaken, markVacant, vacantCount } from './rules/seat-map.ts'
import type { MapSeat } from './rules/seat-map.ts'
import type { SetVacancy } from './set-vacancy.ts'
import { statements } from './tickets-rows.ts'
import type { SetRowRow } from './tickets-rows.ts'

/** What is shown of all seats of a row. */
type ShownRow = Pick<SetRowRow, 'sector' | 'seat_row' | 'serial'>

type Seat = MapSeat & { readonly row: ShownRow; readonly seat_number: string; readonly number: number }

/** Has the last word on what the database calls vacant or not. */
type IsVacant = (id: string, is_vacant: boolean) => boolean

export async function readSeatedPlaces(
  db: Queryable,
  { event, set }: { readonly event: { readonly shard: number; readonly id: string }; readonly set: string },
  isVacant: IsVacant,
): Promise<SetVacancy> {
  const rows = await db.query<SetRowRow>(statements.rows_of_set, [event.shard, event.id, set])
  return createSeatedPlaces(rows.flatMap((row) => seatsOf(row, isVacant)))
}

function seatsOf(read: SetRowRow, isVacant: IsVacant): Seat[] {
  const { sector, seat_row, serial, row_pos, seat_numbers, seat_positions, numbers, vacant } = read
  const row = { sector, seat_row, serial }
  return read.ids.split(' ').map((id, nth) => ({
    id,
    row_pos,
    seat_pos: seat_positions[nth] as number,
    vacant: isVacant(id, vacant[nth] as boolean),
    row,
    seat_number: seat_numbers[nth] as string,
    number: numbers[nth] as number,
  }))
}

function createSeatedPlaces(seats: readonly Seat[]): SetVacancy {
  const map = createSeatMap(seats)
  const labels = new Map<string, string>()
  // By the seat's index in the map.
  const row_of: ShownRow[] = []
  const seat_numbers: string[] = []
  const numbers = new Int32Array(seats.length)
  for (const { id, row, seat_number, number } of seats) {
    const index = map.indexOf.get(id) as number
    row_of[index] = row
    seat_numbers[index] = labels.get(seat_number) ?? seat_number
    labels.set(seat_number, seat_numbers[index])
    numbers[index] = number
  }

  return {
    pick(count, beside) {
      const ids = pickBestAvailable(map, count, { beside })
      for (const id of ids) markTaken(map, id)
      return ids
    },
    take(id) {
      const before = vacantCount(map)
      markTaken(map, id)
      return vacantCount(map) < before
    },
    add: (id) => markVacant(map, id),
    remove: (id) => markTaken(map, id),
    shownOf(id) {
      const index = map.indexOf.get(id)
      if (index === undefined) return undefined
      const { sector, seat_row, serial } = row_of[index] as ShownRow
      const seat = { sector, row: seat_row, number: seat_numbers[index] as string }
      return { serial, number: numbers[index] as number, seat }
    },
    stock: () => undefined,
    seats: seats.length,
  }
}
