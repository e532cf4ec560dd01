import { beforeEach, describe, expect, it } from 'vitest'
import { createCities, type CityFilter } from '../../src/events/geo/cities.ts'
import { listCountries } from '../../src/events/geo/countries.ts'
import { foldName } from '../../src/events/geo/fold-name.ts'
import type { Language } from '../../src/events/geo/language.ts'
import { createTestDatabase } from '../support/database.ts'

const MOSCOW = 524_901
const SAINT_PETERSBURG = 498_817
const LONDON = 2_643_743

const { db, sql } = await createTestDatabase()
const cities = createCities({ db })

const list = async (filter: CityFilter, language: Language = 'en') => [
  ...(await cities.list(filter, language)),
]
const idsOf = async (filter: CityFilter) => (await list(filter)).map(({ id }) => id)
const namesOf = async (filter: CityFilter) => (await list(filter)).map(({ name }) => name)

async function saveCountry(id: string, en: string, ru: string) {
  await sql('INSERT INTO countries VALUES ($1, $2)', [id, { default: en, en, ru }])
}

async function saveCity(
  id: number,
  names: { en: string; ru: string },
  fields: { country?: string; timezone?: string } = {},
) {
  const { country = 'RU', timezone = 'Europe/Moscow' } = fields
  await sql('INSERT INTO cities VALUES ($1, $2, $3, $4)', [
    id,
    { default: names.en, ...names },
    timezone,
    country,
  ])
}

beforeEach(async () => {
  await sql('TRUNCATE countries CASCADE')
})

describe('the cities of the world', () => {
  it('have what GeoNames has, and a time zone', async () => {
    expect(await list({ ids: [MOSCOW] })).toEqual([
      {
        id: MOSCOW,
        name: 'Moscow',
        country: 'RU',
        timezone: 'Europe/Moscow',
        coordinates: { longitude: 37.61556, latitude: 55.75222 },
        population: expect.toSatisfy((population: number) => population > 10_000_000),
      },
    ])
  })

  it('are named alike in both languages', async () => {
    expect((await list({ ids: [MOSCOW] }, 'ru')).map(({ name }) => name)).toEqual(['Moscow'])
  })

  it('are all listed, by id, each with every field', async () => {
    const all = await list({})
    expect(all.length).toBeGreaterThan(100_000)
    const zones = new Set(all.map(({ timezone }) => timezone))
    for (const timeZone of zones) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow()
    const countries = new Set((await listCountries({ db }, 'en')).map(({ id }) => id))
    let before = 0
    for (const { id, name, country, coordinates, population } of all) {
      const is_whole = name !== '' && countries.has(country) && population >= 0
      const { longitude, latitude } = coordinates!
      if (id <= before || !is_whole || Math.abs(longitude) > 180 || Math.abs(latitude) > 90)
        expect.fail(`${id} after ${before}: ${name}`)
      before = id
    }
  })

  it.each<[CityFilter, number[]]>([
    [{ ids: [LONDON, 1, -5, MOSCOW, LONDON] }, [MOSCOW, LONDON]],
    [{ ids: [] }, []],
    [{ ids: [MOSCOW, LONDON], country: 'gb' }, [LONDON]],
    [{ ids: [MOSCOW, LONDON], name: 'moscow' }, [MOSCOW]],
    [{ ids: [SAINT_PETERSBURG, MOSCOW, LONDON], suggest: 'o' }, []],
    [{ ids: [SAINT_PETERSBURG, LONDON, MOSCOW], suggest: 'm' }, [MOSCOW]],
    [{ name: 'MOSCOW', country: 'RU' }, [MOSCOW]],
    [{ name: 'Mosco' }, []],
    [{ name: 'saint-petersburg', country: 'ru' }, [SAINT_PETERSBURG]],
    [{ name: 'Saint Petersburg', suggest: 'pet', country: 'RU' }, [SAINT_PETERSBURG]],
    [{ name: 'Saint Petersburg', suggest: 'mos', country: 'RU' }, []],
    [{ name: '...' }, []],
    [{ name: '' }, []],
    [{ suggest: '' }, []],
    [{ country: 'ZZ' }, []],
    [{ country: 'Россия' }, []],
  ])('%j', async (filter, ids) => {
    expect(await idsOf(filter)).toEqual(ids)
  })

  it('of one name are listed by id', async () => {
    const moscows = await list({ name: 'moscow' })
    expect(moscows.map(({ country }) => country)).toEqual(expect.arrayContaining(['RU', 'US']))
    expect(moscows).toEqual(moscows.toSorted((a, b) => a.id - b.id))
  })

  it('are suggested by the beginning of a word, the most populous first, and 50 at most', async () => {
    const suggested = await list({ suggest: 'Mos' })
    expect(suggested).toHaveLength(50)
    expect(suggested[0]!.id).toBe(MOSCOW)
    expect(suggested).toEqual(suggested.toSorted((a, b) => b.population - a.population || a.id - b.id))
    for (const { name } of suggested) expect(` ${foldName(name)}`).toContain(' mos')
    expect((await namesOf({ suggest: 'york' }))[0]).toBe('New York City')
    expect(await namesOf({ suggest: 'new yor', country: 'US' })).toContain('New York City')
    expect((await namesOf({ suggest: 'tolyatti' }))[0]).toBe('Tol’yatti')
  })
})

