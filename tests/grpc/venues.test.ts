import { create } from '@bufbuild/protobuf'
import { status as Status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { Simple as SimpleV1 } from '../../src/grpc/generated/v1_pb.js'
import { Simple as SimpleV2 } from '../../src/grpc/generated/v2_pb.js'
import { VenueSchema } from '../../src/grpc/generated/venues_pb.js'
import { makeEvent } from '../support/makers.ts'
import { LISTED, openListedWorld } from './listed-world.ts'

const world = await openListedWorld()
const vendor = world.client('vendor')
const idsOf = (refs: readonly string[]) => refs.map((ref) => world.id(`${ref}_venue`))
const OPERA = create(VenueSchema, {
  id: world.id('opera_venue'),
  name: 'Venue opera',
  description: 'Two halls',
  city: 524_901,
  address: '1 opera Road',
  coordinates: { longitude: 37.6, latitude: 55.75 },
})

test('a venue has every field', async () => {
  expect(await vendor.list('venues', { ids: [OPERA.id] })).toEqual([OPERA])
})

test.each([
  ['without a point has no coordinates', 'own', undefined],
  ['where both degrees are 0 has them', 'gig', { longitude: 0, latitude: 0 }],
])('a venue %s', async (_what, ref, coordinates) => {
  const [venue] = await vendor.list('venues', { ids: idsOf([ref]) })
  expect(venue!.id).toBe(world.id(`${ref}_venue`))
  if (coordinates === undefined) expect(venue).not.toHaveProperty('coordinates')
  else expect(venue!.coordinates).toMatchObject(coordinates)
})

describe('who lists what', () => {
  test.each(LISTED)('%s lists the venues of %j', async (key, events) => {
    const venues = await world.client(key).list('venues')
    expect(venues.map(({ id }) => id)).toEqual(idsOf(events).toSorted())
  })

  test.each(LISTED)('%s is shown no other venue by id', async (key, events) => {
    const venues = await world
      .client(key)
      .list('venues', { ids: idsOf(['opera', 'gig', 'hidden', 'unused']) })
    const shown = ['opera', 'gig', 'hidden'].filter((ref) => events.includes(ref))
    expect(venues.map(({ id }) => id)).toEqual(idsOf(shown).toSorted())
  })

  test('a key without the permission lists nothing', async () => {
    expect(await world.client('no_events').refusal('venues')).toMatchObject({
      code: Status.PERMISSION_DENIED,
    })
  })
})

test('unknown ids are left out, one named twice comes once', async () => {
  const ids = ['0'.repeat(24), OPERA.id, OPERA.id]
  expect(await vendor.list('venues', { ids })).toEqual([OPERA])
})

test.each([['opera_venue'], [''], ['A'.repeat(24)], [`${'0'.repeat(23)}\0`]])(
  'the malformed id %j is refused',
  async (id) => {
    expect(await vendor.refusal('venues', { ids: [OPERA.id, id] })).toEqual({
      code: Status.INVALID_ARGUMENT,
      details: 'ids must be ids of 24 lower-case hex digits',
    })
  },
)

test.each([SimpleV2, SimpleV1])('$typeName lists the same', async (service) => {
  expect(await world.client('vendor', { service }).list('venues')).toEqual(await vendor.list('venues'))
})

test('venues of which there are more than are read at a time come all, once', async () => {
  const refs = Array.from({ length: 600 }, (_, index) => `many_${index}`)
  await world.database.sql(
    `INSERT INTO venues (id, ref, name, address, city, country)
     SELECT lpad(to_hex(pos), 24, '0'), ref, 'One of many', 'Somewhere', 524901, 'RU'
     FROM unnest($1::text[]) WITH ORDINALITY AS many (ref, pos)`,
    [refs],
  )
  await world.add({
    events: refs.slice(0, 550).map((ref) => makeEvent(ref, { org: world.id('org'), venue: ref })),
  })
  const venues = await world.client('org').list('venues')
  expect(venues.filter((venue) => venue.name === 'One of many')).toHaveLength(550)
  expect(new Set(venues.map(({ id }) => id)).size).toBe(552)
})
