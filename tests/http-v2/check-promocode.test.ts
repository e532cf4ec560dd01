import { describe, expect, test } from 'vitest'
import { lifetime, makeCatalog, makeEvent, makeSet } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'

const PERIOD = { start: '2026-01-01T00:00:00Z', finish: '2126-01-01T00:00:00Z' }
const AGO = lifetime(-48, -24)

const EVENTS = [
  makeEvent('event', {
    sets: [makeSet('standing'), makeSet('vip', { price: '300.00', amount: 10 })],
    promocodes: [
      { code: 'Quarter', percentage: '25%' },
      { code: 'VIP100', fix: '100.00', sets: ['vip'], lifetime: PERIOD, tickets_count: { min: 2, max: 4 } },
      { code: 'FROM-2', percentage: '12.5%', tickets_count: { min: 2 }, lifetime: { start: PERIOD.start } },
      { code: 'ВЕСНА', fix: '5.00' },
      { code: 'OVER', fix: '5.00', lifetime: AGO },
      { code: 'SOON', fix: '5.00', lifetime: lifetime(24, 48) },
      { code: 'LIMITED', fix: '5.00', limit: 2 },
      { code: 'USED', fix: '5.00', limit: 2 },
    ],
  }),
  makeEvent('other_event', { org: 'other_org', promocodes: [{ code: 'OTHER', fix: '5.00' }] }),
  makeEvent('promotion_event', {
    promotions: [{ fix: '1.00' }],
    promocodes: [{ code: 'CODE', fix: '5.00' }],
  }),
  makeEvent('after_promotion', {
    promotions: [{ fix: '1.00', lifetime: AGO }],
    promocodes: [{ code: 'CODE', fix: '5.00' }],
  }),
  makeEvent('stand_by_event', { status: 'stand_by', promocodes: [{ code: 'CODE', fix: '5.00' }] }),
  makeEvent('past_event', { lifetime: AGO, promocodes: [{ code: 'CODE', fix: '5.00' }] }),
]

const world = await openOrderWorld({ document: makeCatalog({ events: EVENTS }) })
const [event, standing, vip] = ['event', 'standing', 'vip'].map((ref) => world.id(ref))
for (const code of ['USED', 'USED', 'LIMITED']) {
  const random = { [standing!]: 1 }
  const { status } = await world
    .client('vendor')
    .createOrder({ event: event!, random, promocodes: [code], status: 'done' })
  expect(status).toBe(200)
}

const check = (body: unknown, key = 'vendor') =>
  world.client(key).send('POST', '/v2/services/promocodes/check', { body })

const set = (id: string, name: string, price: string) => ({ id, name, price })
const both = {
  [standing!]: set(standing!, 'Set standing', '150.00'),
  [vip!]: set(vip!, 'Set vip', '300.00'),
}

describe('usable', () => {
  test('a percentage for all sets, in any case', async () => {
    const { status, body } = await check({ event, code: 'qUARTER' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: { discount: { percentage: '25%' }, sets: [standing, vip], tickets_count: {} },
        refs: { sets: both },
      },
    })
  })

  test('a fixed one for a set, with period and count of tickets', async () => {
    const { status, body } = await check({ event, code: 'VIP100' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: {
          discount: { fix: '100.00' },
          lifetime: { start: '2026-01-01 00:00:00', finish: '2126-01-01 00:00:00' },
          sets: [vip],
          tickets_count: { min: 2, max: 4 },
        },
        refs: { sets: { [vip!]: both[vip!] } },
      },
    })
  })

  test('an open period shows the end it has', async () => {
    expect((await check({ event, code: 'from-2' })).body).toMatchObject({
      data: {
        discount: { percentage: '12.5%' },
        lifetime: { start: '2026-01-01 00:00:00' },
        tickets_count: { min: 2 },
      },
    })
  })

  test.each([
    ['one in Cyrillic, in another case', 'event', 'весна', 'vendor'],
    ['one with a use left', 'event', 'LIMITED', 'vendor'],
    ['when the promotion is over', 'after_promotion', 'CODE', 'vendor'],
    ['for the organizer itself', 'event', 'Quarter', 'org'],
    ['for a key of the event', 'event', 'Quarter', 'one_event'],
    ['for a vendor without money', 'event', 'Quarter', 'poor'],
  ])('%s', async (_, ref, code, key) => {
    const { status } = await check({ event: world.id(ref), code }, key)
    expect(status).toBe(200)
  })
})

test.each([
  ['unknown', 'event', 'NOTHING', 'vendor'],
  ['of another event', 'event', 'OTHER', 'vendor'],
  ['over', 'event', 'OVER', 'vendor'],
  ['not yet begun', 'event', 'SOON', 'vendor'],
  ['used up', 'event', 'USED', 'vendor'],
  ['beside a promotion', 'promotion_event', 'CODE', 'vendor'],
  ['of an event that is not on sale', 'stand_by_event', 'CODE', 'vendor'],
  ['of an event that is over', 'past_event', 'CODE', 'vendor'],
  ['for a partner without a deal', 'event', 'Quarter', 'stranger'],
  ['for another organizer', 'event', 'Quarter', 'other_org'],
  ['for a key of another event', 'other_event', 'OTHER', 'one_event'],
  ['of no event', undefined, 'Quarter', 'vendor'],
])('not usable: %s', async (_, ref, code, key) => {
  const id = ref === undefined ? '6920a1f00007c3a5e1000001' : world.id(ref)
  const { status, body } = await check({ event: id, code }, key)
  const text = 'Promocode not found'
  expect({ status, body }).toEqual({
    status: 400,
    body: { error: 'HTTPBadRequest', reason: text, errors: [text] },
  })
})

test.each<[unknown, string[]]>([
  [{}, ['event is required', 'code is required']],
  [{ event: 'x', code: 'Quarter' }, ['event must be an objectid']],
  [{ event: null, code: 'Quarter' }, ['event must be an objectid']],
  [{ event, code: 5 }, ['code must be a string of 1 to 64 characters']],
  [{ event, code: '' }, ['code must be a string of 1 to 64 characters']],
  [{ event, code: 'x'.repeat(65) }, ['code must be a string of 1 to 64 characters']],
  [{ event, code: ['Quarter'] }, ['code must be a string of 1 to 64 characters']],
  [{ event, code: 'a\0b' }, ['code must not contain NUL']],
  [undefined, ['the body is empty']],
  ['', ['the body is empty']],
  [[], ['the body must be a JSON object']],
])('bad input: %j', async (body, errors) => {
  const { status, body: answer } = await check(body)
  expect({ status, body: answer }).toEqual({ status: 400, body: { errors } })
})

test('a key that may not touch orders is refused', async () => {
  expect((await check({ event, code: 'Quarter' }, 'no_orders')).status).toBe(403)
})
