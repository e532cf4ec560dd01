import { create } from '@bufbuild/protobuf'
import { listCountries } from '../events/geo/countries.ts'
import { CountrySchema } from './generated/geo_pb.js'
import type { CountriesRequestSchema } from './generated/geo_pb.js'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readList } from './read-request.ts'

/** The countries of the world, in the order of their ids. */
export function createCountries({ db }: ListingDeps): Listing<typeof CountriesRequestSchema> {
  return async function* (request, { language }) {
    const countries = await listCountries({ db, ids: readList('ids', request.ids) }, language)
    yield* encodeInBatches(
      CountrySchema,
      countries.map(({ iso_numeric, ...country }) =>
        create(CountrySchema, { ...country, isoNumeric: iso_numeric }),
      ),
    )
  }
}
