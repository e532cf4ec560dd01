import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pickBestAvailable } from './best-available.ts'
import { createSeatMap, markTaken, markVacant, vacantCount, type MapSeat } from './seat-map.ts'

/** A hall is drawn front row first: `.` vacant, `x` taken, `h` held by the order, a space is an aisle. */
type Hall = readonly string[]

function seatsOf(hall: Hall): MapSeat[] {
  return hall.flatMap((row, row_pos) =>
    [...row].flatMap((mark, seat_pos) =>
      mark === ' ' ? [] : [{ id: `${row_pos}-${seat_pos}`, row_pos, seat_pos, vacant: mark === '.' }],
    ),
  )
}

const heldIn = (hall: Hall): string[] =>
  seatsOf(hall)
    .map((seat) => seat.id)
    .filter((id) => markAt(hall, id) === 'h')

const pickIn = (hall: Hall, count: number): string[] =>
  pickBestAvailable(createSeatMap(seatsOf(hall)), count, { beside: heldIn(hall) })

function at(id: string): [row: number, seat: number] {
  const [row, seat] = id.split('-')
  return [Number(row), Number(seat)]
}

function markAt(hall: Hall, id: string): string | undefined {
  const [row, seat] = at(id)
  return hall[row]?.[seat]
}

function draw(hall: Hall, ids: readonly string[], mark: string): string[] {
  const rows = hall.map((row) => [...row])
  for (const id of ids) {
    const [row, seat] = at(id)
    rows[row]![seat] = mark
  }
  return rows.map((row) => row.join(''))
}

/** Single seats that picking these strands. */
function strands(hall: Hall, ids: readonly string[]): number {
  const after = draw(hall, ids, 'o').join('|')
  const before = hall.join('|')
  return [...after.matchAll(/(?<=[xho])\.(?=[xho])/g)].filter(
    ({ index }) => before[index - 1] === '.' || before[index + 1] === '.',
  ).length
}

const groupsOf = (hall: Hall, ids: readonly string[]): number =>
  draw(hall, ids, 'o').join('|').match(/o+/g)?.length ?? 0

/** Every block of `count` vacant neighbours, front to back. */
function blocksIn(hall: Hall, count: number): string[][] {
  return hall.flatMap((row, row_pos) =>
    [...row.matchAll(new RegExp(`(?=[.]{${count}})`, 'g'))].map(({ index }) =>
      Array.from({ length: count }, (_, i) => `${row_pos}-${index + i}`),
    ),
  )
}

type Case = { rule: string; hall: Hall; count: number; picked: Hall }

