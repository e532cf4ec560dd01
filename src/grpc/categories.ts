import { create } from '@bufbuild/protobuf'
import { listLabels } from '../events/list-labels.ts'
import { CategorySchema } from './generated/tags_pb.js'
import type { CategoriesRequestSchema } from './generated/tags_pb.js'
import { listableBy } from './listable-by.ts'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readList } from './read-request.ts'

/** The categories of the events that the caller may sell and of its own, in alphabetical order. */
export function createCategories({ db }: ListingDeps): Listing<typeof CategoriesRequestSchema> {
  return async function* ({ ids }, { caller }) {
    const wanted = { kind: 'category', labels: readList('ids', ids) } as const
    const labels = await listLabels(db, { ...(await listableBy(db, caller)), ...wanted })
    yield* encodeInBatches(
      CategorySchema,
      labels.map((label) => create(CategorySchema, { id: label, name: label })),
    )
  }
}
