/**
 * The vacant tickets of events as this process knows them, to pick from without asking. It is a hint and may be stale:
 * what is picked is claimed in the database, which alone decides, and before a set is called sold out the database is
 * asked. A picked ticket is out of the hint until it is given back (`giveBack`) or known to be gone (`forget`). A seated set
 * is known whole, because the best seats are; of places without seats no more than some thousands are (standing-places.ts).
 */
import type { Queryable } from '../platform/db/db.ts'
import { pickBestAvailable } from './rules/best-available.ts'
import { createSeatMap, markTaken, markVacant, vacantCount } from './rules/seat-map.ts'
import type { SetVacancy, TicketNumber } from './set-vacancy.ts'
import { createStandingPlaces } from './standing-places.ts'
import type { Ticket } from './tickets.ts'
import { statements } from './tickets-rows.ts'
import type { SeatRow, SetPlaceRow } from './tickets-rows.ts'

/** The vacant tickets of one event. */
export type EventVacancy = {
  /** Reads what is not known yet, as far as that many tickets of the sets are needed. */
  stock(db: Queryable, counts: ReadonlyMap<string, number>): Promise<void>
  /** Picks up to `count` tickets of the set; of a seated set the best available, near those in `beside`. */
  pick(set: string, count: number, beside: readonly string[]): string[]
  /** Picks those of the tickets that are known to be vacant; answers them by set. */
  withhold(ids: readonly string[]): Map<string, string[]>
  /** What else is known of a ticket that was picked; of a seat nothing is. */
  numberOf(set: string, id: string): TicketNumber | undefined
  /** The tickets are vacant. */
  giveBack(set: string, ids: readonly string[]): void
  /** The ticket, which an order had, is vacant. */
  released(ticket: Ticket): void
  /** The tickets are not vacant. */
  forget(set: string, ids: readonly string[]): void
  /**
   * Reads the sets again of which the database has more vacant tickets than the caller has locked, leaving out what
   * `isOut`; answers whether there are such sets. `locked` is the number by set id.
   */
  learn(db: Queryable, locked: ReadonlyMap<string, number>, isOut: (id: string) => boolean): Promise<boolean>
}

export type Vacancy = {
  /** What is known of the event; nothing at first. */
  of(event: { shard: number; id: string }): EventVacancy
  /** The same if there is anything: a process need not learn of an event only to forget some of it. */
  known(event: string): EventVacancy | undefined
}

/** `events_max`: how many events are kept; the one unused for longest goes first. */
export function createVacancy({ events_max }: { events_max: number }): Vacancy {
  const events = new Map<string, EventVacancy>()
  return {
    of(event) {
      const vacancy = events.get(event.id) ?? createEventVacancy(event)
      events.delete(event.id)
      events.set(event.id, vacancy)
      const oldest = events.keys().next().value
      if (events.size > events_max && oldest !== undefined) events.delete(oldest)
      return vacancy
    },
    known: (event) => events.get(event),
  }
}

type Event = { readonly shard: number; readonly id: string }

function createEventVacancy(event: Event): EventVacancy {
  /** By set, picked and not yet settled: vacant in the database's eyes, but not to be picked again. */
  const picked = new Map<string, Set<string>>()
  const sets = new Map<string, SetVacancy>()
  const reading = new Map<string, Promise<void>>()

  const isPicked = (set: string, id: string) => picked.get(set)?.has(id) === true

  function read(db: Queryable, set: string): Promise<void> {
    const begun = reading.get(set)
    if (begun !== undefined) return begun
    const started = readSet(db, { event, set, isOut: (id) => isPicked(set, id) })
      .then((vacancy) => void sets.set(set, vacancy))
      .finally(() => reading.delete(set))
    reading.set(set, started)
    return started
  }

  async function stockSet(db: Queryable, set: string, count: number): Promise<void> {
    if (!sets.has(set)) await read(db, set)
    await sets.get(set)?.stock(db, count)
  }

  function notePicked(set: string, ids: readonly string[]): void {
    const away = picked.get(set) ?? new Set()
    picked.set(set, away)
    for (const id of ids) away.add(id)
  }

  function putBack(set: string, id: string, shown?: TicketNumber): void {
    picked.get(set)?.delete(id)
    sets.get(set)?.add(id, shown)
  }

  return {
    async stock(db, counts) {
      await Promise.all([...counts].map(([set, count]) => stockSet(db, set, count)))
    },
    pick(set, count, beside) {
      const ids = sets.get(set)?.pick(count, beside) ?? []
      notePicked(set, ids)
      return ids
    },
    withhold(ids) {
      const by_set = new Map<string, string[]>()
      for (const [set, tickets] of sets) {
        const known = ids.filter((id) => tickets.remove(id))
        if (known.length === 0) continue
        by_set.set(set, known)
        notePicked(set, known)
      }
      return by_set
    },
    numberOf: (set, id) => sets.get(set)?.numberOf(id),
    giveBack(set, ids) {
      for (const id of ids) putBack(set, id)
    },
    released: ({ set, id, serial, number }) => putBack(set, id, { serial, number }),
    forget(set, ids) {
      for (const id of ids) {
        picked.get(set)?.delete(id)
        sets.get(set)?.remove(id)
      }
    },
    async learn(db, locked, isOut) {
      const counts = await db.query<{ set: string; vacant: number }>(statements.vacant_counts, [
        event.shard,
        [...locked.keys()],
      ])
      const more = counts.filter(({ set, vacant }) => vacant > (locked.get(set) ?? 0))
      // What the caller has is out for this reading alone.
      let isOutNow: typeof isOut | undefined = isOut
      for (const { set } of more) {
        const read_again = await readSet(db, {
          event,
          set,
          isOut: (id) => isPicked(set, id) || isOutNow?.(id) === true,
        })
        await read_again.stock(db, 1)
        sets.set(set, read_again)
      }
      isOutNow = undefined
      return more.length > 0
    },
  }
}

type SetRead = {
  readonly event: Event
  readonly set: string
  /** Tickets that are not to be picked, though the database may call them vacant. */
  readonly isOut: (id: string) => boolean
}

/** Of places without seats nothing is read yet. */
async function readSet(db: Queryable, { event, set, isOut }: SetRead): Promise<SetVacancy> {
  const [place] = await db.query<SetPlaceRow>(statements.place_of_set, [event.shard, set])
  if (place?.with_seats !== true) return createStandingPlaces({ event, set, place, isOut })
  const seats = await db.query<SeatRow>(statements.seats_of_set, [event.shard, event.id, set])
  return createSeatedVacancy(
    seats.map((seat) => (seat.vacant && isOut(seat.id) ? { ...seat, vacant: false } : seat)),
  )
}

function createSeatedVacancy(seats: readonly SeatRow[]): SetVacancy {
  const map = createSeatMap(seats)
  return {
    pick(count, beside) {
      const ids = pickBestAvailable(map, count, { beside })
      for (const id of ids) markTaken(map, id)
      return ids
    },
    add: (id) => markVacant(map, id),
    numberOf: () => undefined,
    remove(id) {
      const before = vacantCount(map)
      markTaken(map, id)
      return vacantCount(map) < before
    },
    stock: () => undefined,
  }
}