const cases: Case[] = [
  { rule: 'the front row', hall: ['....', '....'], count: 4, picked: ['oooo', '....'] },
  { rule: 'the middle of the row', hall: ['.........'], count: 3, picked: ['...ooo...'] },
  { rule: 'the left of two equals', hall: ['........'], count: 3, picked: ['..ooo...'] },
  { rule: 'the middle counts the aisles', hall: ['..  .......'], count: 3, picked: ['..  ooo....'] },
  { rule: 'no lone seat at the row’s end', hall: ['....'], count: 2, picked: ['oo..'] },
  { rule: 'an aisle parts', hall: ['.. ..', '.....'], count: 3, picked: ['.. ..', 'ooo..'] },
  {
    rule: 'a block behind beats a split in front',
    hall: ['..x..', '....'],
    count: 4,
    picked: ['..x..', 'oooo'],
  },
  { rule: 'beside the taken, not one away', hall: ['....xx...'], count: 2, picked: ['..ooxx...'] },
  { rule: 'strands none in the row', hall: ['x....x'], count: 2, picked: ['xoo..x'] },
  { rule: 'strands none in a row behind', hall: ['x...x', '...'], count: 2, picked: ['x...x', 'oo.'] },
  { rule: 'fits exactly rather than strand', hall: ['x...x..x'], count: 2, picked: ['x...xoox'] },
  {
    rule: 'a lone seat at an aisle is not between taken',
    hall: ['...x', '....'],
    count: 2,
    picked: ['.oox', '....'],
  },
  { rule: 'strands when nothing else', hall: ['x...x', 'x...x'], count: 2, picked: ['xoo.x', 'x...x'] },
  { rule: 'one block that strands beats a split', hall: ['x...xx.x.x'], count: 2, picked: ['x.ooxx.x.x'] },
  { rule: 'one seat strands none', hall: ['x..x..x', '.....'], count: 1, picked: ['x..x..x', '..o..'] },
  { rule: 'one seat takes a stranded one', hall: ['x..x.x', '....'], count: 1, picked: ['x..xox', '....'] },
  { rule: 'split: the longest first', hall: ['.x.', '..x', '...'], count: 5, picked: ['.x.', 'oox', 'ooo'] },
  { rule: 'split: the front first', hall: ['..x', '..x', '..x'], count: 4, picked: ['oox', 'oox', '..x'] },
  {
    rule: 'split: the rest is a block',
    hall: ['x..x', 'x....x', 'x.x'],
    count: 5,
    picked: ['x..x', 'xoooox', 'xox'],
  },
  { rule: 'split: sizes give way', hall: ['x....x...x...x'], count: 6, picked: ['x....xoooxooox'] },
  { rule: 'split: a seat left at the end', hall: ['....xx..x'], count: 5, picked: ['.oooxxoox'] },
  { rule: 'split: strands when nothing else', hall: ['x....x..x'], count: 5, picked: ['xooooxo.x'] },
  { rule: 'all there are', hall: ['.x', 'x.', 'xx'], count: 9, picked: ['ox', 'xo', 'xx'] },
  { rule: 'none there are', hall: ['xx'], count: 2, picked: ['xx'] },
  { rule: 'none wanted', hall: ['..'], count: 0, picked: ['..'] },
  { rule: 'no seats', hall: [], count: 1, picked: [] },
  { rule: 'beside: adjoins', hall: ['....', '..hh..'], count: 2, picked: ['....', 'oohh..'] },
  { rule: 'beside: both sides', hall: ['....', 'x.h.x'], count: 2, picked: ['....', 'xohox'] },
  { rule: 'beside: toward the middle', hall: ['..hh......'], count: 2, picked: ['..hhoo....'] },
  { rule: 'beside: strands none', hall: ['x..h...'], count: 1, picked: ['x..ho..'] },
  {
    rule: 'beside: together even if it strands',
    hall: ['x..hx', '....'],
    count: 1,
    picked: ['x.ohx', '....'],
  },
  {
    rule: 'beside: the group that strands none',
    hall: ['x..hx', 'xh...'],
    count: 1,
    picked: ['x..hx', 'xho..'],
  },
  { rule: 'beside: fills the hole', hall: ['..h.h..'], count: 1, picked: ['..hoh..'] },
  { rule: 'beside: the same row', hall: ['......', 'hx...x...'], count: 3, picked: ['......', 'hxooox...'] },
  { rule: 'beside: not across an aisle', hall: ['h ..', '...'], count: 2, picked: ['h oo', '...'] },
  { rule: 'beside: another row', hall: ['....', 'xhx.x'], count: 2, picked: ['oo..', 'xhx.x'] },
  { rule: 'beside: split', hall: ['.xx.x', 'xh.xx'], count: 2, picked: ['.xxox', 'xhoxx'] },
]

describe('pickBestAvailable', () => {
  it.each(cases)('$rule: $count of $hall', ({ hall, count, picked }) => {
    expect(draw(hall, pickIn(hall, count), 'o')).toEqual(picked)
  })

  it('gives the seats best kept first', () => {
    expect(pickIn(['.x..x', 'xxx.x'], 4)).toEqual(['0-2', '0-3', '0-0', '1-3'])
    expect(pickIn(['x..h.x'], 3)).toEqual(['0-4', '0-2', '0-1'])
  })

  it('never picks a held seat, also one the map takes for vacant, nor minds ids it does not know', () => {
    const map = createSeatMap(seatsOf(['....']))
    expect(pickBestAvailable(map, 4, { beside: ['0-1', '0-1', 'other'] })).toEqual(['0-2', '0-3', '0-0'])
    expect(vacantCount(map)).toBe(4)
  })

  it('seats a whole hall of fours in full rows', () => {
    const map = createSeatMap(seatsOf(Array.from({ length: 10 }, () => '.'.repeat(20))))
    for (let order = 0; order < 50; order++) {
      const ids = pickBestAvailable(map, 4)
      expect(new Set(ids.map((id) => at(id)[0])).size).toBe(1)
      expect(at(ids[0]!)[0]).toBe(Math.floor(order / 5))
      for (const id of ids) markTaken(map, id)
    }
    expect(vacantCount(map)).toBe(0)
  })
})