describe('the cities of the catalog', () => {
  beforeEach(async () => {
    await saveCountry('RU', 'Russia', 'Россия')
    await saveCountry('GB', 'Britain', 'Британия')
  })

  it('bring their name, time zone and country, and keep the rest', async () => {
    await saveCity(MOSCOW, { en: 'The Capital', ru: 'Москва' }, { timezone: 'Europe/Samara', country: 'GB' })
    const [moscow] = await list({ ids: [MOSCOW] }, 'ru')
    expect(moscow).toEqual({
      id: MOSCOW,
      name: 'Москва',
      country: 'GB',
      timezone: 'Europe/Samara',
      coordinates: { longitude: 37.61556, latitude: 55.75222 },
      population: moscow!.population,
    })
    expect(moscow!.population).toBeGreaterThan(10_000_000)
    expect(await namesOf({ ids: [MOSCOW] })).toEqual(['The Capital'])
  })

  it.each<CityFilter>([
    { name: 'москва' },
    { name: 'the capital' },
    { name: 'moscow', country: 'GB' },
    { suggest: 'моск' },
    { suggest: 'cap', name: 'the capital' },
    { suggest: 'mos', ids: [MOSCOW] },
  ])('are found by the names of the catalog and of GeoNames: %j', async (filter) => {
    await saveCity(MOSCOW, { en: 'The Capital', ru: 'Москва' }, { country: 'GB' })
    expect(await idsOf(filter)).toEqual([MOSCOW])
  })

  it('are listed once, where the catalog puts them', async () => {
    await saveCity(MOSCOW, { en: 'Moscow', ru: 'Москва' }, { country: 'GB' })
    expect(await idsOf({ name: 'Moscow', country: 'RU' })).toEqual([])
    expect(await idsOf({ name: 'Moscow', country: 'GB' })).toEqual([MOSCOW])
    expect((await idsOf({})).filter((id) => id === MOSCOW)).toHaveLength(1)
    expect((await idsOf({ suggest: 'mos' })).filter((id) => id === MOSCOW)).toHaveLength(1)
    expect((await idsOf({ suggest: 'mos' }))[0]).toBe(MOSCOW)
  })

  it('may be others than GeoNames has', async () => {
    await saveCity(1, { en: 'Moscow', ru: 'Москва' })
    await saveCity(2_147_483_647, { en: 'Moskvich', ru: 'Москвич' })
    expect(await list({ ids: [1] })).toEqual([
      {
        id: 1,
        name: 'Moscow',
        country: 'RU',
        timezone: 'Europe/Moscow',
        coordinates: undefined,
        population: 0,
      },
    ])
    expect(await idsOf({ suggest: 'моск' })).toEqual([1, 2_147_483_647])
    expect(await idsOf({ name: 'Moscow', country: 'RU' })).toEqual([1, MOSCOW])
    const all = await idsOf({})
    expect([all[0], all.at(-1)]).toEqual([1, 2_147_483_647])
  })

  it('are seen at the next call after they change', async () => {
    expect(await idsOf({ name: 'Москва' })).toEqual([])
    await saveCity(MOSCOW, { en: 'Moscow', ru: 'Москва' })
    expect(await idsOf({ name: 'Москва' })).toEqual([MOSCOW])
  })
})

describe('countries', () => {
  it('have their codes, a currency and a name', async () => {
    expect(await listCountries({ db, ids: ['ru', 'AU', 'ZZ', 'RU'] }, 'en')).toEqual([
      { id: 'AU', name: 'Australia', currency: 'AUD', iso: 'AU', iso3: 'AUS', iso_numeric: 36 },
      { id: 'RU', name: 'Russia', currency: 'RUB', iso: 'RU', iso3: 'RUS', iso_numeric: 643 },
    ])
    expect(await listCountries({ db, ids: ['DE'] }, 'ru')).toEqual([
      { id: 'DE', name: 'Германия', currency: 'EUR', iso: 'DE', iso3: 'DEU', iso_numeric: 276 },
    ])
    expect(await listCountries({ db, ids: [] }, 'en')).toEqual([])
  })

  it('are all listed, by id, each with every field in both languages', async () => {
    const currencies = Intl.supportedValuesOf('currency')
    for (const language of ['en', 'ru'] as const) {
      const all = await listCountries({ db }, language)
      expect(all.length).toBeGreaterThanOrEqual(249)
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
      for (const { id, name, currency, iso, iso3, iso_numeric } of all) {
        expect(iso).toBe(id)
        expect(iso3).toMatch(/^[A-Z]{3}$/)
        expect(currencies).toContain(currency)
        expect(iso_numeric).toBeGreaterThan(0)
        expect(name).toMatch(language === 'ru' ? /^\p{Script=Cyrillic}/u : /^\p{Script=Latin}/u)
      }
    }
  })

  it('of the catalog bring their names, and may be others', async () => {
    await saveCountry('RU', 'Russian Federation', 'Российская Федерация')
    await saveCountry('EU', 'Europe', 'Европа')
    const names = async (language: Language) =>
      (await listCountries({ db, ids: ['RU', 'EU'] }, language)).map(({ name }) => name)
    expect(await names('en')).toEqual(['Europe', 'Russian Federation'])
    expect(await names('ru')).toEqual(['Европа', 'Российская Федерация'])
    expect(await listCountries({ db, ids: ['EU'] }, 'en')).toEqual([
      { id: 'EU', name: 'Europe', currency: '', iso: '', iso3: '', iso_numeric: 0 },
    ])
  })
})
