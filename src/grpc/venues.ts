import { create } from '@bufbuild/protobuf'
import { listVenues } from '../events/list-venues.ts'
import type { ListedVenue } from '../events/list-venues.ts'
import { VenueSchema } from './generated/venues_pb.js'
import type { Venue, VenuesRequestSchema } from './generated/venues_pb.js'
import { listableBy } from './listable-by.ts'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readObjectIds } from './read-request.ts'

/** The venues of the events that the caller may sell and of its own, in the order of their ids. */
export function createVenues({ db }: ListingDeps): Listing<typeof VenuesRequestSchema> {
  return async function* (request, { caller }) {
    const ids = readObjectIds('ids', request.ids)
    for await (const venues of listVenues(db, { ...(await listableBy(db, caller)), ids }))
      yield* encodeInBatches(VenueSchema, venues.map(presentVenue))
  }
}

function presentVenue({ id, name, desc, city, address, point }: ListedVenue): Venue {
  return create(VenueSchema, {
    id,
    name,
    description: desc,
    city,
    address,
    ...(point && { coordinates: { longitude: point[0], latitude: point[1] } }),
  })
}
