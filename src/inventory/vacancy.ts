/**
 * The vacant tickets of events as this process knows them, to pick from without asking. It is a hint and may be stale:
 * what is picked is claimed in the database, which alone decides, and before a set is called sold out the database is
 * asked. A picked ticket is out of the hint until it is given back (`giveBack`) or known to be gone (`forget`). A seated set
 * is known whole (seated-places.ts); of places without seats no more than some thousands are (standing-places.ts).
 */
import type { Queryable } from '../platform/db/db.ts'
import { readSeatedPlaces } from './seated-places.ts'
import type { SetVacancy, ShownTicket } from './set-vacancy.ts'
import { createStandingPlaces } from './standing-places.ts'
import type { Ticket } from './tickets.ts'
import { statements } from './tickets-rows.ts'
import type { SeatedSetRow, SetPlaceRow } from './tickets-rows.ts'

/** The vacant tickets of one event. */
export type EventVacancy = {
  /** Reads what is not known yet, as far as that many tickets of the sets are needed. */
  stock(db: Queryable, counts: ReadonlyMap<string, number>): Promise<void>
  /** Picks up to `count` tickets of the set; of a seated set the best available, near those in `beside`. */
  pick(set: string, count: number, beside: readonly string[]): string[]
  /** Picks those of the tickets that are known to be vacant; answers them by set. */
  withhold(ids: readonly string[]): Map<string, string[]>
  /** What is shown of a ticket of the set; undefined when it is not known. Of a seat it is, whether it is vacant or not. */
  shownOf(set: string, id: string): ShownTicket | undefined
  /** The set of a ticket of which it is known what is shown. */
  setOf(id: string): string | undefined
  /** A ticket was asked for by its id of which nothing is known. When many were, seats that are not known are read. */
  missed(db: Queryable): void
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
  of(event: Event): EventVacancy
  /** The same if there is anything: a process need not learn of an event only to forget some of it. */
  known(event: string): EventVacancy | undefined
}

export type VacancyOptions = {
  /** How many events are kept; the one unused for longest goes first. */
  readonly events_max: number
  /** How many seats are known, in all events together, about 120 bytes each. The event that is used stays whatever its size. */
  readonly seats_max: number
}

type Event = { readonly shard: number; readonly id: string }

export function createVacancy({ events_max, seats_max }: VacancyOptions): Vacancy {
  type Known = EventVacancy & { seats(): number }
  const events = new Map<string, Known>()

  function boundSeats(): void {
    let seats = events.values().reduce((sum, event) => sum + event.seats(), 0)
    for (const [id, event] of events) {
      if (events.size === 1 || seats <= seats_max) return
      seats -= event.seats()
      events.delete(id)
    }
  }

  return {
    of(event) {
      const vacancy = events.get(event.id) ?? createEventVacancy(event, boundSeats)
      events.delete(event.id)
      events.set(event.id, vacancy)
      const oldest = events.keys().next().value
      if (events.size > events_max && oldest !== undefined) events.delete(oldest)
      return vacancy
    },
    known: (event) => events.get(event),
  }
}

/**
 * To read a hall costs what it costs that so many commands are asked for by a batch that would have known the answer; so who sells a
 * seat now and then does not read the hall for it.
 */
const MISSES_BEFORE_READING = 64

function createEventVacancy(event: Event, onRead: () => void): EventVacancy & { seats(): number } {
  /** By set, picked and not yet settled: vacant in the database's eyes, but not to be picked again. */
  const picked = new Map<string, Set<string>>()
  const sets = new Map<string, SetVacancy>()
  const reading = new Map<string, Promise<void>>()
  /** Of tickets that became vacant, or were taken, while a set was read: whether they are vacant. */
  const moved = new Map<string, boolean>()
  let reads = 0
  let misses = 0

  const isPicked = (set: string, id: string) => picked.get(set)?.has(id) === true

  async function readSet(
    db: Queryable,
    set: string,
    isOut: (id: string) => boolean = () => false,
  ): Promise<SetVacancy> {
    const [place] = await db.query<SetPlaceRow>(statements.place_of_set, [event.shard, set])
    const isKept = (id: string) => isPicked(set, id) || isOut(id)
    if (place?.with_seats !== true) return createStandingPlaces({ event, set, place, isOut: isKept })
    reads++
    try {
      return await readSeatedPlaces(
        db,
        { event, set },
        (id, is_vacant) => (moved.get(id) ?? is_vacant) && !isKept(id),
      )
    } finally {
      if (--reads === 0) moved.clear()
    }
  }

  function know(set: string, vacancy: SetVacancy): void {
    sets.set(set, vacancy)
    if (vacancy.seats > 0) onRead()
  }

  function read(db: Queryable, set: string): Promise<void> {
    const begun = reading.get(set)
    if (begun !== undefined) return begun
    const started = readSet(db, set)
      .then((vacancy) => know(set, vacancy))
      .finally(() => reading.delete(set))
    reading.set(set, started)
    return started
  }

  async function readSeats(db: Queryable): Promise<void> {
    const seated = await db.query<SeatedSetRow>(statements.seated_sets, [event.shard, event.id])
    for (const { id, amount } of seated) if (sets.get(id)?.seats !== amount) await read(db, id)
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

  function putBack(set: string, id: string, shown?: ShownTicket): void {
    picked.get(set)?.delete(id)
    sets.get(set)?.add(id, shown)
    if (reads > 0) moved.set(id, true)
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
        const known = ids.filter((id) => tickets.take(id))
        if (known.length === 0) continue
        by_set.set(set, known)
        notePicked(set, known)
      }
      return by_set
    },
    shownOf: (set, id) => sets.get(set)?.shownOf(id),
    setOf(id) {
      for (const [set, tickets] of sets) if (tickets.shownOf(id) !== undefined) return set
      return undefined
    },
    missed(db) {
      if (++misses < MISSES_BEFORE_READING) return
      misses = 0
      // When it fails, those who miss a ticket go on asking.
      readSeats(db).catch(() => {})
    },
    giveBack(set, ids) {
      for (const id of ids) putBack(set, id)
    },
    released: (ticket) => putBack(ticket.set, ticket.id, ticket),
    forget(set, ids) {
      for (const id of ids) {
        picked.get(set)?.delete(id)
        sets.get(set)?.remove(id)
        if (reads > 0) moved.set(id, false)
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
        const read_again = await readSet(db, set, (id) => isOutNow?.(id) === true)
        await read_again.stock(db, 1)
        know(set, read_again)
      }
      isOutNow = undefined
      return more.length > 0
    },
    seats: () => sets.values().reduce((sum, set) => sum + set.seats, 0),
  }
}
