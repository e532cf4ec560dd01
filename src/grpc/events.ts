import { dealFor, mayList } from '../deals/who-may-sell.ts'
import { listEventsInSlices } from '../events/list-events-in-slices.ts'
import type { SliceFilters } from '../events/list-events-in-slices.ts'
import { amountsOfSets } from '../inventory/set-stock.ts'
import { createEventParts } from './event-parts.ts'
import { EventsRequest_Status as Status } from './generated/events_pb.js'
import type { EventsRequest, EventsRequestSchema } from './generated/events_pb.js'
import { listableBy } from './listable-by.ts'
import { inBatches } from './listing.ts'
import type { Batch, Call, Listing, ListingDeps } from './listing.ts'
import { encodeEvent, isStreamed, STREAMED_STATUSES } from './present-event.ts'
import type { StreamedStatus } from './present-event.ts'
import { readEnum, readObjectId, readObjectIds } from './read-request.ts'
import { readTimeRange } from './read-time-range.ts'

/** Each slice of ids costs a look at all events of the organizers, so there are few of them. */
const IDS_PER_SLICE = 1000
/** Few enough that their entries are read and encoded in a moment. */
const EVENTS_AT_ONCE = 100

const STATUSES_OF: Readonly<Record<Status, readonly StreamedStatus[]>> = {
  [Status.ANY]: STREAMED_STATUSES,
  [Status.STAND_BY]: ['stand_by'],
  [Status.PUBLIC]: ['public'],
}

/** The events that the caller may sell, and its own, in the order of their start, then id. */
export function createEvents({
  db,
  catalog,
}: Pick<ListingDeps, 'db' | 'catalog'>): Listing<typeof EventsRequestSchema> {
  const partsOf = createEventParts()

  async function* present(ids: readonly string[], { caller, is_older }: Call): AsyncGenerator<Batch, void> {
    const now = Date.now()
    // The catalog may know of a change a moment later than the database, and of the end of a deal meanwhile.
    const found = (await catalog.events(ids)).filter((entry) => mayList(entry, caller, now))
    const entries = found.filter(isStreamed)
    const amounts = await amountsOfSets(db, entries)
    const messages = entries.values().map((entry) => {
      const deal = dealFor(entry, caller.partner.id, undefined, now) ?? null
      return encodeEvent(partsOf(entry, { is_older }), { deal, amounts })
    })
    yield* inBatches(messages)
  }

  return async function* (request, call) {
    const filters = readFilters(request)
    const listable = await listableBy(db, call.caller)
    const slices = listEventsInSlices(db, { ...listable, filters, size: IDS_PER_SLICE })
    for await (const ids of slices)
      for (let from = 0; from < ids.length; from += EVENTS_AT_ONCE)
        yield* present(ids.slice(from, from + EVENTS_AT_ONCE), call)
  }
}

function readFilters({ ids, metaEvent, org, status, lifetime }: EventsRequest): SliceFilters {
  return {
    ids: readObjectIds('ids', ids),
    meta: metaEvent.case === 'meta' ? readObjectId('meta', metaEvent.value) : undefined,
    without_meta: metaEvent.case === 'withoutMeta' && metaEvent.value,
    org: readObjectId('org', org),
    status: readEnum('status', status, STATUSES_OF),
    start: readTimeRange('lifetime.start', lifetime?.start),
    finish: readTimeRange('lifetime.finish', lifetime?.finish),
  }
}