describe('pickBestAvailable, whatever the hall', () => {
  const rowOf = (marks: string, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...marks), minLength: 1, maxLength })
  const halls = fc.array(rowOf('....xxx ', 14), { maxLength: 5 })
  const crowded = fc.array(rowOf('..xx ', 14), { maxLength: 5 })
  const hallOrCrowded = fc.oneof(halls, crowded)
  const shared = fc.array(rowOf('.....xxxhh ', 14), { maxLength: 4 })
  const count = fc.integer({ min: 0, max: 8 })
  const runs = { numRuns: 2000 }

  it('picks vacant seats, each once, as many as wanted or as there are, and leaves the map as it was', () => {
    fc.assert(
      fc.property(fc.oneof(halls, shared), count, (hall, wanted) => {
        const map = createSeatMap(seatsOf(hall))
        const before = structuredClone(map.vacant)
        const ids = pickBestAvailable(map, wanted, { beside: heldIn(hall) })
        const vacant = seatsOf(hall).filter((seat) => seat.vacant)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.length).toBe(Math.min(wanted, vacant.length))
        expect(ids.every((id) => markAt(hall, id) === '.')).toBe(true)
        expect(map.vacant).toEqual(before)
        expect(vacantCount(map)).toBe(vacant.length)
      }),
      runs,
    )
  })

  it('finds a block when there is one: strands none if it can, then the frontmost row', () => {
    fc.assert(
      fc.property(hallOrCrowded, count, (hall, wanted) => {
        const blocks = blocksIn(hall, wanted)
        fc.pre(wanted > 0 && blocks.length > 0)
        const strandless = blocks.filter((block) => strands(hall, block) === 0)
        const allowed = strandless.length > 0 ? strandless : blocks
        const picked = pickIn(hall, wanted)
        expect(allowed).toContainEqual(picked)
        expect(at(picked[0]!)[0]).toBe(at(allowed[0]![0]!)[0])
      }),
      runs,
    )
  })

  it('splits into the fewest groups, of these the fewest stranded, the largest group first', () => {
    const small = fc.array(rowOf('...xx ', 14), { minLength: 1, maxLength: 2 })
    fc.assert(
      fc.property(small, fc.integer({ min: 2, max: 6 }), (hall, wanted) => {
        const vacant = seatsOf(hall).filter((seat) => seat.vacant)
        fc.pre(vacant.length >= wanted && vacant.length <= 14 && blocksIn(hall, wanted).length === 0)
        const cost = (ids: readonly string[]) => groupsOf(hall, ids) * 100 + strands(hall, ids)
        const ids = vacant.map((seat) => seat.id)
        const picked = pickIn(hall, wanted)
        expect(cost(picked)).toBe(Math.min(...choose(ids, wanted).map(cost)))
        const sizes = groupSizes(picked)
        expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps one block with held seats when a group of them has the room', () => {
    fc.assert(
      fc.property(shared, fc.integer({ min: 1, max: 8 }), (hall, wanted) => {
        const room = hall.flatMap((row) =>
          [...row.matchAll(/(?=((?<![h])h+))/g)].map(({ index }) => roomAround(row, index)),
        )
        fc.pre(room.some((seats) => seats >= wanted))
        const picked = pickIn(hall, wanted)
        const blocks = draw(hall, picked, 'o')
          .join('|')
          .match(/[ho]*o[ho]*/g)
        expect(blocks).toHaveLength(1)
        expect(blocks![0]).toContain('h')
      }),
      runs,
    )
  })

  it('depends on what is vacant alone, not on how it came about, and repeats itself', () => {
    const step = fc.record({ wanted: count, release: fc.nat(), beside: fc.boolean() })
    fc.assert(
      fc.property(hallOrCrowded, fc.array(step, { maxLength: 20 }), fc.nat(), (hall, steps, turn) => {
        const seats = seatsOf(hall)
        const map = createSeatMap([...seats.slice(turn % 5), ...seats.slice(0, turn % 5)])
        const vacant = new Map(seats.map((seat) => [seat.id, seat.vacant]))
        let beside: string[] = []
        for (const { wanted, release, beside: near } of steps) {
          const options = { beside: near ? beside : [] }
          const fresh = createSeatMap(seats.map((seat) => ({ ...seat, vacant: vacant.get(seat.id)! })))
          const picked = pickBestAvailable(map, wanted, options)
          expect(picked).toEqual(pickBestAvailable(fresh, wanted, options))
          for (const id of [...picked, ...picked, 'other']) markTaken(map, id)
          for (const id of picked) vacant.set(id, false)
          const released = seats[release % (seats.length + 1)]?.id ?? 'other'
          markVacant(map, released)
          if (vacant.has(released)) vacant.set(released, true)
          beside = picked.filter((id) => id !== released)
          expect(vacantCount(map)).toBe([...vacant.values()].filter(Boolean).length)
        }
      }),
      { numRuns: 500 },
    )
  })
})

function choose(ids: readonly string[], size: number): string[][] {
  if (size === 0) return [[]]
  return ids.flatMap((id, index) => choose(ids.slice(index + 1), size - 1).map((rest) => [id, ...rest]))
}

function groupSizes(ids: readonly string[]): number[] {
  const sizes: number[] = []
  for (const [index, id] of ids.entries()) {
    const [row, seat] = at(id)
    const [rowBefore, seatBefore] = at(ids[index - 1] ?? '-')
    if (index > 0 && row === rowBefore && seat === seatBefore + 1) sizes[sizes.length - 1]! += 1
    else sizes.push(1)
  }
  return sizes
}

/** Vacant seats on both sides of the group of held ones that begins at `index`. */
function roomAround(row: string, index: number): number {
  const left = /[.]*$/.exec(row.slice(0, index))![0].length
  const right = /^h+([.]*)/.exec(row.slice(index))![1]!.length
  return left + right
}
