import type { Queryable } from '../platform/db/db.ts'
import type { EventEntry } from './event-entry.ts'
import { statements } from './list-events-rows.ts'
import { listableValues, scopesOfOrg } from './listable.ts'
import type { ListableScope } from './listable.ts'

/** Times are epoch milliseconds, both ends included. What is undefined filters nothing. */
export type EventFilters = {
  readonly org?: string | undefined
  /** Any of these. */
  readonly status?: readonly EventEntry['status'][] | undefined
  /** Any of these. */
  readonly tags?: readonly string[] | undefined
  readonly venue?: string | undefined
  readonly city?: number | undefined
  /** Two letters. */
  readonly country?: string | undefined
  /** The event's lifetime and this one overlap. */
  readonly lifetime?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
  /** The event is not kept from being shown there. */
  readonly view_limit?: 'salespoint' | 'showroom' | undefined
}

/** Events that may be listed, and, minor units, the set prices that are wanted of them. */
export type EventScope = ListableScope & {
  readonly prices?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
}

export type ListEventsOptions = {
  /** An event is listed when a scope has it. For its prices the first that has it counts; all scopes have `prices`, or none. */
  readonly scopes: readonly EventScope[]
  /** The only events listed; null: any. */
  readonly only: readonly string[] | null
  readonly filters: EventFilters
  /** From 1. */
  readonly page: number
  readonly page_size: number
  /** Which prices are in force; epoch milliseconds. */
  readonly now: number
}

/** The ids of the events on one page, in the order of their start, then id. */
export async function listEvents(db: Queryable, options: ListEventsOptions): Promise<string[]> {
  const { scopes, only, filters, page, page_size, now } = options
  const wanted = scopesOfOrg(scopes, filters.org)
  const by_price = wanted.some((scope) => scope.prices !== undefined)
  const rows = await db.query<{ id: string }>(statements.list_events, [
    ...listableValues({ scopes: wanted, only }),
    filters.status,
    filters.tags,
    filters.venue,
    filters.city,
    filters.country,
    toTimestamp(filters.lifetime?.from),
    toTimestamp(filters.lifetime?.to),
    filters.view_limit,
    page_size,
    (page - 1) * page_size,
    by_price ? JSON.stringify(wanted.map(({ org, events, prices }) => ({ org, events, ...prices }))) : null,
    toTimestamp(now),
  ])
  return rows.map((row) => row.id)
}

function toTimestamp(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
