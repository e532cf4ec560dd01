import type { Queryable } from '../platform/db/db.ts'
import { readInSlices } from '../platform/db/read-in-slices.ts'
import type { Venue } from './event-entry.ts'
import { statements } from './list-venues-rows.ts'
import { listableValues } from './listable.ts'
import type { Listable } from './listable.ts'

const VENUES_AT_A_TIME = 500

/** A venue with the id of its city. */
export type ListedVenue = Pick<Venue, 'id' | 'name' | 'desc' | 'address' | 'point'> & {
  readonly city: number
}

export type ListVenuesOptions = Listable & {
  /** The only venues listed; undefined: any. */
  readonly ids: readonly string[] | undefined
}

/** The venues of the events that may be listed, some at a time, in the order of their ids. */
export async function* listVenues(
  db: Queryable,
  { ids, ...listable }: ListVenuesOptions,
): AsyncGenerator<readonly ListedVenue[], void, undefined> {
  const conditions = [...listableValues(listable), ids]
  yield* readInSlices<ListedVenue>(VENUES_AT_A_TIME, (last) =>
    db.query(statements.list_venues, [...conditions, last?.id ?? '', VENUES_AT_A_TIME]),
  )
}
