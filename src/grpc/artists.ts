import { create } from '@bufbuild/protobuf'
import { listLabels } from '../events/list-labels.ts'
import { ArtistSchema } from './generated/artists_pb.js'
import type { ArtistsRequestSchema } from './generated/artists_pb.js'
import { listableBy } from './listable-by.ts'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readList } from './read-request.ts'

/** The artists of the events that the caller may sell and of its own, in alphabetical order. */
export function createArtists({ db }: ListingDeps): Listing<typeof ArtistsRequestSchema> {
  return async function* ({ ids }, { caller }) {
    const wanted = { kind: 'artists', labels: readList('ids', ids) } as const
    const labels = await listLabels(db, { ...(await listableBy(db, caller)), ...wanted })
    yield* encodeInBatches(
      ArtistSchema,
      labels.map((label) => create(ArtistSchema, { id: label, name: label })),
    )
  }
}
