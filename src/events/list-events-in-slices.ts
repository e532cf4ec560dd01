import type { Queryable } from '../platform/db/db.ts'
import { readInSlices } from '../platform/db/read-in-slices.ts'
import type { EventEntry } from './event-entry.ts'
import { statements } from './list-events-in-slices-rows.ts'
import type { PlaceRow } from './list-events-in-slices-rows.ts'
import { listableValues, scopesOfOrg } from './listable.ts'
import type { Listable } from './listable.ts'

/** Epoch milliseconds, from `from` up to, but not including, `before`; what is undefined is open. */
export type TimeRange = { readonly from?: number | undefined; readonly before?: number | undefined }

/** What is undefined filters nothing. */
export type SliceFilters = {
  readonly ids?: readonly string[] | undefined
  /** In this group. */
  readonly meta?: string | undefined
  /** In no group. */
  readonly without_meta?: boolean | undefined
  readonly org?: string | undefined
  /** Any of these. */
  readonly status: readonly EventEntry['status'][]
  readonly start?: TimeRange | undefined
  readonly finish?: TimeRange | undefined
}

export type EventSlicesOptions = Listable & {
  readonly filters: SliceFilters
  /** How many ids come together. */
  readonly size: number
}

/** Before every event. */
const BEGIN: PlaceRow = { start: '-infinity', id: '' }
const YEAR_10000 = Date.UTC(10_000, 0)

/**
 * The ids of the events, in the order of their start, then id. A slice is read when it is asked for, from where the one before
 * ended: an event that is moved meanwhile may be missed or come twice.
 */
export async function* listEventsInSlices(
  db: Queryable,
  { scopes, only, filters, size }: EventSlicesOptions,
): AsyncGenerator<string[], void, undefined> {
  const { ids, meta, without_meta = false, org, status, start, finish } = filters
  const conditions = [
    ...listableValues({ scopes: scopesOfOrg(scopes, org), only }),
    ids,
    meta,
    without_meta,
    status,
    ...[start?.from, start?.before, finish?.from, finish?.before].map(toTimestamp),
  ]
  const slices = readInSlices<PlaceRow>(size, (last = BEGIN) =>
    db.query(statements.events_after, [...conditions, last.start, last.id, size]),
  )
  for await (const rows of slices) yield rows.map((row) => row.id)
}

/** ISO 8601 has no name for the year 10000 and later; no event is then. */
function toTimestamp(at: number | undefined): string | undefined {
  if (at === undefined) return undefined
  return at < YEAR_10000 ? new Date(at).toISOString() : 'infinity'
}
