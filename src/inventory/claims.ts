/**
 * The vacant tickets that the commands of one transaction ask for: picked from what this process knows, locked in the
 * database, and handed out in the order the commands are settled. What one command does not use after all, a later one
 * may still get. Nothing is written here: the tickets stay vacant until `saveTickets`. Instead of locking them an optimistic
 * batch takes for vacant what the process remembers so (`take`).
 */
import type { ShardKey } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { checkTaken, lockAnyVacant, lockVacant, placesOfTickets } from './tickets.ts'
import type { TicketPlace, VacantTicket } from './tickets.ts'
import type { EventVacancy, Vacancy } from './vacancy.ts'

/** What one command asks for beyond what its order keeps. */
export type Ask = {
  readonly shard: number
  readonly event: string
  /** Tickets by id. */
  readonly ids: readonly string[]
  /** Tickets by count and set id. */
  readonly counts: ReadonlyMap<string, number>
  /** Tickets the order keeps, by whose side the best available are looked for. */
  readonly beside: readonly string[]
}

export type Grant = {
  readonly tickets: readonly VacantTicket[]
  /** An id asked for that is no ticket of the event. */
  readonly foreign: string | undefined
  /** The sets of the tickets asked for by id, granted or not. */
  readonly sets: readonly string[]
}

export type Claims = {
  /** Learns of the sets asked by count. */
  prepare(): Promise<void>
  /** Picks without locking. False when the process does not know enough: then all that is left to do is to `end`. */
  take(): boolean
  /** After `take`: fails when a ticket is vacant that was asked for by id and taken to be gone; the statement is sent at once. */
  checkGone(tx: Queryable): Promise<unknown>[]
  /** Picks, and locks what was picked and what is asked by id; the statement is sent at once, shards and ids in order. */
  lock(tx: Queryable): Promise<void>
  /** Asks the database for what is still missing, without waiting for others' locks. */
  complete(tx: Queryable): Promise<void>
  /** Hands the ask its tickets, as far as there are. */
  grant(ask: Ask): Grant
  /** The ask was not served: its tickets are free for those that come after it. */
  takeBack(grant: Grant): void
  /** The transaction is over: what was handed out is gone if it committed, else it is vacant still. */
  end(options: { committed: boolean }): void
}

/**
 * A second look finds what this process did not know of, a third gets round what others hold at this moment; after that
 * any ticket will do.
 */
const TRIES = 3

/** A set of which the asks have been picked less than they ask for. */
type Lack = { readonly shard: number; readonly event: string; readonly set: string; missing: number }

