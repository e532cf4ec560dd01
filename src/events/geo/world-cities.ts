/**
 * The cities of the world as a table of columns, 8 MB for 135,000 cities; as objects they would take eight times as much. Rows
 * are in the order of population, the most populous first, and of id among equals. `geo/generate.ts` makes the file of it.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deserialize } from 'node:v8'
import { brotliDecompress } from 'node:zlib'
import { foldName } from './fold-name.ts'

export const WORLD_CITIES_FILE = new URL('world-cities.bin', import.meta.url)

const COORDINATE_UNITS = 100_000

export type WorldCity = {
  /** The id that GeoNames gives. */
  readonly id: number
  readonly name: string
  /** Two letters. */
  readonly country: string
  /** IANA. */
  readonly timezone: string
  /** Degrees, to five digits. */
  readonly longitude: number
  readonly latitude: number
  readonly population: number
}

export type WorldCities = {
  readonly ids: Int32Array
  readonly populations: Uint32Array
  /** In 0.00001 degrees. */
  readonly longitudes: Int32Array
  readonly latitudes: Int32Array
  /** Indexes into `country_codes` and `timezone_names`. */
  readonly countries: Uint16Array
  readonly timezones: Uint16Array
  readonly country_codes: readonly string[]
  readonly timezone_names: readonly string[]
  /** All names in UTF-8, one after another; that of a row ends where the next begins. */
  readonly names: Buffer
  readonly name_starts: Uint32Array
  /** All folded names, each as `\n name`, and a last `\n`; so ` x` is the beginning of a word and `\n x\n` a whole name. */
  readonly folded: Buffer
  readonly folded_starts: Uint32Array
  readonly rows_by_id: Uint32Array
}

/** Reads the table from its file, unpacked beside the event loop. */
export async function loadWorldCities(): Promise<WorldCities> {
  const file = await readFile(WORLD_CITIES_FILE)
  return deserialize(await promisify(brotliDecompress)(file)) as WorldCities
}

export function packCities(unsorted: readonly WorldCity[]): WorldCities {
  const cities = unsorted.toSorted((a, b) => b.population - a.population || a.id - b.id)
  const [countries, country_codes] = encode(cities.map(({ country }) => country))
  const [timezones, timezone_names] = encode(cities.map(({ timezone }) => timezone))
  const [names, name_starts] = concatenate(cities.map(({ name }) => name))
  const [folded, folded_starts] = concatenate([...cities.map(({ name }) => `\n ${foldName(name)}`), '\n'])
  return {
    ids: Int32Array.from(cities, ({ id }) => id),
    populations: Uint32Array.from(cities, ({ population }) => population),
    longitudes: Int32Array.from(cities, ({ longitude }) => Math.round(longitude * COORDINATE_UNITS)),
    latitudes: Int32Array.from(cities, ({ latitude }) => Math.round(latitude * COORDINATE_UNITS)),
    countries,
    timezones,
    country_codes,
    timezone_names,
    names,
    name_starts,
    folded,
    folded_starts,
    rows_by_id: Uint32Array.from(cities.keys()).sort((a, b) => cities[a]!.id - cities[b]!.id),
  }
}

/** Numbers for texts that repeat. */
function encode(texts: readonly string[]): [codes: Uint16Array, values: string[]] {
  const numbers = new Map([...new Set(texts)].map((text, number) => [text, number]))
  return [Uint16Array.from(texts, (text) => numbers.get(text)!), [...numbers.keys()]]
}

function concatenate(texts: readonly string[]): [all: Buffer, starts: Uint32Array] {
  const starts = new Uint32Array(texts.length + 1)
  for (const [index, text] of texts.entries()) starts[index + 1] = starts[index]! + Buffer.byteLength(text)
  return [Buffer.from(texts.join('')), starts]
}

export function cityOfRow(world: WorldCities, row: number): WorldCity {
  return {
    id: world.ids[row]!,
    name: world.names.toString('utf8', world.name_starts[row], world.name_starts[row + 1]),
    country: countryOfRow(world, row),
    timezone: world.timezone_names[world.timezones[row]!]!,
    longitude: world.longitudes[row]! / COORDINATE_UNITS,
    latitude: world.latitudes[row]! / COORDINATE_UNITS,
    population: world.populations[row]!,
  }
}

export function countryOfRow({ countries, country_codes }: WorldCities, row: number): string {
  return country_codes[countries[row]!]!
}

/** The row of an id, or undefined. */
export function rowOfId({ ids, rows_by_id }: WorldCities, id: number): number | undefined {
  const place = lastAtMost(id, rows_by_id.length, (index) => ids[rows_by_id[index]!]!)
  const row = rows_by_id[place]
  return row !== undefined && ids[row] === id ? row : undefined
}

/** The rows whose folded name has the text, which is ` x` for a word's beginning and `\n x\n` for a whole name. */
export function* rowsWithText({ folded, folded_starts, ids }: WorldCities, text: string): Generator<number> {
  for (let at = folded.indexOf(text); at >= 0;) {
    const row = lastAtMost(at, ids.length, (index) => folded_starts[index]!)
    yield row
    at = folded.indexOf(text, folded_starts[row + 1])
  }
}

/** The last of ascending values that is not more than `limit`; -1 when all are. */
function lastAtMost(limit: number, length: number, valueAt: (index: number) => number): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (valueAt(middle) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
