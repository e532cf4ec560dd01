/**
 * The seats of one seated set as this process knows them: rows front to back, in a row by `seat_pos`. It is the
 * working memory of the rule "best available" (decisions, 4, Reservation), and a hint: the database decides.
 * Seats are neighbours when they are of one row and their `seat_pos` differ by 1; a gap is an aisle.
 * A mark costs next to nothing, it only notes that its row must be looked at again; `settleRows` does that.
 */
export type SeatMap = {
  readonly ids: readonly string[]
  readonly indexOf: ReadonlyMap<string, number>
  /** By seat index; `linked` is 1 when the seat and the one before it are neighbours, and has a 0 at the end. */
  readonly pos: Int32Array
  readonly rowOf: Int32Array
  readonly linked: Uint8Array
  readonly vacant: Uint8Array
  vacantCount: number
  /** By row, front to back; row r is the seats from `rowStart[r]` up to and without `rowStart[r + 1]`. */
  readonly rowStart: Int32Array
  /** The longest run of vacant neighbours in the row. */
  readonly longest: Int32Array
  /** 1 when a block one shorter than `longest` cannot be had from the row without stranding a seat. */
  readonly tight: Uint8Array
  readonly staleRows: number[]
  readonly isStale: Uint8Array
}

/** Positions are whole numbers; the lowest `row_pos` is the front row. */
export type MapSeat = { id: string; row_pos: number; seat_pos: number; vacant: boolean }

/** Takes the seats of one set in any order; ids are unique. */
export function createSeatMap(seats: readonly MapSeat[]): SeatMap {
  const sorted = seats.toSorted(
    (a, b) => a.row_pos - b.row_pos || a.seat_pos - b.seat_pos || (a.id < b.id ? -1 : 1),
  )
  const rowOf = new Int32Array(sorted.length)
  const linked = new Uint8Array(sorted.length + 1)
  const rowStart: number[] = []
  for (const [index, seat] of sorted.entries()) {
    const before = sorted[index - 1]
    const sameRow = before?.row_pos === seat.row_pos
    if (!sameRow) rowStart.push(index)
    rowOf[index] = rowStart.length - 1
    linked[index] = sameRow && before.seat_pos + 1 === seat.seat_pos ? 1 : 0
  }
  const rows = rowStart.length
  return {
    ids: sorted.map((seat) => seat.id),
    indexOf: new Map(sorted.map((seat, index) => [seat.id, index])),
    pos: Int32Array.from(sorted, (seat) => seat.seat_pos),
    rowOf,
    linked,
    vacant: Uint8Array.from(sorted, (seat) => (seat.vacant ? 1 : 0)),
    vacantCount: sorted.filter((seat) => seat.vacant).length,
    rowStart: Int32Array.from([...rowStart, sorted.length]),
    longest: new Int32Array(rows),
    tight: new Uint8Array(rows),
    staleRows: Array.from({ length: rows }, (_, row) => row),
    isStale: new Uint8Array(rows).fill(1),
  }
}

/** No effect on an id that is not in the map, or is taken already. */
export function markTaken(map: SeatMap, id: string): void {
  const index = map.indexOf.get(id)
  if (index !== undefined) setVacant(map, index, 0)
}

/** No effect on an id that is not in the map, or is vacant already. */
export function markVacant(map: SeatMap, id: string): void {
  const index = map.indexOf.get(id)
  if (index !== undefined) setVacant(map, index, 1)
}

/** How many seats are vacant as far as the map knows. */
export function vacantCount(map: SeatMap): number {
  return map.vacantCount
}

/** The mark by seat index. */
export function setVacant(map: SeatMap, index: number, vacant: 0 | 1): void {
  if (map.vacant[index] === vacant) return
  map.vacant[index] = vacant
  map.vacantCount += vacant ? 1 : -1
  const row = map.rowOf[index]!
  if (map.isStale[row]) return
  map.isStale[row] = 1
  map.staleRows.push(row)
}

/** Brings `longest` and `tight` up to date and returns the longest run of vacant neighbours in the map. */
export function settleRows(map: SeatMap): number {
  for (let row = map.staleRows.pop(); row !== undefined; row = map.staleRows.pop()) {
    settleRow(map, row)
    map.isStale[row] = 0
  }
  const { longest } = map
  let seats = 0
  for (let row = 0; row < longest.length; row++) if (longest[row]! > seats) seats = longest[row]!
  return seats
}

/** A block one shorter than a run strands a seat unless the run ends the row or an aisle does. */
function settleRow(map: SeatMap, row: number): void {
  let longest = 0
  let tight = false
  const end = map.rowStart[row + 1]!
  for (let index = map.rowStart[row]!; index < end; index++) {
    if (!map.vacant[index]) continue
    const stop = stopOfRun(map, index)
    const length = stop - index
    const walled = map.linked[index] === 1 && map.linked[stop] === 1
    if (length > longest) {
      tight = walled && length !== longest + 1
      longest = length
    } else if ((length === longest && !walled) || length === longest - 1) tight = false
    index = stop - 1
  }
  map.longest[row] = longest
  map.tight[row] = tight ? 1 : 0
}

/** Where the vacant neighbours from this vacant seat on stop. */
export function stopOfRun(map: SeatMap, index: number): number {
  let stop = index + 1
  while (map.linked[stop] && map.vacant[stop]) stop++
  return stop
}
