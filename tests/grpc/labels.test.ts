import { create } from '@bufbuild/protobuf'
import { status as Status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { ArtistSchema } from '../../src/grpc/generated/artists_pb.js'
import { CategorySchema, TagSchema } from '../../src/grpc/generated/tags_pb.js'
import { Simple as SimpleV2 } from '../../src/grpc/generated/v2_pb.js'
import { lifetime, makeEvent } from '../support/makers.ts'
import { LISTED, openListedWorld } from './listed-world.ts'

const METHODS = [
  { method: 'tags', label: 'tag', schema: TagSchema },
  { method: 'categories', label: 'category', schema: CategorySchema },
  { method: 'artists', label: 'artist', schema: ArtistSchema },
] as const

const world = await openListedWorld()
const vendor = world.client('vendor')

describe.each(METHODS)('$method', ({ method, label, schema }) => {
  test.each(LISTED)(`%s lists the ${method} of %j`, async (key, events) => {
    const labels = await world.client(key).list(method)
    expect(labels).toEqual(
      events
        .map((event) => `${event} ${label}`)
        .toSorted()
        .map((text) => create(schema, { id: text, name: text })),
    )
  })

  test('by ids; those that are unknown or not the caller’s to see are left out', async () => {
    const ids = [`gig ${label}`, `hidden ${label}`, 'no such', '', `gig ${label}`]
    const labels = await vendor.list(method, { ids })
    expect(labels.map(({ id }) => id)).toEqual([`gig ${label}`])
  })

  test('ids with NUL, and too many of them, are refused', async () => {
    expect(await vendor.refusal(method, { ids: ['a\0'] })).toEqual({
      code: Status.INVALID_ARGUMENT,
      details: 'ids must not contain NUL',
    })
    expect(await vendor.refusal(method, { ids: Array.from({ length: 10_001 }, () => 'a') })).toEqual({
      code: Status.INVALID_ARGUMENT,
      details: 'ids must not have more than 10000 values',
    })
  })

  test('v2.Simple lists the same', async () => {
    expect(await world.client('vendor', { service: SimpleV2 }).list(method)).toEqual(
      await vendor.list(method),
    )
  })
})

describe('the labels of several events', () => {
  const NAMES = ['Ёлка', 'Яблоко', 'арбуз', 'Весна', 'jazz', 'Blues']
  const SORTED = ['арбуз', 'Весна', 'Ёлка', 'Яблоко', 'Blues', 'jazz']

  test('come once each, in the order of the Russian alphabet, then the Latin one', async () => {
    const org = world.id('stranger')
    await world.add({
      events: [NAMES, NAMES.toReversed()].map((names, index) =>
        makeEvent(`many_${index}`, {
          org,
          venue: world.id('own_venue'),
          lifetime: lifetime(240, 250),
          tags: names,
          artists: names,
          category: names[0],
        }),
      ),
    })
    const stranger = world.client('stranger')
    expect((await stranger.list('tags')).map(({ name }) => name)).toEqual(SORTED)
    expect((await stranger.list('artists')).map(({ name }) => name)).toEqual(SORTED)
    expect((await stranger.list('categories')).map(({ name }) => name)).toEqual(['Ёлка', 'Blues'])
  })
})
