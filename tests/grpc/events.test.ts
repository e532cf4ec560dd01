import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate, timestampMs } from '@bufbuild/protobuf/wkt'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import {
  Event_EventStatus as EventStatus,
  Event_LegalRu_Type as LegalType,
  Event_SmartTicketSetting as SmartTickets,
  EventsRequest_Status as Status,
} from '../../src/grpc/generated/events_pb.js'
import type {
  Event,
  Event_TicketSet as TicketSet,
  EventsRequestSchema,
} from '../../src/grpc/generated/events_pb.js'
import { Mod_ModType as ModType } from '../../src/grpc/generated/mods_pb.js'
import { Simple as SimpleV1 } from '../../src/grpc/generated/v1_pb.js'
import { Simple as SimpleV2 } from '../../src/grpc/generated/v2_pb.js'
import { parseMoney } from '../../src/kernel/money.ts'
import type { GrpcClient } from '../support/grpc-client.ts'
import { importWorld, makeDeal, makeEvent, makeSet } from '../support/makers.ts'
import { waitUntil } from '../support/wait.ts'
import { eventCatalog, openEventWorld } from './event-world.ts'

const V1_EVENTS = '/v1/services/simple/events?status=public,stand_by&page_size=200'
const STARTED = Date.now()

const world = await openEventWorld()
const { id, ids } = world
const vendor = world.grpc('vendor')

type Request = MessageInitShape<typeof EventsRequestSchema>

const listIds = async (client: GrpcClient, request: Request = {}) =>
  (await client.list('events', request)).map((event) => event.id)

async function only(client: GrpcClient, ref: string): Promise<Event> {
  const events = await client.list('events', { ids: [id(ref)] })
  expect(events).toHaveLength(1)
  return events[0]!
}

const setOf = (event: Event, ref: string): TicketSet => event.sets.find((set) => set.id === id(ref))!

describe('an event', () => {
  test('has its texts, places, times and ids', async () => {
    const event = await only(vendor, 'festival')
    expect(event).toMatchObject({
      id: id('festival'),
      meta: id('summer'),
      name: 'Фестиваль «Лето»',
      description: 'Two "stages"\nand a tribune',
      status: EventStatus.PUBLIC,
      org: id('org'),
      venue: id('field'),
      map: id('tribune'),
      lifetime: {
        start: timestampFromDate(new Date('2099-07-04T15:00:00Z')),
        finish: timestampFromDate(new Date('2099-07-04T23:30:00Z')),
      },
      category: 'Music',
      tags: ['festival', 'rock'],
      artists: ['Ария', 'Kino'],
      ageRating: '16+',
      media: { cover: 'https://img.example.org/1.png', coverSmall: '', coverOriginal: '' },
      openDate: true,
      smartTickets: SmartTickets.ONLY,
      ticketsAmount: 116,
      ticketsAmountVacant: 112,
    })
    expect(event.additional).toBeUndefined()
    expect(timestampMs(event.updatedAt!)).toBeGreaterThan(STARTED - 60_000)
    expect(timestampMs(event.updatedAt!)).toBeLessThanOrEqual(Date.now())
  })

  test('that has little is at its defaults', async () => {
    const event = await only(vendor, 'own')
    expect(event).toMatchObject({
      meta: '',
      map: '',
      category: '',
      tags: [],
      artists: [],
      ageRating: '0+',
      openDate: false,
      legal: { case: undefined },
      smartTickets: SmartTickets.NONE,
      mods: [],
    })
    expect(event.media).toBeUndefined()
    expect((await only(vendor, 'concert')).status).toBe(EventStatus.STAND_BY)
  })

  test('has nothing that its schema does not know', async () => {
    for (const event of await vendor.list('events'))
      for (const message of [event, ...event.sets]) expect(message.$unknown).toBeUndefined()
  })

  test('has its sets in order, with their prices', async () => {
    const event = await only(vendor, 'festival')
    expect(event.sets.map((set) => set.id)).toEqual(ids('seats', 'standing', 'vip'))
    expect(setOf(event, 'seats')).toMatchObject({
      name: 'Tribune',
      description: '',
      pos: 1,
      sector: id('upper'),
      withSeats: true,
      amount: 6,
      amountVacant: 6,
      rules: [{ id: id('seats'), types: { case: 'simple', value: { price: 50_000n } } }],
    })
    expect(setOf(event, 'standing')).toMatchObject({
      description: 'Near the stage',
      pos: 2,
      sector: '',
      withSeats: false,
      amount: 100,
    })
    expect(setOf(event, 'vip')).toMatchObject({ amount: 10, amountVacant: 6 })
  })

  test('has the rules of a set, and last the base price', async () => {
    const { rules } = setOf(await only(vendor, 'festival'), 'standing')
    expect(rules.map(({ types }) => types.value?.price)).toEqual([20_000n, 12_050n, 30_000n, 15_000n])
    expect(rules.map(({ lifetime }) => lifetime !== undefined)).toEqual([true, true, true, false])
    expect(rules.at(-1)!.id).toBe(id('standing'))
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(4)
  })
})

