import { create, toBinary } from '@bufbuild/protobuf'
import { status as Status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { Map_SeatSchema, MapSchema } from '../../src/grpc/generated/venues_pb.js'
import { SCHEME } from '../http-v1/listing-world.ts'
import { makeEvent } from '../support/makers.ts'
import { LISTED, openListedWorld } from './listed-world.ts'

const MESSAGE_LIMIT_BYTES = 4 * 1024 * 1024

const world = await openListedWorld()
const vendor = world.client('vendor')
const idsOf = (refs: readonly string[]) => refs.map((ref) => world.id(`${ref}_map`))

describe('a map', () => {
  test('has its sectors, seats with their points, and images', async () => {
    const [stalls, floor, box] = ['stalls', 'floor', 'box'].map((ref) => world.id(ref)) as [
      string,
      string,
      string,
    ]
    expect(await vendor.list('maps', { ids: idsOf(['opera']) })).toEqual([
      create(MapSchema, {
        id: world.id('opera_map'),
        name: 'Map opera',
        venue: world.id('opera_venue'),
        sectors: [
          { id: stalls, name: 'Партер', withSeats: true },
          { id: floor, name: 'Floor', withSeats: false },
          { id: box, name: 'Box', withSeats: true },
        ],
        seats: [
          { sector: stalls, row: '1', number: '5', point: { x: 10, y: 20, r: 4 } },
          { sector: stalls, row: '1', number: '6', point: { x: 20, y: 20, r: 4 } },
          { sector: stalls, row: '1', number: '7', point: { x: 30, y: 20, r: 4 } },
          { sector: stalls, row: 'B', number: '1' },
          { sector: stalls, row: 'B', number: '2a' },
          { sector: box, row: '1', number: '1', point: { x: -7, y: -3, r: 2 } },
          { sector: box, row: '1', number: '2', point: { x: -11, y: -3, r: 2 } },
        ],
        svg: { scheme: SCHEME, 'план 1/2': '<svg>✓</svg>' },
      }),
    ])
  })

  test('without seats and images has none', async () => {
    const [map] = await vendor.list('maps', { ids: idsOf(['own']) })
    expect(map).toMatchObject({ name: 'Map own', seats: [], svg: {} })
    expect(map!.sectors).toHaveLength(1)
  })

  test('of 50,000 seats is one message that clients take as they are', async () => {
    const rows = Array.from({ length: 500 }, (_, row) => ({
      row: row + 1,
      seats: 100,
      x: 100,
      y: 100 + 20 * row,
      step: 20,
    }))
    const { id } = await world.add({
      maps: [
        {
          ref: 'arena',
          venue: world.id('own_venue'),
          name: 'Arena',
          sectors: [{ ref: 'bowl', name: 'Bowl', with_seats: true, rows }],
        },
      ],
      events: [makeEvent('match', { org: world.id('vendor'), venue: world.id('own_venue'), map: 'arena' })],
    })
    const [map] = await vendor.list('maps', { ids: [id('arena')] })
    expect(map!.seats).toHaveLength(50_000)
    expect(map!.seats.at(0)).toEqual(seat({ row: '1', number: '1', point: { x: 100, y: 100, r: 8 } }))
    expect(map!.seats.at(1_000)).toEqual(seat({ row: '11', number: '1', point: { x: 100, y: 300, r: 8 } }))
    expect(map!.seats.at(-1)).toEqual(
      seat({ row: '500', number: '100', point: { x: 2080, y: 10_080, r: 8 } }),
    )
    expect(toBinary(MapSchema, map!).byteLength).toBeLessThan(MESSAGE_LIMIT_BYTES)

    function seat(fields: { row: string; number: string; point: { x: number; y: number; r: number } }) {
      return create(Map_SeatSchema, { sector: id('bowl'), ...fields })
    }
  })
})

describe('who lists what', () => {
  test.each(LISTED)('%s lists the maps of %j', async (key, events) => {
    const refs = ['opera', 'finished', 'gig', 'hidden', 'own', 'gig_second', 'unused']
    const maps = await world.client(key).list('maps', { ids: idsOf(refs) })
    expect(maps.map(({ id }) => id)).toEqual(idsOf(events).toSorted())
  })

  test('a map that no event has is nowhere, though its venue is listed', async () => {
    const maps = await vendor.list('maps')
    expect(maps.map(({ id }) => id)).not.toContain(world.id('gig_second_map'))
  })
})

describe('filters', () => {
  test('by venue', async () => {
    const maps = await vendor.list('maps', { venue: world.id('gig_venue') })
    expect(maps.map(({ id }) => id)).toEqual(idsOf(['gig']))
  })

  test('by venue and ids, both of which must hold', async () => {
    const venue = world.id('gig_venue')
    expect(await vendor.list('maps', { venue, ids: idsOf(['opera']) })).toEqual([])
    expect(await vendor.list('maps', { venue, ids: idsOf(['opera', 'gig']) })).toHaveLength(1)
  })

  test('by what is unknown, or not the caller’s to see', async () => {
    expect(await vendor.list('maps', { ids: ['0'.repeat(24)] })).toEqual([])
    expect(await vendor.list('maps', { venue: '0'.repeat(24) })).toEqual([])
    expect(await vendor.list('maps', { venue: world.id('hidden_venue') })).toEqual([])
  })

  test.each([
    [{ ids: ['map'] }, 'ids must be ids of 24 lower-case hex digits'],
    [{ venue: 'venue' }, 'venue must be an id of 24 lower-case hex digits'],
  ])('%j is refused', async (request, details) => {
    expect(await vendor.refusal('maps', request)).toEqual({ code: Status.INVALID_ARGUMENT, details })
  })
})
