/** The seats of an event as they are whatever is sold, compact enough that a process can remember many halls. */
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './seating-rows.ts'
import type { SeatRowRow } from './seating-rows.ts'

const ID_LENGTH = 24

/** What the seats of a row have in common. */
export type SeatRow = Pick<SeatRowRow, 'sector' | 'seat_row' | 'set' | 'serial'>

/**
 * Seats are counted from 0, sector by sector, front to back, along the row. A seat is that of one ticket; what there is of
 * it is at its place in each list.
 */
export type SeatPlan = {
  readonly event: string
  readonly size: number
  readonly rows: readonly SeatRow[]
  /** Of each seat the place of its row in `rows`. */
  readonly row_of: Uint32Array
  /** The labels. */
  readonly seat_numbers: readonly string[]
  /** The tickets' numbers. */
  readonly numbers: Uint32Array
  /** The tickets' ids, joined: see `ticketOf`. */
  readonly ids: string
  /** The seats in the order of their tickets' ids. */
  readonly by_id: Uint32Array
}

export async function readSeatPlan(
  db: Queryable,
  event: { readonly shard: number; readonly id: string },
): Promise<SeatPlan> {
  const rows = await db.query<SeatRowRow>(statements.rows_of_seats, [event.shard, event.id])
  return seatPlanOf(event.id, rows)
}

/** The id of a seat's ticket. */
export function ticketOf({ ids }: SeatPlan, seat: number): string {
  return ids.slice(seat * ID_LENGTH, (seat + 1) * ID_LENGTH)
}

/** The seat of the ticket, or -1. */
export function seatOf({ ids }: SeatPlan, ticket: string): number {
  let at = ids.indexOf(ticket)
  // What is found may begin inside one id and end in the next.
  while (at !== -1 && at % ID_LENGTH !== 0) at = ids.indexOf(ticket, at + 1)
  return at === -1 ? -1 : at / ID_LENGTH
}

type Seat = {
  readonly id: string
  readonly row: SeatRowRow
  readonly row_index: number
  readonly seat_number: string
  readonly seat_pos: number
  readonly number: number
}

/** The plan of these rows of seats, in any order, of an event (id). */
export function seatPlanOf(event: string, rows: readonly SeatRowRow[]): SeatPlan {
  const seats = rows.flatMap(seatsOfRow).sort(bySeat)
  const ids = seats.map((seat) => seat.id)
  const by_id = [...ids.keys()].sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1))
  return {
    event,
    size: seats.length,
    rows: rows.map(({ sector, seat_row, set, serial }) => ({ sector, seat_row, set, serial })),
    // To map the list first takes a fifth of the time.
    row_of: Uint32Array.from(seats.map((seat) => seat.row_index)),
    seat_numbers: seats.map((seat) => seat.seat_number),
    numbers: Uint32Array.from(seats.map((seat) => seat.number)),
    ids: ids.join(''),
    by_id: Uint32Array.from(by_id),
  }
}

function seatsOfRow(row: SeatRowRow, row_index: number): Seat[] {
  const { ids, seat_numbers, seat_positions, numbers } = row
  return seat_numbers.map((seat_number, nth) => ({
    id: ids.slice(nth * ID_LENGTH, (nth + 1) * ID_LENGTH),
    row,
    row_index,
    seat_number,
    seat_pos: seat_positions[nth] as number,
    number: numbers[nth] as number,
  }))
}

function bySeat(a: Seat, b: Seat): number {
  if (a.row.sector !== b.row.sector) return a.row.sector < b.row.sector ? -1 : 1
  if (a.row.row_pos !== b.row.row_pos) return a.row.row_pos - b.row.row_pos
  if (a.seat_pos !== b.seat_pos) return a.seat_pos - b.seat_pos
  return a.id < b.id ? -1 : 1
}