describe('the terms', () => {
  const percent = (units: number, nanos = 0) => ({ units, nanos })

  test('a vendor sees those of the deal it sells by', async () => {
    expect((await only(vendor, 'festival')).commissions).toMatchObject({
      case: 'deal',
      value: {
        id: id('festival_deal'),
        org: percent(92, 500_000_000),
        agent: percent(7, 500_000_000),
        extra: percent(10),
      },
    })
    expect((await only(vendor, 'concert')).commissions).toMatchObject({
      case: 'deal',
      value: { id: id('deal'), org: percent(95), agent: percent(5), extra: percent(4) },
    })
  })

  test('the organizer sees that it sells without a fee', async () => {
    const own = { case: 'orgExtra', value: percent(0) }
    expect((await only(world.grpc('org'), 'festival')).commissions).toMatchObject(own)
    expect((await only(vendor, 'own')).commissions).toMatchObject(own)
  })
})

describe('the organizer as a legal person', () => {
  const legal = { name: 'Org LLC', inn: '7700000000', address: 'Moscow' }
  const partner = (ref: string, fields: object) => ({ ref, name: ref, legal_detail: { ...legal, ...fields } })

  test.each([
    ['ltd', { ogrn: '1027700000000' }, LegalType.LTD, { case: 'ogrn', value: '1027700000000' }],
    ['ip', { ogrnip: '304500116000157' }, LegalType.IP, { case: 'ogrnip', value: '304500116000157' }],
    ['se', {}, LegalType.SE, { case: undefined }],
  ])('%s', async (ref, fields, type, ogrns) => {
    const added = await importWorld(
      world.database,
      eventCatalog({
        catalog: {
          partners: [partner(ref, fields)],
          groups: [],
          events: [makeEvent(`event_${ref}`, { org: ref, venue: 'field' })],
          deals: [makeDeal(`deal_${ref}`, { org: ref, vendor: 'poor' })],
        },
      }),
    )
    const [event] = await world.grpc('poor').list('events', { ids: [added.id(`event_${ref}`)] })
    expect(event!.legal).toMatchObject({
      case: 'legalRu',
      value: { ...legal, id: added.id(ref), type, ogrns, taxes: { case: undefined } },
    })
    const { nds, vatRate } = event!.legal.value!
    expect([nds, vatRate]).toEqual([undefined, undefined])
  })
})

