import type { Queryable } from '../platform/db/db.ts'
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
  let last: string | undefined = ''
  while (last !== undefined) {
    const values = [...listableValues(listable), ids, last, VENUES_AT_A_TIME]
    const venues: ListedVenue[] = await db.query<ListedVenue>(statements.list_venues, values)
    yield venues
    last = venues.length < VENUES_AT_A_TIME ? undefined : venues.at(-1)?.id
  }
}
