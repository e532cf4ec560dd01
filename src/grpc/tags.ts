import { create } from '@bufbuild/protobuf'
import { listLabels } from '../events/list-labels.ts'
import { TagSchema } from './generated/tags_pb.js'
import type { TagsRequestSchema } from './generated/tags_pb.js'
import { listableBy } from './listable-by.ts'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readList } from './read-request.ts'

/** The tags of the events that the caller may sell and of its own, in alphabetical order. */
export function createTags({ db }: ListingDeps): Listing<typeof TagsRequestSchema> {
  return async function* ({ ids }, { caller }) {
    const wanted = { kind: 'tags', labels: readList('ids', ids) } as const
    const labels = await listLabels(db, { ...(await listableBy(db, caller)), ...wanted })
    yield* encodeInBatches(
      TagSchema,
      labels.map((label) => create(TagSchema, { id: label, name: label })),
    )
  }
}