describe('promotions', () => {
  test('are mods, one kind each', async () => {
    const { mods } = await only(vendor, 'festival')
    expect(mods.map(({ type }) => type)).toEqual(Array.from({ length: 6 }, () => ModType.PROMOTION))
    expect(new Set(mods.map((mod) => mod.id)).size).toBe(6)
    const promotions = mods.map(({ settings }) => settings.value!)
    const percentage = (units: number, nanos = 0) => ({ units, nanos })
    expect(promotions.map(({ discount }) => discount)).toMatchObject([
      { case: 'discountPercentage', value: percentage(12, 345_600_000) },
      { case: 'discountFix', value: 500n },
      {
        case: 'levelsPercentage',
        value: {
          levels: [
            { level: 100_000n, value: percentage(5) },
            { level: 200_050n, value: percentage(100) },
          ],
        },
      },
      { case: 'levelsFix', value: { levels: [{ level: 0n, value: 150n }] } },
      { case: 'levelsCountPercentage', value: { levels: [{ level: 4n, value: percentage(0, 100_000) }] } },
      {
        case: 'levelsCountFix',
        value: {
          levels: [
            { level: 4n, value: 10_000n },
            { level: 8n, value: 20_000n },
          ],
        },
      },
    ])
    expect(promotions.map(({ sets }) => sets)).toEqual([ids('standing', 'vip'), [], [], [], [], []])
  })

  test('have the sides of their lifetime that are set', async () => {
    const { mods } = await only(vendor, 'festival')
    const [from, until, always] = mods.map(({ settings }) => settings.value!.lifetime)
    expect(timestampMs(from!.start!)).toBe(Date.UTC(2026, 0))
    expect(from!.finish).toBeUndefined()
    expect(until!.start).toBeUndefined()
    expect(timestampMs(until!.finish!)).toBe(Date.UTC(2026, 1))
    expect(always).toBeUndefined()
  })
})

test.each([
  ['v2', SimpleV2],
  ['v1', SimpleV1],
])('as %s knows it, an event has promotions of type 0 and no updated_at', async (_version, service) => {
  const older = await only(world.grpc('vendor', { service }), 'festival')
  const current = await only(vendor, 'festival')
  expect(older.updatedAt).toBeUndefined()
  expect(older.mods.map(({ type }) => type)).toEqual([0, 0, 0, 0, 0, 0])
  const mods = current.mods.map((mod) => ({ ...mod, type: 0 }))
  const { updatedAt: _, ...common } = current
  expect({ ...older }).toMatchObject({ ...common, mods })
})

describe('who sees which events', () => {
  test.each([
    ['vendor', ['concert', 'club', 'own', 'festival']],
    ['org', ['concert', 'festival']],
    ['other_org', ['closed_club', 'club']],
    ['stranger', []],
    ['two_events', ['club']],
    ['one_club', ['club']],
    ['org_finished', []],
  ])('%s: %j', async (key, refs) => {
    expect(await listIds(world.grpc(key))).toEqual(ids(...refs))
  })

  test('needs a key with the permission', async () => {
    expect(await world.grpc('no_events').refusal('events')).toEqual({
      code: status.PERMISSION_DENIED,
      details: 'the key lacks the permission events',
    })
  })
})

