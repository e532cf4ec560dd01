/**
 * Best available: which vacant seats of a seated set an order gets for a count (decisions, 4, Reservation):
 * neighbours in one row before split, front rows before back, no single free seat left between taken ones when
 * that can be avoided. A block is seats of one row whose `seat_pos` follow each other by 1; a gap there is an
 * aisle, and a lone seat at an aisle or a row's end is not between taken ones (it is still avoided inside a row).
 *
 * 1. A block of the whole count beats any split, even when it strands a single seat.
 * 2. The block goes to the frontmost row with room that strands nothing, else to the frontmost row with room.
 *    In its row it takes the place that strands least, then leaves fewest lone seats at ends, then is nearest to
 *    the middle of the row (of this set, by `seat_pos`), then leftmost.
 * 3. No block: the longest run of vacant seats is taken whole (frontmost, then rule 2), and so on until the rest
 *    is a block: the fewest groups. Group sizes give way only where that saves a seat from being stranded.
 * 4. With held seats: first seats that make one block with a group of them (staying together outweighs stranding);
 *    then a block in a row of theirs that strands nothing, nearest to them; then 2; then what adjoins them, and 3.
 */
import { setVacant, settleRows, stopOfRun, type SeatMap } from './seat-map.ts'

/** Seats by index, `first` up to and without `stop`, all in one row and neighbours. */
type Run = { first: number; stop: number }
type Placement = Run & { penalty: number; distance: number }

/** Above the two lone seats at ends that one block can leave. */
const STRANDED = 3

/**
 * Picks `count` (a whole number from 0 up) vacant seats, or as many as there are, and leaves the map as it was.
 * `beside` are the seats the order holds already in this set; they are never picked, unknown ids are ignored.
 * The seats best kept come first: adjoining `beside`, then the largest group; inside a group from left to right.
 */
export function pickBestAvailable(
  map: SeatMap,
  count: number,
  options: { beside?: readonly string[] } = {},
): string[] {
  const held = (options.beside ?? []).map((id) => map.indexOf.get(id)).filter((index) => index !== undefined)
  const stale = held.filter((index) => map.vacant[index] === 1)
  for (const index of stale) setVacant(map, index, 0)
  const wanted = Math.min(count, map.vacantCount)
  const seats = wanted > 0 ? pick(map, wanted, toRuns(map, held)) : []
  for (const index of stale) setVacant(map, index, 1)
  return seats.map((index) => map.ids[index]!)
}

function pick(map: SeatMap, wanted: number, held: readonly Run[]): number[] {
  const joined = adjoin(map, held, wanted)
  if (joined) return joined
  const block = findBlock(map, wanted, held)
  if (block) return allSeats(block)
  const taken: number[] = []
  const take = (seats: readonly number[]) => {
    for (const index of seats) setVacant(map, index, 0)
    taken.push(...seats)
  }
  for (const group of held) {
    take(adjoin(map, held, wanted - taken.length) ?? outward(reach(map, group), group))
    if (taken.length === wanted) break
  }
  const beside = taken.length
  const groups = split(map, wanted - beside, held)
  for (const index of taken) setVacant(map, index, 1)
  return taken.concat(groups.flatMap(allSeats))
}

/** Rule 3. Takes while it looks for the next group, and gives all back. */
function split(map: SeatMap, wanted: number, held: readonly Run[]): Run[] {
  const whole: Run[] = []
  let rest = wanted
  let last: Placement | undefined
  while (rest > 0) {
    last = findBlock(map, rest, held)
    if (last) break
    const longest = findBlock(map, settleRows(map), [])!
    setAll(map, longest, 0)
    whole.push(longest)
    rest -= longest.stop - longest.first
  }
  const groups = last && last.penalty >= STRANDED ? unstrand(map, whole, last) : undefined
  for (const run of whole) setAll(map, run, 1)
  return groups ?? (last ? [...whole, last] : whole)
}

/**
 * The last group strands a seat, so every run left that holds it is one seat longer, between taken seats. With as
 * few groups, the last one can have its whole run if another gives up a seat without stranding one itself: by
 * going from a run two longer than `last` to one that is one longer, or by leaving the seat at its end of the row.
 */
function unstrand(map: SeatMap, whole: readonly Run[], last: Run): Run[] | undefined {
  const length = last.stop - last.first
  const filled = reach(map, last)
  const two = whole.findLastIndex((run) => run.stop - run.first === length + 2)
  if (two >= 0) {
    setAll(map, filled, 0)
    const other = findBlock(map, length + 1, [])
    setAll(map, filled, 1)
    if (other) return [...whole.toSpliced(two, 1), other, filled].toSorted(byLength)
  }
  const ending = whole.findLastIndex((run) => !map.linked[run.first] || !map.linked[run.stop])
  if (ending < 0) return undefined
  const { first, stop } = whole[ending]!
  const shorter = map.linked[first] ? { first, stop: stop - 1 } : { first: first + 1, stop }
  return [...whole.with(ending, shorter), filled].toSorted(byLength)
}

