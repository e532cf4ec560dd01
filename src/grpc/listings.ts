import { createArtists } from './artists.ts'
import { createCategories } from './categories.ts'
import { createCities } from './cities.ts'
import { createCountries } from './countries.ts'
import { createEvents } from './events.ts'
import type { Simple } from './generated/service_pb.js'
import type { Listing, ListingDeps } from './listing.ts'
import { createMaps } from './maps.ts'
import { createMetaEvents } from './meta-events.ts'
import { createSeats } from './seats.ts'
import { createTags } from './tags.ts'
import { createVenues } from './venues.ts'

type Methods = (typeof Simple)['method']
export type Listings = { readonly [Name in keyof Methods]: Listing<Methods[Name]['input']> }

/** The ten methods of the listing service, by their names in code. */
export function createListings(deps: ListingDeps): Listings {
  return {
    artists: createArtists(deps),
    categories: createCategories(deps),
    cities: createCities(deps),
    countries: createCountries(deps),
    events: createEvents(deps),
    maps: createMaps(deps),
    metaEvents: createMetaEvents(deps),
    seats: createSeats(deps),
    tags: createTags(deps),
    venues: createVenues(deps),
  }
}
