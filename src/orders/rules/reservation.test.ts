import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { neededCount, reserveRandom, reserveTickets } from './reservation.ts'
import type { Reservation } from './reservation.ts'

type Ticket = { id: string; set: string }

/** `a1` is a ticket of the set `a`. */
const ticket = (id: string): Ticket => ({ id, set: id.slice(0, 1) })
const tickets = (text: string): Ticket[] => text.split(' ').filter(Boolean).map(ticket)
const idsOf = (list: readonly Ticket[]) => list.map(({ id }) => id).join(' ')

function shown({ keep, release, needs }: Reservation<Ticket>) {
  return {
    keep: idsOf(keep),
    release: idsOf(release),
    ids: needs.ids.join(' '),
    counts: Object.fromEntries(needs.counts),
  }
}

describe('by id', () => {
  test.each([
    { held: '', wanted: '', keep: '', release: '', ids: '' },
    { held: '', wanted: 'a1 b1', keep: '', release: '', ids: 'a1 b1' },
    { held: 'a1 a2', wanted: 'a1 a2', keep: 'a1 a2', release: '', ids: '' },
    { held: 'a1 a2', wanted: 'a2 b1', keep: 'a2', release: 'a1', ids: 'b1' },
    { held: 'a1 a2', wanted: '', keep: '', release: 'a1 a2', ids: '' },
    // What is kept stays in the order of reservation, what is needed comes in that of the request.
    { held: 'a1 a2', wanted: 'b2 a2 b1 a1', keep: 'a1 a2', release: '', ids: 'b2 b1' },
    { held: 'a1', wanted: 'a1 a1 b1 b1', keep: 'a1', release: '', ids: 'b1' },
  ])('has "$held", wants "$wanted"', ({ held, wanted, ...expected }) => {
    const ids = tickets(wanted).map(({ id }) => id)
    expect(shown(reserveTickets(tickets(held), ids))).toEqual({ ...expected, counts: {} })
  })
})

describe('by count', () => {
  test.each([
    { held: '', wanted: {}, keep: '', release: '', counts: {} },
    { held: '', wanted: { a: 2, b: 0 }, keep: '', release: '', counts: { a: 2 } },
    { held: 'a1 a2', wanted: { a: 2 }, keep: 'a1 a2', release: '', counts: {} },
    { held: 'a1 a2', wanted: { a: 3, b: 1 }, keep: 'a1 a2', release: '', counts: { a: 1, b: 1 } },
    // The last reserved go first.
    { held: 'a1 b1 a2 a3', wanted: { a: 1, b: 1 }, keep: 'a1 b1', release: 'a2 a3', counts: {} },
    { held: 'a3 a1 a2', wanted: { a: 2 }, keep: 'a3 a1', release: 'a2', counts: {} },
    // A set that is left out means 0.
    { held: 'a1 b1', wanted: { b: 2 }, keep: 'b1', release: 'a1', counts: { b: 1 } },
    { held: 'a1 b1', wanted: {}, keep: '', release: 'a1 b1', counts: {} },
    { held: 'a1', wanted: { a: 0 }, keep: '', release: 'a1', counts: {} },
  ])('has "$held", wants $wanted', ({ held, wanted, ...expected }) => {
    expect(shown(reserveRandom(tickets(held), wanted))).toEqual({ ...expected, ids: '' })
  })
})

const all = ['a', 'b', 'c'].flatMap((set) => [1, 2, 3, 4].map((number) => ticket(`${set}${number}`)))
const some = fc.shuffledSubarray(all)

test('by id: once all is granted, the order has exactly what was asked for', () => {
  fc.assert(
    fc.property(some, fc.array(fc.constantFrom(...all)), (held, wanted) => {
      const made = reserveTickets(
        held,
        wanted.map(({ id }) => id),
      )
      expect([...made.keep.map(({ id }) => id), ...made.needs.ids].toSorted()).toEqual(
        [...new Set(wanted.map(({ id }) => id))].toSorted(),
      )
      expect([...made.keep, ...made.release].toSorted(byId)).toEqual(held.toSorted(byId))
      expect(neededCount(made)).toBe(made.needs.ids.length)
    }),
  )
})

test('by count: once all is granted, the order has exactly what was asked for', () => {
  fc.assert(
    fc.property(some, fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(6)), (held, wanted) => {
      const made = reserveRandom(held, wanted)
      for (const set of ['a', 'b', 'c']) {
        const kept = made.keep.filter((one) => one.set === set).length
        expect(kept + (made.needs.counts.get(set) ?? 0)).toBe(wanted[set] ?? 0)
        // Nothing is both released and needed.
        expect(made.needs.counts.has(set) && made.release.some((one) => one.set === set)).toBe(false)
      }
      expect(made.keep).toEqual(held.filter((one) => made.keep.includes(one)))
      expect([...made.keep, ...made.release].toSorted(byId)).toEqual(held.toSorted(byId))
      expect(neededCount(made)).toBe([...made.needs.counts.values()].reduce((sum, count) => sum + count, 0))
    }),
  )
})

function byId(a: Ticket, b: Ticket): number {
  return a.id < b.id ? -1 : 1
}
