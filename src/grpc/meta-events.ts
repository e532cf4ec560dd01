import { create } from '@bufbuild/protobuf'
import type { MessageShape } from '@bufbuild/protobuf'
import { listMetaEvents } from '../events/list-meta-events.ts'
import type { MetaEvent } from '../events/list-meta-events.ts'
import { MetaEventSchema } from './generated/meta_events_pb.js'
import type { MetaEventsRequestSchema } from './generated/meta_events_pb.js'
import { listableBy } from './listable-by.ts'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { STREAMED_STATUSES } from './present-event.ts'
import { presentAgeRating, presentMedia, presentTime } from './present-generic.ts'
import { readObjectIds } from './read-request.ts'

const GROUPS_PER_SLICE = 500

/** The groups of the events that Events streams to the caller, and all of the caller's own, in the order of their ids. */
export function createMetaEvents({ db }: Pick<ListingDeps, 'db'>): Listing<typeof MetaEventsRequestSchema> {
  return async function* (request, { caller }) {
    const ids = readObjectIds('ids', request.ids)
    const slices = listMetaEvents(db, {
      ...(await listableBy(db, caller)),
      // A key for some events is for their groups alone.
      owner: caller.events === null ? caller.partner.id : undefined,
      status: STREAMED_STATUSES,
      ids,
      size: GROUPS_PER_SLICE,
    })
    for await (const groups of slices)
      yield* encodeInBatches(MetaEventSchema, groups.values().map(presentGroup))
  }
}

function presentGroup(group: MetaEvent): MessageShape<typeof MetaEventSchema> {
  const { id, org, name, desc, age_rating, media, first_start, last_finish } = group
  return create(MetaEventSchema, {
    id,
    name,
    description: desc,
    org,
    ageRating: presentAgeRating(age_rating),
    media: presentMedia(media),
    firstStart: presentTime(first_start),
    lastFinish: presentTime(last_finish),
  })
}
