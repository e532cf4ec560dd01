import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { EVENT, ORDER, RESULT, SETS, VENDOR } from '../../../tests/support/order-sample.ts'
import type { EventEntry } from '../../events/event-entry.ts'
import type { OrderResult } from '../../orders/commands.ts'
import { ORDER_EXAMPLE } from './order-examples.ts'
import { ORDER_ANSWER } from './order-schemas.ts'
import { presentOrder } from './present-order.ts'

type Shown = typeof ORDER_EXAMPLE

function shown(result: Partial<OrderResult>, vendor = VENDOR): Shown {
  const answer: Shown = JSON.parse(presentOrder({ ...RESULT, ...result }, vendor).toString())
  expect(Check(ORDER_ANSWER, answer)).toBe(true)
  return answer
}

test('a completed mixed order is the documented example, byte by byte', () => {
  expect(presentOrder(RESULT, VENDOR).toString()).toBe(JSON.stringify(ORDER_EXAMPLE))
})

test('before completion there is no done_at, no code, no barcode', () => {
  const tickets = ORDER.tickets.map((ticket) => ({ ...ticket, barcode: null }))
  const { data } = shown({ order: { ...ORDER, status: 'executed', done_at: null, code: null, tickets } })
  expect(data).not.toHaveProperty('done_at')
  expect(data).not.toHaveProperty('code')
  expect(data.tickets.map(({ status, barcode }) => ({ status, barcode }))).toEqual([
    { status: 'reserved', barcode: null },
    { status: 'reserved', barcode: null },
  ])
})

describe('an unpaid order whose lifetime is over', () => {
  const order = { ...ORDER, status: 'executed', done_at: null, code: null } as const

  test('is as it was a millisecond before', () => {
    expect(shown({ order, now: ORDER.expired_after - 1 }).data.status).toBe('executed')
  })

  test('is expired, empty and worth nothing from then on', () => {
    const { data, refs } = shown({ order, now: ORDER.expired_after })
    expect(data).toMatchObject({ status: 'expired', tickets: [] })
    expect(data.values).toMatchObject({
      price: '0.00',
      nominal: '0.00',
      discount: '0.00',
      extra: '0.00',
      full: '0.00',
    })
    expect(refs.sets).toEqual({})
  })

  test.each(['in_progress', 'done', 'cancelled', 'expired'] as const)(
    'does not touch one that is %s',
    (status) => {
      expect(shown({ order: { ...order, status }, now: ORDER.expired_after }).data.status).toBe(status)
    },
  )
})

test('full is nominal and extra, also with a discount', () => {
  const [ticket] = ORDER.tickets
  const discounted = { ...ticket!, discount: 50_001, nominal: 99_999, extra: 9_999 }
  const order = {
    ...ORDER,
    tickets: [discounted],
    discount: 50_001,
    nominal: 99_999,
    extra: 9_999,
    price: 150_000,
  }
  const values = { price: '1500.00', nominal: '999.99', discount: '500.01', extra: '99.99', full: '1099.98' }
  const { data } = shown({ order })
  expect(data.values).toMatchObject(values)
  expect(data.tickets).toMatchObject([values])
})

test('the organizer that sells its own event is one partner', () => {
  const order = { ...ORDER, vendor: ORDER.org }
  expect(Object.keys(shown({ order }, EVENT.org).refs.partners)).toEqual([ORDER.org])
})

test('sets_values has every set of the event, refs.sets those of the tickets', () => {
  const order = { ...ORDER, tickets: ORDER.tickets.slice(1) }
  const { data, refs } = shown({ order })
  expect(Object.keys(data.values.sets_values)).toEqual(SETS.map(({ id }) => id))
  expect(Object.keys(refs.sets)).toEqual([SETS[1]!.id])
})

test('the price of a set is that of the rule in force, though the answer before had another', () => {
  const rules = [
    { id: '6920a1f00007c3a5e100000c', lifetime: { start: 1000, finish: 2000 }, price: 100 },
    { id: '6920a1f00007c3a5e100000d', lifetime: { start: 2000, finish: 3000 }, price: 200 },
  ]
  const set = { ...SETS[0]!, rules }
  const event: EventEntry = { ...EVENT, sets: [set] }
  const order = { ...ORDER, tickets: ORDER.tickets.slice(0, 1) }
  const prices = [999, 1000, 1999, 2000, 2999, 3000, 5000, 1500, 0].map((now) => {
    const { data, refs } = shown({ event, order, now })
    const [values] = Object.values(data.values.sets_values)
    const [ref] = Object.values(refs.sets)
    expect(values).toMatchObject({ id: set.id, price: ref!.price, nominal: ref!.price })
    return ref!.price
  })
  expect(prices).toEqual(['1500.00', '1.00', '1.00', '2.00', '2.00', '1500.00', '1500.00', '1.00', '1500.00'])
})

test('names of any writing come out whole', () => {
  const name = 'Театр "Ложа" \\ 東京 🎭\u2028'
  const [ticket] = ORDER.tickets
  const seat = { row: 'Б', number: '"1"\n', sector: '6920a1f00000c3a5e1000004' }
  const { data, refs } = shown(
    {
      event: {
        ...EVENT,
        org: { ...EVENT.org, name },
        sets: [{ ...SETS[0]!, name }],
        title: { text: name, desc: name },
      },
      order: { ...ORDER, tickets: [{ ...ticket!, seat }] },
    },
    { id: VENDOR.id, name },
  )
  expect(data.tickets[0]!.seat).toEqual(seat)
  expect(Object.values(data.values.sets_values).map((values) => values.name)).toEqual([name])
  expect(Object.values(refs.partners).map((partner) => partner.name)).toEqual([name, name])
  expect(Object.values(refs.events)[0]!.title).toEqual({ text: name, desc: name })
})
