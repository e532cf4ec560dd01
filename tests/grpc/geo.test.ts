import { once } from 'node:events'
import { create } from '@bufbuild/protobuf'
import { status as Status } from '@grpc/grpc-js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CountrySchema } from '../../src/grpc/generated/geo_pb.js'
import { Simple as SimpleV1 } from '../../src/grpc/generated/v1_pb.js'
import { openListedWorld } from './listed-world.ts'

/** Ids of GeoNames. Of these the catalog has Moscow. */
const MOSCOW = 524_901
const PETERSBURG = 498_817
const BERLIN = 2_950_159

const STALLED_READERS = 50
/** Of all cities, as they are on the wire. */
const WORLD_BYTES = 8_000_000

const world = await openListedWorld()
const client = world.client('stranger')
const russian = world.client('stranger', { metadata: { 'preferred-language': 'ru' } })

/** Bytes, of this thread. */
function memoryUsed(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('cities', () => {
  test('one of the catalog, with its names, and what the world knows of it', async () => {
    const [moscow] = await client.list('cities', { ids: [MOSCOW] })
    expect(moscow).toMatchObject({ id: MOSCOW, name: 'Moscow', country: 'RU', timezone: 'Europe/Moscow' })
    expect(moscow!.coordinates!.longitude).toBeCloseTo(37.6, 0)
    expect(moscow!.coordinates!.latitude).toBeCloseTo(55.75, 0)
    expect(moscow!.population).toBeGreaterThan(10_000_000n)
    const [moskva] = await russian.list('cities', { ids: [MOSCOW] })
    expect(moskva).toEqual({ ...moscow, name: 'Москва' })
  })

  test('those of ids, in the order of the ids; unknown ones are left out', async () => {
    const cities = await client.list('cities', {
      ids: [BERLIN, MOSCOW, -1, 0, 2_147_483_647, PETERSBURG, MOSCOW],
    })
    expect(cities.map(({ id, country }) => [id, country])).toEqual([
      [PETERSBURG, 'RU'],
      [MOSCOW, 'RU'],
      [BERLIN, 'DE'],
    ])
  })

  test.each(['moscow', 'Москва', 'МОСКВА'])('by the name %s, in any language', async (name) => {
    expect(await client.list('cities', { name, country: 'RU' })).toMatchObject([
      { id: MOSCOW, name: 'Moscow' },
    ])
    expect(await russian.list('cities', { name, country: 'RU' })).toMatchObject([
      { id: MOSCOW, name: 'Москва' },
    ])
  })

  test.each(['Mosc', 'моск'])('by the beginning %s of a name, the most populous first', async (suggest) => {
    const cities = await client.list('cities', { suggest })
    expect(cities.at(0)).toMatchObject({ id: MOSCOW })
    const populations = cities.map(({ population }) => population)
    expect(populations).toEqual(populations.toSorted((a, b) => Number(b - a)))
  })

  test('of a country', async () => {
    const cities = await client.list('cities', { country: 'VA' })
    expect(cities.length).toBeGreaterThan(0)
    expect(new Set(cities.map(({ country }) => country))).toEqual(new Set(['VA']))
    expect(await client.list('cities', { country: 'VA', ids: [MOSCOW] })).toEqual([])
    expect(await client.list('cities', { country: 'Nowhere' })).toEqual([])
  })

  test('of the whole world, each once', async () => {
    const cities = await client.list('cities')
    const ids = cities.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(100_000)
    expect(new Set(ids).size).toBe(ids.length)
    expect(cities.every(({ name, country, timezone }) => name && country && timezone)).toBe(true)
  })

  test('of the whole world, to readers who stop, are not held for them', async () => {
    const calls = Array.from({ length: STALLED_READERS }, () => client.open('cities').on('error', () => {}))
    onTestFinished(() => calls.forEach((call) => call.cancel()))
    const before = memoryUsed()
    await Promise.all(calls.map((call) => once(call, 'data').then(() => call.pause())))
    // Meanwhile the server has the time for as much of theirs as it would make ahead.
    let count = 0
    for await (const { id } of client.open('cities')) if (id > 0) count++
    expect(count).toBeGreaterThan(100_000)
    expect(memoryUsed() - before).toBeLessThan((STALLED_READERS * WORLD_BYTES) / 2)
  }, 60_000)

  test.each([
    [{ name: 'a\0' }, 'name must not contain NUL'],
    [{ suggest: '\0' }, 'suggest must not contain NUL'],
    [{ country: '\0' }, 'country must not contain NUL'],
    [{ ids: Array.from({ length: 10_001 }, () => MOSCOW) }, 'ids must not have more than 10000 values'],
  ])('a malformed field is refused', async (request, details) => {
    expect(await client.refusal('cities', request)).toEqual({ code: Status.INVALID_ARGUMENT, details })
  })
})

describe('countries', () => {
  const RUSSIA = { id: 'RU', currency: 'RUB', iso: 'RU', iso3: 'RUS', isoNumeric: 643 }

  test('by ids, in the language of the call; unknown ones are left out', async () => {
    const ids = ['RU', 'nowhere', 'KZ', '']
    expect(await client.list('countries', { ids })).toMatchObject([
      { id: 'KZ', name: 'Kazakhstan', currency: 'KZT', isoNumeric: 398 },
      create(CountrySchema, { ...RUSSIA, name: 'Russia' }),
    ])
    expect(await russian.list('countries', { ids })).toMatchObject([
      { id: 'KZ', name: 'Казахстан' },
      create(CountrySchema, { ...RUSSIA, name: 'Россия' }),
    ])
  })

  test('of the whole world, in the order of their ids', async () => {
    const countries = await client.list('countries')
    const ids = countries.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(240)
    expect(ids).toEqual([...new Set(ids)].toSorted())
  })

  test('Simple lists the same', async () => {
    const older = world.client('stranger', { service: SimpleV1 })
    expect(await older.list('countries')).toEqual(await client.list('countries'))
  })

  test('an id with NUL is refused', async () => {
    expect(await client.refusal('countries', { ids: ['\0'] })).toEqual({
      code: Status.INVALID_ARGUMENT,
      details: 'ids must not contain NUL',
    })
  })
})