describe('filters', () => {
  const at = (text: string): Timestamp => timestampFromDate(new Date(text))
  const START = at('2099-07-04T15:00:00Z')
  const FINISH = at('2099-07-04T23:30:00Z')
  const later = ({ seconds, nanos }: Timestamp, by: number) => ({ seconds, nanos: nanos + by })
  const before = ({ seconds }: Timestamp) => ({ seconds: seconds - 1n, nanos: 999_999_999 })
  const begins = (start: object) => ({ lifetime: { start } })
  const ends = (finish: object) => ({ lifetime: { finish } })
  const ALL = ['concert', 'club', 'own', 'festival']
  const NEAR = ['concert', 'club', 'own']

  test.each<[string, Request, string[]]>([
    [
      'ids',
      { ids: [...ids('festival', 'club', 'closed_club', 'theatre'), '0'.repeat(24)] },
      ['club', 'festival'],
    ],
    ['ids of nothing it may see', { ids: ids('closed_club', 'org') }, []],
    ['meta', { metaEvent: { case: 'meta', value: id('summer') } }, ['concert', 'festival']],
    ['meta of nothing it may see', { metaEvent: { case: 'meta', value: id('season') } }, []],
    ['without_meta', { metaEvent: { case: 'withoutMeta', value: true } }, ['own']],
    ['without_meta false', { metaEvent: { case: 'withoutMeta', value: false } }, ALL],
    ['org', { org: id('other_org') }, ['club']],
    ['org of nothing it may see', { org: id('stranger') }, []],
    ['status any', { status: Status.ANY }, ALL],
    ['status stand_by', { status: Status.STAND_BY }, ['concert']],
    ['status public', { status: Status.PUBLIC }, ['club', 'own', 'festival']],
    ['start gte', begins({ gte: START }), ['festival']],
    ['start gte a nanosecond later', begins({ gte: later(START, 1) }), []],
    ['start gt', begins({ gt: START }), []],
    ['start gt a nanosecond before', begins({ gt: before(START) }), ['festival']],
    ['start lte', begins({ lte: START }), ALL],
    ['start lte a nanosecond before', begins({ lte: before(START) }), NEAR],
    ['start lt', begins({ lt: START }), NEAR],
    ['start lt a nanosecond later', begins({ lt: later(START, 1) }), ALL],
    ['start between', begins({ gte: START, lte: START }), ['festival']],
    ['start above both', begins({ gte: at('2000-01-01'), gt: START }), []],
    ['start below both', begins({ lt: at('2200-01-01'), lte: before(START) }), NEAR],
    ['finish gte', ends({ gte: FINISH }), ['festival']],
    ['finish gt', ends({ gt: FINISH }), []],
    ['finish lte', ends({ lte: FINISH }), ALL],
    ['finish lt', ends({ lt: FINISH }), NEAR],
    ['start and finish', { lifetime: { start: { gte: START }, finish: { lt: FINISH } } }, []],
    ['the first time there is', begins({ gte: { seconds: -62_135_596_800n, nanos: 0 } }), ALL],
    ['the last time there is', begins({ gt: { seconds: 253_402_300_799n, nanos: 999_999_999 } }), []],
    ['up to the last time there is', begins({ lte: { seconds: 253_402_300_799n, nanos: 999_999_999 } }), ALL],
    ['an empty lifetime', begins({}), ALL],
    [
      'several at once',
      { org: id('org'), status: Status.PUBLIC, metaEvent: { case: 'meta', value: id('summer') } },
      ['festival'],
    ],
  ])('%s', async (_name, request, refs) => {
    expect(await listIds(vendor, request)).toEqual(ids(...refs))
  })

  const NO_ID = 'must be an id of 24 lower-case hex digits'
  const NO_TIME = 'must be a time of the years 1 to 9999'
  const NO_NANOS = 'must have nanos from 0 to 999999999'
  test.each<[Request, string]>([
    [{ ids: ['festival'] }, 'ids must be ids of 24 lower-case hex digits'],
    [
      { ids: Array.from({ length: 10_001 }, () => '0'.repeat(24)) },
      'ids must not have more than 10000 values',
    ],
    [{ metaEvent: { case: 'meta', value: 'x' } }, `meta ${NO_ID}`],
    [{ org: 'org' }, `org ${NO_ID}`],
    [{ status: 3 as Status }, 'status must not be 3'],
    [begins({ gte: { seconds: 253_402_300_800n } }), `lifetime.start.gte ${NO_TIME}`],
    [begins({ gt: { seconds: -62_135_596_801n } }), `lifetime.start.gt ${NO_TIME}`],
    [ends({ lte: { nanos: -1 } }), `lifetime.finish.lte ${NO_NANOS}`],
    [ends({ lt: { nanos: 1_000_000_000 } }), `lifetime.finish.lt ${NO_NANOS}`],
  ])('refuses %o', async (request, details) => {
    expect(await vendor.refusal('events', request)).toEqual({ code: status.INVALID_ARGUMENT, details })
  })
})

describe('agrees with the v1 listing', () => {
  type LegacySet = { id: string; amount: number; amount_vacant: number; price_org: string }
  type LegacyEvent = {
    id: string
    tickets_amount: number
    tickets_amount_vacant: number
    sets: LegacySet[]
  }

  async function legacyEvents(key: string): Promise<LegacyEvent[]> {
    const { body } = await world.http(key).get(V1_EVENTS)
    return body as LegacyEvent[]
  }

  test.each(['vendor', 'org', 'other_org', 'two_events', 'stranger'])('for %s', async (key) => {
    await world.http('vendor').createOrder({ event: id('festival'), random: { [id('seats')]: 2 } })
    const now = Date.now()
    const events = await world.grpc(key).list('events')
    const shown = events.map((event) => ({
      id: event.id,
      tickets_amount: event.ticketsAmount,
      tickets_amount_vacant: event.ticketsAmountVacant,
      sets: event.sets.map((set) => ({
        id: set.id,
        amount: set.amount,
        amount_vacant: set.amountVacant,
        price_org: priceInForce(set, now),
      })),
    }))
    const legacy = (await legacyEvents(key)).map(({ sets, ...event }) => ({
      id: event.id,
      tickets_amount: event.tickets_amount,
      tickets_amount_vacant: event.tickets_amount_vacant,
      sets: sets.map((set) => ({
        id: set.id,
        amount: set.amount,
        amount_vacant: set.amount_vacant,
        price_org: parseMoney(set.price_org),
      })),
    }))
    expect(shown).toEqual(legacy)
  })

  /** As the schema says it. */
  function priceInForce({ rules }: TicketSet, now: number): number {
    const holding = rules.filter(
      ({ lifetime }) =>
        lifetime !== undefined && timestampMs(lifetime.start!) <= now && now < timestampMs(lifetime.finish!),
    )
    const rule = holding.at(-1) ?? rules.at(-1)!
    return Number(rule.types.value!.price)
  }
})

