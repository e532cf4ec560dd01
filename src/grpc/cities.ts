import { create } from '@bufbuild/protobuf'
import { createCities as createGeoCities } from '../events/geo/cities.ts'
import type { City as GeoCity } from '../events/geo/cities.ts'
import { CitySchema } from './generated/geo_pb.js'
import type { CitiesRequestSchema, City } from './generated/geo_pb.js'
import { encodeInBatches } from './listing.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { readList, readText } from './read-request.ts'

/** The cities of the world, in the order that their list has; none is made before it can be sent. */
export function createCities({ db }: ListingDeps): Listing<typeof CitiesRequestSchema> {
  const cities = createGeoCities({ db })
  return async function* (request, { language }) {
    const filter = {
      ids: readList('ids', request.ids),
      name: readText('name', request.name),
      suggest: readText('suggest', request.suggest),
      country: readText('country', request.country),
    }
    yield* encodeInBatches(CitySchema, present(await cities.list(filter, language)))
  }
}

function* present(cities: Iterable<GeoCity>): Generator<City, void, undefined> {
  for (const { coordinates, population, ...city } of cities)
    yield create(CitySchema, {
      ...city,
      population: BigInt(population),
      ...(coordinates && { coordinates }),
    })
}