export function createClaims(
  asks: readonly Ask[],
  { db, vacancy }: { db: Queryable; vacancy: Vacancy },
): Claims {
  /** Locked, and not handed out. */
  const pool = new Map<string, VacantTicket>()
  const granted = new Map<string, VacantTicket>()
  const places = new Map<string, TicketPlace>()
  /** Not yet served. */
  const waiting = new Set(asks)
  const asked = new Set(asks.flatMap((ask) => ask.ids))
  /** By ask and set, what was taken out of the process's memory of what is vacant: for its counts, and of its ids. */
  const picks = new Map<Ask, Map<string, string[]>>()
  const withheld = new Map<Ask, Map<string, string[]>>()
  /** Not to be had: not vacant, or another transaction has them. */
  const tried = new Set<string>()
  /** Asked for by id and not vacant, as far as is known. */
  const gone: ShardKey[] = []
  const vacancies = new Map<string, EventVacancy>()

  const isOut = (id: string) => pool.has(id) || tried.has(id) || asked.has(id)

  function vacancyOf({ shard, event }: Ask): EventVacancy {
    const known = vacancies.get(event) ?? vacancy.of({ shard, id: event })
    vacancies.set(event, known)
    return known
  }

  /** So that no other ask is served with what this one names. */
  function withhold(ask: Ask): void {
    if (ask.ids.length === 0) return
    const known = vacancies.get(ask.event) ?? vacancy.known(ask.event)
    if (known === undefined) return
    vacancies.set(ask.event, known)
    withheld.set(ask, known.withhold(ask.ids))
  }

  /** Where the tickets belong that the ask names; false when that is not known. */
  function placeNamed(ask: Ask): boolean {
    if (ask.ids.length === 0) return true
    const known = vacancyOf(ask)
    for (const id of ask.ids) {
      const set = known.setOf(id)
      if (set === undefined) {
        known.missed(db)
        return false
      }
      places.set(id, { event: ask.event, set })
    }
    return true
  }

  /** False when it is not known what would be shown of one of the tickets that are picked. */
  function takePicked(picked: ReadonlyMap<Ask, ReadonlyMap<string, readonly string[]>>): boolean {
    for (const [{ event }, by_set] of picked)
      for (const [set, ids] of by_set)
        for (const id of ids) {
          const shown = vacancies.get(event)?.shownOf(set, id)
          if (shown === undefined) return false
          const { serial, number, seat } = shown
          pool.set(id, { id, event, set, serial, number, seat })
        }
    return true
  }

  function pickMissing(): ShardKey[] {
    const wanted: ShardKey[] = []
    for (const ask of asks) {
      const by_set = picks.get(ask) ?? new Map<string, string[]>()
      picks.set(ask, by_set)
      for (const [set, count] of ask.counts) {
        const have = by_set.get(set) ?? []
        const beside = [...ask.beside, ...have]
        const more = vacancies.get(ask.event)?.pick(set, count - have.length, beside) ?? []
        by_set.set(set, [...have, ...more])
        for (const id of more) wanted.push({ shard: ask.shard, id })
      }
    }
    return wanted
  }

  async function lockPicked(
    tx: Queryable,
    wanted: readonly ShardKey[],
    options: { wait: boolean },
  ): Promise<void> {
    for (const ticket of await lockVacant(tx, once(wanted), options)) {
      pool.set(ticket.id, ticket)
      places.set(ticket.id, ticket)
    }
    for (const [ask, by_set] of [...picks, ...withheld])
      for (const [set, ids] of by_set) {
        const lost = ids.filter((id) => !pool.has(id))
        if (lost.length === 0) continue
        for (const id of lost) tried.add(id)
        vacancies.get(ask.event)?.forget(set, lost)
        by_set.set(
          set,
          ids.filter((id) => pool.has(id)),
        )
      }
  }

  function lacks(): Lack[] {
    const by_set = new Map<string, Lack>()
    for (const ask of asks)
      for (const [set, count] of ask.counts) {
        const missing = count - (picks.get(ask)?.get(set)?.length ?? 0)
        if (missing <= 0) continue
        const lack = by_set.get(set) ?? { shard: ask.shard, event: ask.event, set, missing: 0 }
        lack.missing += missing
        by_set.set(set, lack)
      }
    return [...by_set.values()]
  }

  /** Whether there is more to be had of what is missing; if so it is known now. */
  async function learnMissing(): Promise<boolean> {
    let learnt = false
    for (const [event, missing] of Map.groupBy(lacks(), (lack) => lack.event)) {
      const locked = new Map(missing.map(({ set }) => [set, inPool(set).length]))
      learnt = (await vacancies.get(event)?.learn(db, locked, isOut)) || learnt
    }
    return learnt
  }

  function inPool(set: string): string[] {
    return [...pool.values()].filter((ticket) => ticket.set === set).map(({ id }) => id)
  }

  async function findPlaces(tx: Queryable): Promise<void> {
    const unknown = asks.flatMap(({ shard, ids }) =>
      ids.filter((id) => !places.has(id)).map((id) => ({ shard, id })),
    )
    for (const [id, place] of await placesOfTickets(tx, once(unknown))) places.set(id, place)
  }

  function handOut(id: string): VacantTicket | undefined {
    const ticket = pool.get(id)
    if (ticket === undefined) return undefined
    pool.delete(id)
    granted.set(id, ticket)
    return ticket
  }

  /** What an ask that has not enough may have: first what no other waits for, then what later ones do. */
  function spare(set: string, named: ReadonlySet<string>): string[] {
    const ids = inPool(set).filter((id) => !named.has(id))
    if (ids.length === 0) return ids
    const awaited = new Set([...waiting].flatMap((ask) => [...ask.ids, ...(picks.get(ask)?.get(set) ?? [])]))
    return [...ids.filter((id) => !awaited.has(id)), ...ids.filter((id) => awaited.has(id))]
  }

  return {
    async prepare() {
      const needed = new Map<EventVacancy, Map<string, number>>()
      for (const ask of asks) {
        if (ask.counts.size === 0) continue
        const known = vacancyOf(ask)
        const by_set = needed.get(known) ?? new Map<string, number>()
        needed.set(known, by_set)
        for (const [set, count] of ask.counts) by_set.set(set, (by_set.get(set) ?? 0) + count)
      }
      await Promise.all([...needed].map(([known, by_set]) => known.stock(db, by_set)))
    },

    take() {
      if (asks.map(placeNamed).includes(false)) return false
      for (const ask of asks) withhold(ask)
      pickMissing()
      if (!takePicked(picks) || !takePicked(withheld)) return false
      for (const { shard, ids } of asks) for (const id of ids) if (!pool.has(id)) gone.push({ shard, id })
      return lacks().length === 0
    },

    checkGone: (tx) => checkTaken(tx, once(gone)),

    async lock(tx) {
      for (const ask of asks) withhold(ask)
      const named = asks.flatMap(({ shard, ids }) => ids.map((id) => ({ shard, id })))
      await lockPicked(tx, [...pickMissing(), ...named], { wait: true })
    },

    async complete(tx) {
      await findPlaces(tx)
      for (let tries = 1; tries < TRIES; tries++) {
        if (!(await learnMissing())) return
        await lockPicked(tx, pickMissing(), { wait: false })
      }
      for (const lack of lacks())
        for (const ticket of await lockAnyVacant(tx, lack, inPool(lack.set).length + lack.missing))
          pool.set(ticket.id, ticket)
    },

    grant(ask) {
      const by_set = picks.get(ask)
      picks.delete(ask)
      withheld.delete(ask)
      waiting.delete(ask)
      const foreign = ask.ids.find((id) => places.get(id)?.event !== ask.event)
      if (foreign !== undefined) return { tickets: [], foreign, sets: [] }
      const ids = new Set(ask.ids)
      for (const [set, count] of ask.counts) {
        const own = (by_set?.get(set) ?? []).filter((id) => pool.has(id))
        const more = own.length < count ? spare(set, ids) : []
        for (const id of [...new Set([...own, ...more])].slice(0, count)) ids.add(id)
      }
      const tickets = [...ids].map(handOut).filter((ticket) => ticket !== undefined)
      const sets = ask.ids.map((id) => places.get(id)?.set).filter((set) => set !== undefined)
      return { tickets, foreign: undefined, sets }
    },

    takeBack({ tickets }) {
      for (const ticket of tickets) {
        granted.delete(ticket.id)
        pool.set(ticket.id, ticket)
      }
    },

    end({ committed }) {
      const sold = committed ? [...granted.values()] : []
      const still_vacant = committed ? [...pool.values()] : [...pool.values(), ...granted.values()]
      for (const ticket of sold) vacancy.known(ticket.event)?.forget(ticket.set, [ticket.id])
      for (const ticket of still_vacant) vacancy.known(ticket.event)?.giveBack(ticket.set, [ticket.id])
      for (const [ask, by_set] of [...picks, ...withheld])
        for (const [set, ids] of by_set)
          vacancies.get(ask.event)?.giveBack(
            set,
            ids.filter((id) => !granted.has(id)),
          )
    },
  }
}

/** Without those that are named more than once. */
function once(keys: readonly ShardKey[]): ShardKey[] {
  return [...new Map(keys.map((key) => [`${key.shard} ${key.id}`, key])).values()]
}
