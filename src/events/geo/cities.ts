import type { Queryable } from '../../platform/db/db.ts'
import { foldName } from './fold-name.ts'
import { statements, type CityRow } from './geo-rows.ts'
import type { Language } from './language.ts'
import {
  cityOfRow,
  countryOfRow,
  loadWorldCities,
  rowOfId,
  rowsWithText,
  type WorldCities,
} from './world-cities.ts'

/** As many as a person looks through. */
const SUGGESTIONS_MAX = 50

export type City = {
  /** Of GeoNames, unless an import says otherwise. */
  readonly id: number
  readonly name: string
  /** Two letters. */
  readonly country: string
  /** IANA. */
  readonly timezone: string
  /** Degrees; undefined for a city that only the catalog has. */
  readonly coordinates: { readonly longitude: number; readonly latitude: number } | undefined
  /** 0 when it is not known. */
  readonly population: number
}

/** What is left out filters nothing; what is given must hold together. Names are compared as `foldName` has them. */
export type CityFilter = {
  readonly ids?: readonly number[] | undefined
  /** A whole name, in any of the languages. */
  readonly name?: string | undefined
  /** The beginning of a name or of a word in it, in any of the languages. */
  readonly suggest?: string | undefined
  /** Two letters, in either case. */
  readonly country?: string | undefined
}

export type Cities = {
  /**
   * The cities of the world and of the catalog, made while they are read, once, in the order of their ids; with `suggest` the
   * 50 most populous of them, these first. A city of the catalog has the catalog's name, time zone and country, and is found by its
   * name in GeoNames too. GeoNames' names are English, or those of the place, whatever the language.
   */
  list(filter: CityFilter, language: Language): Promise<Iterable<City>>
}

/** The cities of the world are read at the first call and kept. */
export function createCities({ db }: { db: Queryable }): Cities {
  let loading: Promise<WorldCities> | undefined

  function load(): Promise<WorldCities> {
    loading ??= loadWorldCities().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    async list({ ids, name, suggest, country }, language) {
      const [world, rows] = await Promise.all([
        load(),
        db.query<CityRow>(statements.own_cities, [ids ?? null]),
      ])
      const wanted = {
        ids,
        name: name === undefined ? undefined : foldName(name),
        suggest: suggest === undefined ? undefined : foldName(suggest),
        country: country?.toUpperCase(),
      }
      // Nothing is left to compare: no name is like that.
      if (wanted.name === '' || wanted.suggest === '') return []
      const inOrder = suggest === undefined ? byId : byPopulation
      const own_cities = rows
        .filter(
          (row) => isIn(row.country, wanted) && namesOf(world, row).some((known) => isNamed(known, wanted)),
        )
        .map((row) => ownCity(world, row, language))
        .toSorted(inOrder)
      const own_ids = new Set(rows.map(({ id }) => id))
      const cities = merge(worldCities(world, wanted, own_ids), own_cities, inOrder)
      return suggest === undefined ? cities : cities.take(SUGGESTIONS_MAX)
    },
  }
}

/** The filter with folded names and the country's code in upper case. */
type Wanted = CityFilter

function isIn(city_country: string, { country }: Wanted): boolean {
  return country === undefined || city_country === country
}

function isNamed(city_name: string, { name, suggest }: Wanted): boolean {
  if (name === undefined && suggest === undefined) return true
  const folded = foldName(city_name)
  return (
    (name === undefined || folded === name) && (suggest === undefined || ` ${folded}`.includes(` ${suggest}`))
  )
}

function namesOf(world: WorldCities, { id, name }: CityRow): string[] {
  const row = rowOfId(world, id)
  return [name.default, name.en, name.ru, ...(row === undefined ? [] : [cityOfRow(world, row).name])]
}

function ownCity(world: WorldCities, { id, name, timezone, country }: CityRow, language: Language): City {
  const row = rowOfId(world, id)
  const { coordinates, population } =
    row === undefined ? { coordinates: undefined, population: 0 } : worldCity(world, row)
  return { id, name: name[language], country, timezone, coordinates, population }
}

function worldCity(world: WorldCities, row: number): City {
  const { longitude, latitude, ...city } = cityOfRow(world, row)
  return { ...city, coordinates: { longitude, latitude } }
}

/** Those that are wanted, but for the ids that are the catalog's own, in the order that the filter asks for. */
function* worldCities(world: WorldCities, wanted: Wanted, own_ids: ReadonlySet<number>): Generator<City> {
  for (const row of rowsOf(world, wanted)) {
    if (own_ids.has(world.ids[row]!) || !isIn(countryOfRow(world, row), wanted)) continue
    const city = worldCity(world, row)
    if (isNamed(city.name, wanted)) yield city
  }
}

/** The rows that may be wanted, by population when there is something to suggest, else by id. */
function rowsOf(world: WorldCities, { ids, name, suggest }: Wanted): Iterable<number> {
  const byIdOfRow = (a: number, b: number) => world.ids[a]! - world.ids[b]!
  if (ids !== undefined) {
    const rows = [...new Set(ids)].flatMap((id) => rowOfId(world, id) ?? [])
    return rows.toSorted(suggest === undefined ? byIdOfRow : (a, b) => a - b)
  }
  if (suggest !== undefined) return rowsWithText(world, ` ${suggest}`)
  if (name !== undefined) return [...rowsWithText(world, `\n ${name}\n`)].toSorted(byIdOfRow)
  return world.rows_by_id
}

function byId(a: City, b: City): number {
  return a.id - b.id
}

function byPopulation(a: City, b: City): number {
  return b.population - a.population || byId(a, b)
}

/** Both in order, as one in order. */
function* merge<Item>(
  many: Iterable<Item>,
  few: readonly Item[],
  inOrder: (a: Item, b: Item) => number,
): Generator<Item> {
  let next = 0
  for (const item of many) {
    for (; next < few.length && inOrder(few[next]!, item) < 0; next++) yield few[next]!
    yield item
  }
  yield* few.slice(next)
}