test('counts its vacant tickets at this moment', async () => {
  const before = await only(vendor, 'festival')
  await world.http('vendor').createOrder({ event: id('festival'), random: { [id('standing')]: 3 } })
  const after = await only(vendor, 'festival')
  expect(after.ticketsAmountVacant).toBe(before.ticketsAmountVacant - 3)
  expect(setOf(after, 'standing').amountVacant).toBe(setOf(before, 'standing').amountVacant - 3)
  expect(after.ticketsAmount).toBe(before.ticketsAmount)
})

test('a set that is sold out has none vacant', async () => {
  const sets = [{ ...makeSet('gone'), amount: 2, pending: 2 }]
  const events = [makeEvent('sold_out', { venue: 'field', sets })]
  const { id: idOf } = await importWorld(world.database, eventCatalog({ catalog: { groups: [], events } }))
  const [event] = await vendor.list('events', { ids: [idOf('sold_out')] })
  expect(event).toMatchObject({ ticketsAmount: 2, ticketsAmountVacant: 0 })
  expect(event!.sets).toMatchObject([{ amount: 2, amountVacant: 0 }])
})

describe('within a second is seen', () => {
  const seen = (condition: () => Promise<boolean>) => waitUntil(condition, { timeout_ms: 1000 })

  test('an import', async () => {
    await only(vendor, 'festival')
    await importWorld(world.database, eventCatalog({ festival: { title: { text: 'Festival' }, meta: null } }))
    await seen(async () => (await only(vendor, 'festival')).name === 'Festival')
  })

  test('that a deal has ended', async () => {
    const closed = world.grpc('vendor')
    expect(await listIds(closed, { org: id('other_org') })).toEqual(ids('club'))
    const deal = { ref: 'club_deal', org: 'other_org', vendor: 'vendor', events: ['club'] }
    const ended = { ...makeDeal('club_deal'), ...deal, lifetime: { finish: '2020-01-01' } }
    await importWorld(world.database, eventCatalog({ catalog: { deals: [ended] } }))
    await seen(async () => (await listIds(closed, { org: id('other_org') })).length === 0)
    expect(await listIds(closed)).not.toContain(id('club'))
  })

  test('that an event is finished', async () => {
    const org = world.grpc('org')
    expect(await listIds(org)).toContain(id('festival'))
    await importWorld(world.database, eventCatalog({ festival: { status: 'finished' } }))
    await seen(async () => !(await listIds(org)).includes(id('festival')))
  })
})

test('more events than are read at once come once each, those of one start in the order of their ids', async () => {
  const period = (day: number) => ({ start: `2098-01-0${day}`, finish: `2098-01-0${day + 1}` })
  const events = Array.from({ length: 1100 }, (_, index) =>
    makeEvent(`many_${index}`, { org: 'stranger', venue: 'field', lifetime: period(index < 1050 ? 2 : 1) }),
  )
  const { id: idOf } = await importWorld(world.database, eventCatalog({ catalog: { groups: [], events } }))
  const all = events.map(({ ref }) => idOf(String(ref)))
  const expected = [...all.slice(1050).toSorted(), ...all.slice(0, 1050).toSorted()]
  expect(await listIds(world.grpc('stranger'))).toEqual(expected)
})
