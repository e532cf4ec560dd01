import { timestampMs } from '@bufbuild/protobuf/wkt'
import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { importWorld } from '../support/makers.ts'
import { eventCatalog, openEventWorld } from './event-world.ts'

const world = await openEventWorld()
const { id, ids } = world

const groupIds = async (key: string, wanted: string[] = []) =>
  (await world.grpc(key).list('metaEvents', { ids: wanted })).map((group) => group.id)

const lifetimeOf = async (event: string) => {
  const [found] = await world.grpc('org').list('events', { ids: [id(event)] })
  const [other] = await world.grpc('other_org').list('events', { ids: [id(event)] })
  const { start, finish } = (found ?? other)!.lifetime!
  return { start: timestampMs(start!), finish: timestampMs(finish!) }
}

async function periodOf(key: string, group: string) {
  const [found] = await world.grpc(key).list('metaEvents', { ids: [id(group)] })
  const { firstStart, lastFinish } = found!
  return {
    start: firstStart && timestampMs(firstStart),
    finish: lastFinish && timestampMs(lastFinish),
  }
}

test('a group has its texts, its organizer and its images', async () => {
  const [group] = await world.grpc('vendor').list('metaEvents', { ids: [id('summer')] })
  expect(group).toMatchObject({
    id: id('summer'),
    name: 'Лето',
    description: 'All summer',
    org: id('org'),
    ageRating: '18+',
    media: { cover: '', coverSmall: '', coverOriginal: 'https://img.example.org/2.png' },
  })
  expect(group!.additional).toBeUndefined()
})

test('a group without age rating is for all ages; one without images has no media', async () => {
  const [group] = await world.grpc('org').list('metaEvents', { ids: [id('season')] })
  expect(group).toMatchObject({ ageRating: '0+', description: '' })
  expect(group!.media).toBeUndefined()
})

test.each([
  ['vendor', ['summer', 'clubs']],
  ['org', ['summer', 'season']],
  ['other_org', ['clubs', 'empty']],
  ['poor', []],
  ['stranger', []],
  ['two_events', ['clubs']],
  ['org_finished', []],
  ['one_club', ['clubs']],
])('%s sees %j', async (key, groups) => {
  expect(await groupIds(key)).toEqual(ids(...groups).toSorted())
})

test('lasts from the first start to the last finish of its events', async () => {
  const [concert, festival] = await Promise.all([lifetimeOf('concert'), lifetimeOf('festival')])
  expect(await periodOf('vendor', 'summer')).toEqual({ start: concert.start, finish: festival.finish })
})

test('only events that the caller may see count', async () => {
  const [club, closed_club] = await Promise.all([lifetimeOf('club'), lifetimeOf('closed_club')])
  expect(closed_club.start).toBeLessThan(club.start)
  expect(await periodOf('vendor', 'clubs')).toEqual(club)
  expect(await periodOf('one_club', 'clubs')).toEqual(club)
  expect(await periodOf('other_org', 'clubs')).toEqual({ start: closed_club.start, finish: club.finish })
})

test('without an event that is streamed it has no times', async () => {
  expect(await periodOf('org', 'season')).toEqual({ start: undefined, finish: undefined })
  expect(await periodOf('other_org', 'empty')).toEqual({ start: undefined, finish: undefined })
})

test('ids choose among those the caller sees', async () => {
  const wanted = [...ids('clubs', 'empty', 'season'), id('festival'), '0'.repeat(24)]
  expect(await groupIds('vendor', wanted)).toEqual(ids('clubs'))
})

test('an id must be one', async () => {
  expect(await world.grpc('vendor').refusal('metaEvents', { ids: ['summer'] })).toEqual({
    code: status.INVALID_ARGUMENT,
    details: 'ids must be ids of 24 lower-case hex digits',
  })
})

test('an import is seen', async () => {
  const group = { ref: 'new', org: 'org', name: 'New' }
  const added = await importWorld(world.database, eventCatalog({ catalog: { groups: [group], events: [] } }))
  expect(await groupIds('org')).toEqual([...ids('summer', 'season'), added.id('new')].toSorted())
})

test('more groups than are read at once come once each', async () => {
  const groups = Array.from({ length: 1001 }, (_, index) => ({
    ref: `many_${index}`,
    org: 'stranger',
    name: `Group ${index}`,
  }))
  const added = await importWorld(world.database, eventCatalog({ catalog: { groups, events: [] } }))
  const expected = groups.map(({ ref }) => added.id(ref)).toSorted()
  expect(await groupIds('stranger')).toEqual(expected)
})