const byLength = (a: Run, b: Run) => b.stop - b.first - (a.stop - a.first)

/** The block of `length` by rules 2 and 4: rows of the held seats go before others, as near to them as can be. */
function findBlock(map: SeatMap, length: number, held: readonly Run[]): Placement | undefined {
  if (settleRows(map) < length) return undefined
  const row = findRow(map, length, held)
  const beside = held.filter((run) => map.rowOf[run.first] === row)
  const nearTo = beside.length > 0 ? { first: beside[0]!.first, stop: beside.at(-1)!.stop } : rowRun(map, row)
  const aim = middle(map, nearTo)
  let best: Placement | undefined
  const { first, stop } = rowRun(map, row)
  for (let index = first; index < stop; index++) {
    if (!map.vacant[index]) continue
    const run = { first: index, stop: stopOfRun(map, index) }
    const last = run.stop - length
    if (last >= run.first)
      best = better(best, placeInRun(map, run, { from: run.first, to: last, length, aim }))
    index = run.stop - 1
  }
  return best
}

function findRow(map: SeatMap, length: number, held: readonly Run[]): number {
  const { longest, tight } = map
  const strandless = (row: number) =>
    longest[row]! >= length && !(tight[row] === 1 && longest[row] === length + 1)
  const near = held.map((run) => map.rowOf[run.first]!)
  const nearest = near.find(strandless)
  if (nearest !== undefined) return nearest
  for (let row = 0; row < longest.length; row++) if (strandless(row)) return row
  return near.find((row) => longest[row]! >= length) ?? longest.findIndex((seats) => seats >= length)
}

/** The best place in a run for a block of `length` that begins at `from` to `to`. */
function placeInRun(
  map: SeatMap,
  run: Run,
  block: { from: number; to: number; length: number; aim: number },
): Placement {
  const left = map.linked[run.first] ? STRANDED : 1
  const right = map.linked[run.stop] ? STRANDED : 1
  const best = { first: -1, stop: -1, penalty: Infinity, distance: Infinity }
  for (let first = block.from; first <= block.to; first++) {
    const stop = first + block.length
    const penalty = (first - run.first === 1 ? left : 0) + (run.stop - stop === 1 ? right : 0)
    if (penalty > best.penalty) continue
    const distance = Math.abs(map.pos[first]! + map.pos[stop - 1]! - block.aim)
    if (penalty === best.penalty && distance >= best.distance) continue
    best.first = first
    best.stop = stop
    best.penalty = penalty
    best.distance = distance
  }
  return best
}

/** Rule 4: `length` seats that make one block with a group of held seats, front group first; nearest ones first. */
function adjoin(map: SeatMap, held: readonly Run[], length: number): number[] | undefined {
  let best: { place: Placement; group: Run } | undefined
  for (const group of held) {
    const run = reach(map, group)
    const size = group.stop - group.first + length
    if (run.stop - run.first < size) continue
    const from = Math.max(run.first, group.stop - size)
    const to = Math.min(group.first, run.stop - size)
    const aim = middle(map, rowRun(map, map.rowOf[group.first]!))
    const place = placeInRun(map, run, { from, to, length: size, aim })
    if (!best || place.penalty < best.place.penalty) best = { place, group }
  }
  return best && outward(best.place, best.group)
}

/** The seats of `run` around `group`, so that the ends of the list are the ends of the block. */
function outward(run: Run, group: Run): number[] {
  const left = allSeats({ first: run.first, stop: group.first })
  return allSeats({ first: group.stop, stop: run.stop }).concat(left.reverse())
}

/** The group and the vacant seats that adjoin it on both sides. */
function reach(map: SeatMap, group: Run): Run {
  let { first, stop } = group
  while (map.linked[first] && map.vacant[first - 1]) first--
  while (map.linked[stop] && map.vacant[stop]) stop++
  return { first, stop }
}

function toRuns(map: SeatMap, indexes: readonly number[]): Run[] {
  const runs: Run[] = []
  for (const index of [...new Set(indexes)].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run?.stop === index && map.linked[index]) run.stop++
    else runs.push({ first: index, stop: index + 1 })
  }
  return runs
}

const better = (a: Placement | undefined, b: Placement): Placement =>
  a && (a.penalty < b.penalty || (a.penalty === b.penalty && a.distance <= b.distance)) ? a : b

const rowRun = (map: SeatMap, row: number): Run => ({
  first: map.rowStart[row]!,
  stop: map.rowStart[row + 1]!,
})

/** Twice the middle, to stay with whole numbers. */
const middle = (map: SeatMap, run: Run): number => map.pos[run.first]! + map.pos[run.stop - 1]!

const allSeats = ({ first, stop }: Run): number[] => Array.from({ length: stop - first }, (_, i) => first + i)

function setAll(map: SeatMap, run: Run, vacant: 0 | 1): void {
  for (let index = run.first; index < run.stop; index++) setVacant(map, index, vacant)
}
