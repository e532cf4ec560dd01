/** The seats of an event as they are whatever is sold, compact enough that a process can remember many halls. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../platform/db/db.ts'
import { statements } from './seating-rows.ts'
import type { SeatRowRow } from './seating-rows.ts'

const ID_LENGTH = 24

/** What seats are read by. */
export type SeatReader = Pick<Db, 'query' | 'transaction'>

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

/** Of so many seats the rows are read at a time, and as many are put in order, or encoded, in one turn of the event loop. */
export const SLICE_SEATS = 10_000

/** All slices are of one moment. */
export function readSeatPlan(
  db: SeatReader,
  { shard, id }: { readonly shard: number; readonly id: string },
): Promise<SeatPlan> {
  const read = db.transaction(async (tx) => {
    const readAfter = (last: string) =>
      tx.query<SeatRowRow>(statements.rows_of_seats, [shard, id, last, SLICE_SEATS])
    await tx.query(statements.group_by_hash)
    const slices: Slice[] = []
    let next: Promise<SeatRowRow[]> | undefined = readAfter('')
    while (next !== undefined) {
      const rows: SeatRowRow[] = await next
      // Read while this one is put in order.
      next = sizeOf(rows) < SLICE_SEATS ? undefined : readAfter(lastIdOf(rows))
      slices.push(sliceOf(rows))
    }
    return slices
  }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
  return read.then((slices) => planSeats(id, slices))
}

/** Of an event without seats. */
export function emptySeatPlan(event: string): SeatPlan {
  const none = new Uint32Array()
  return { event, size: 0, rows: [], row_of: none, seat_numbers: [], numbers: none, ids: '', by_id: none }
}

/** The id of a seat's ticket, by the place of the seat among those whose ids are joined. */
export function ticketOf({ ids }: { readonly ids: string }, seat: number): string {
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
  readonly seat_number: string
  readonly seat_pos: number
  readonly number: number
  /** In the plan. */
  place: number
}

type Row = { readonly row: SeatRowRow; readonly seats: readonly Seat[] }

type Slice = { readonly rows: readonly Row[]; readonly by_id: readonly Seat[] }

function sliceOf(rows: readonly SeatRowRow[]): Slice {
  const filled = rows.map((row) => ({ row, seats: seatsOf(row) }))
  return { rows: filled, by_id: filled.flatMap(({ seats }) => seats).sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

function seatsOf(row: SeatRowRow): Seat[] {
  const { seat_numbers, seat_positions, numbers } = row
  return seat_numbers.map((seat_number, nth) => ({
    id: ticketOf(row, nth),
    seat_number,
    seat_pos: seat_positions[nth] as number,
    number: numbers[nth] as number,
    place: 0,
  }))
}

/** The plan of an event (id), of slices in the order of the tickets' ids. */
async function planSeats(event: string, slices: readonly Slice[]): Promise<SeatPlan> {
  const rows = slices.flatMap((slice) => slice.rows)
  const size = sizeOf(rows.map(({ row }) => row))
  const [row_of, numbers] = [new Uint32Array(size), new Uint32Array(size)]
  const [seat_numbers, ids]: [string[], string[]] = [[], []]
  let in_turn = 0
  for (const line of linesOf(rows)) {
    for (const { row_index, seat } of line) {
      const place = ids.push(seat.id) - 1
      seat.place = place
      seat_numbers.push(seat.seat_number)
      row_of[place] = row_index
      numbers[place] = seat.number
    }
    in_turn += line.length
    if (in_turn < SLICE_SEATS) continue
    in_turn = 0
    await nextTurn()
  }
  const by_id = Uint32Array.from(slices.flatMap((slice) => slice.by_id.map((seat) => seat.place)))
  return {
    event,
    size,
    rows: rows.map(({ row: { sector, seat_row, set, serial } }) => ({ sector, seat_row, set, serial })),
    row_of,
    seat_numbers,
    numbers,
    ids: ids.join(''),
    by_id,
  }
}

type InLine = { readonly row_index: number; readonly seat: Seat }

/** Line by line of the hall. A line is several rows where a slice ends in it or its seats are of several categories. */
function* linesOf(rows: readonly Row[]): Generator<InLine[], void, undefined> {
  const in_order = rows.map((row, row_index) => ({ ...row, row_index })).sort((a, b) => byLine(a.row, b.row))
  let line: InLine[] = []
  for (const [at, { row, row_index, seats }] of in_order.entries()) {
    for (const seat of seats) line.push({ row_index, seat })
    const next = in_order[at + 1]
    if (next !== undefined && byLine(row, next.row) === 0) continue
    yield line.sort((a, b) => bySeat(a.seat, b.seat))
    line = []
  }
}

function byLine(a: SeatRowRow, b: SeatRowRow): number {
  if (a.sector !== b.sector) return a.sector < b.sector ? -1 : 1
  return a.row_pos - b.row_pos
}

function bySeat(a: Seat, b: Seat): number {
  if (a.seat_pos !== b.seat_pos) return a.seat_pos - b.seat_pos
  return a.id < b.id ? -1 : 1
}

function lastIdOf(rows: readonly SeatRowRow[]): string {
  let last = ''
  for (const row of rows) {
    for (let nth = 0; nth < row.numbers.length; nth++) {
      const id = ticketOf(row, nth)
      if (id > last) last = id
    }
  }
  return last
}

function sizeOf(rows: readonly SeatRowRow[]): number {
  return rows.reduce((sum, { numbers }) => sum + numbers.length, 0)
}
