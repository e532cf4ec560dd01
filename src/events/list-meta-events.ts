import type { Queryable } from '../platform/db/db.ts'
import { readInSlices } from '../platform/db/read-in-slices.ts'
import type { EventEntry } from './event-entry.ts'
import { statements } from './list-meta-events-rows.ts'
import { listableValues } from './listable.ts'
import type { Listable } from './listable.ts'

/** A group of events. Times are epoch milliseconds, of those of its events that are asked for; null: there are none. */
export type MetaEvent = {
  readonly id: string
  readonly org: string
  readonly name: string
  readonly desc: string
  readonly age_rating: number
  readonly media: Readonly<Record<string, unknown>>
  readonly first_start: number | null
  readonly last_finish: number | null
}

export type ListMetaEventsOptions = Listable & {
  /** The organizer whose groups are listed also when they have no such event. */
  readonly owner: string | undefined
  /** Only events in one of these count. */
  readonly status: readonly EventEntry['status'][]
  /** Only these groups. */
  readonly ids: readonly string[] | undefined
  /** How many groups come together. */
  readonly size: number
}

/** The groups of the events that are listed, in the order of their ids. A slice is read when it is asked for. */
export async function* listMetaEvents(
  db: Queryable,
  { owner, status, ids, size, ...listable }: ListMetaEventsOptions,
): AsyncGenerator<MetaEvent[], void, undefined> {
  const conditions = [...listableValues(listable), owner, status, ids]
  yield* readInSlices<MetaEvent>(size, (last) =>
    db.query(statements.meta_events_after, [...conditions, last?.id ?? '', size]),
  )
}
