/**
 * The vacant tickets of events as this process knows them, to pick from without asking. It is a hint and may be stale:
 * what is picked is claimed in the database, which alone decides, and before a set is called sold out the database is
 * asked. A picked ticket is out of the hint until it is given back (`giveBack`) or known to be gone (`forget`).
 */
import { randomInt } from 'node:crypto'
import type { Queryable } from '../platform/db/db.ts'
import { pickBestAvailable } from './rules/best-available.ts'
import { createSeatMap, markTaken, markVacant, vacantCount } from './rules/seat-map.ts'
import { statements } from './tickets-rows.ts'
import type { VacancyRow } from './tickets-rows.ts'

/** The vacant tickets of one set. */
type SetVacancy = {
  pick(count: number, beside: readonly string[]): string[]
  add(id: string): void
  /** Whether it was there. */
  remove(id: string): boolean
}

/** The vacant tickets of one event. */
export type EventVacancy = {
  /** Picks up to `count` tickets of the set; of a seated set the best available, near those in `beside`. */
  pick(set: string, count: number, beside: readonly string[]): string[]
  /** Picks those of the tickets that are known to be vacant; answers them by set. */
  withhold(ids: readonly string[]): Map<string, string[]>
  /** The tickets are vacant. */
  giveBack(set: string, ids: readonly string[]): void
  /** The tickets are not vacant. */
  forget(set: string, ids: readonly string[]): void
  /**
   * Reads the sets again of which the database has more vacant tickets than the caller has locked, leaving out what
   * `isOut`; answers whether there are such sets. `locked` is the number by set id.
   */
  learn(db: Queryable, locked: ReadonlyMap<string, number>, isOut: (id: string) => boolean): Promise<boolean>
}

export type Vacancy = {
  /** Reads the event's vacant tickets when they are not known yet. */
  of(db: Queryable, event: { shard: number; id: string }): Promise<EventVacancy>
  /** The same if they are known already: a process need not learn of an event only to forget some of it. */
  known(event: string): EventVacancy | undefined
}

/** `events_max`: how many events are kept; the one unused for longest goes first. */
export function createVacancy({ events_max }: { events_max: number }): Vacancy {
  const events = new Map<string, Promise<EventVacancy>>()
  const loaded = new Map<string, EventVacancy>()

  async function load(db: Queryable, event: { shard: number; id: string }): Promise<EventVacancy> {
    try {
      const vacancy = createEventVacancy(event, await readVacancy(db, event))
      if (events.has(event.id)) loaded.set(event.id, vacancy)
      return vacancy
    } catch (error) {
      events.delete(event.id)
      throw error
    }
  }

  return {
    of(db, event) {
      const vacancy = events.get(event.id) ?? load(db, event)
      events.delete(event.id)
      events.set(event.id, vacancy)
      const oldest = events.keys().next().value
      if (events.size > events_max && oldest !== undefined) {
        events.delete(oldest)
        loaded.delete(oldest)
      }
      return vacancy
    },
    known: (event) => loaded.get(event),
  }
}

function readVacancy(db: Queryable, event: { shard: number; id: string }): Promise<VacancyRow[]> {
  return db.query<VacancyRow>(statements.vacancy_of_event, [event.shard, event.id])
}

function createEventVacancy(event: { shard: number; id: string }, rows: readonly VacancyRow[]): EventVacancy {
  /** By set, picked and not yet settled: vacant in the database's eyes, but not to be picked again. */
  const picked = new Map<string, Set<string>>()
  const sets = new Map<string, SetVacancy>()
  learnRows(rows)

  function learnRows(of: readonly VacancyRow[], isOut: (id: string) => boolean = () => false): void {
    for (const [set, tickets] of Map.groupBy(of, (row) => row.set)) {
      const away = picked.get(set)
      sets.set(
        set,
        createSetVacancy(
          tickets.map((row) => (away?.has(row.id) || isOut(row.id) ? { ...row, vacant: false } : row)),
        ),
      )
    }
  }

  function notePicked(set: string, ids: readonly string[]): void {
    const away = picked.get(set) ?? new Set()
    picked.set(set, away)
    for (const id of ids) away.add(id)
  }

  return {
    pick(set, count, beside) {
      const ids = sets.get(set)?.pick(count, beside) ?? []
      notePicked(set, ids)
      return ids
    },
    withhold(ids) {
      const by_set = new Map<string, string[]>()
      for (const [set, tickets] of sets) {
        const known = ids.filter((id) => tickets.remove(id))
        if (known.length > 0) by_set.set(set, known)
        notePicked(set, known)
      }
      return by_set
    },
    giveBack(set, ids) {
      for (const id of ids) {
        picked.get(set)?.delete(id)
        sets.get(set)?.add(id)
      }
    },
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
      const more = new Set(
        counts.filter(({ set, vacant }) => vacant > (locked.get(set) ?? 0)).map(({ set }) => set),
      )
      if (more.size === 0) return false
      learnRows(
        (await readVacancy(db, event)).filter((row) => more.has(row.set)),
        isOut,
      )
      return true
    },
  }
}

function createSetVacancy(tickets: readonly VacancyRow[]): SetVacancy {
  return tickets[0]?.row_pos === null ? createStandingVacancy(tickets) : createSeatedVacancy(tickets)
}

function createSeatedVacancy(tickets: readonly VacancyRow[]): SetVacancy {
  const map = createSeatMap(
    tickets.map(({ id, row_pos, seat_pos, vacant }) => ({
      id,
      row_pos: row_pos as number,
      seat_pos: seat_pos as number,
      vacant,
    })),
  )
  return {
    pick(count, beside) {
      const ids = pickBestAvailable(map, count, { beside })
      for (const id of ids) markTaken(map, id)
      return ids
    },
    add: (id) => markVacant(map, id),
    remove(id) {
      const before = vacantCount(map)
      markTaken(map, id)
      return vacantCount(map) < before
    },
  }
}

/** Places without seats are alike, so each process begins at a place of its own and meets the others late. */
function createStandingVacancy(tickets: readonly VacancyRow[]): SetVacancy {
  const ids = tickets.filter((row) => row.vacant).map((row) => row.id)
  const start = ids.length > 1 ? randomInt(ids.length) : 0
  const stack = [...ids.slice(start), ...ids.slice(0, start)]
  const vacant = new Set(stack)
  return {
    pick(count) {
      const picks: string[] = []
      while (picks.length < count) {
        const id = stack.pop()
        if (id === undefined) break
        if (vacant.delete(id)) picks.push(id)
      }
      return picks
    },
    add(id) {
      if (vacant.has(id)) return
      vacant.add(id)
      stack.push(id)
    },
    remove: (id) => vacant.delete(id),
  }
}
