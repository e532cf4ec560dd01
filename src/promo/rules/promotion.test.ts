import { describe, expect, test } from 'vitest'
import { offerOf, promotionsInForce } from './promotion.ts'
import type { Ladder, Promotion } from './promotion.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

const promotion = (fields: Partial<Promotion>): Promotion => ({
  id: 'p',
  lifetime: { start: null, finish: null },
  sets: [],
  discount: { percentage: 100_000 },
  ...fields,
})

test.each<[Promotion['lifetime'], boolean]>([
  [{ start: null, finish: null }, true],
  [{ start: NOW, finish: null }, true],
  [{ start: NOW + 1, finish: null }, false],
  [{ start: null, finish: NOW + 1 }, true],
  [{ start: null, finish: NOW }, false],
  [{ start: NOW - 2, finish: NOW - 1 }, false],
])('%j holds now: %s', (lifetime, holds) => {
  expect(promotionsInForce([promotion({ lifetime })], NOW)).toHaveLength(holds ? 1 : 0)
})

test.each([{ percentage: 50_000 }, { fix: 300 }])('%j is offered whatever is bought', (discount) => {
  const offer = { promocode: null, sets: ['a'], discount }
  expect(offerOf(promotion({ sets: ['a'], discount }), [])).toEqual(offer)
})

describe('a ladder', () => {
  const tickets = (...prices: number[]) => prices.map((price) => ({ set: 'a', price }))
  const count: Ladder = {
    by: 'count',
    kind: 'percentage',
    steps: [
      { from: 4, value: 100_000 },
      { from: 8, value: 150_000 },
    ],
  }
  const sum: Ladder = { ...count, by: 'sum', kind: 'fix', steps: [{ from: 10_000, value: 500 }] }
  test.each<[string, Ladder, { set: string; price: number }[], Promotion['discount'] | undefined]>([
    ['no ticket', count, [], undefined],
    ['below the first step', count, tickets(1, 1, 1), undefined],
    ['at the first step', count, tickets(1, 1, 1, 1), { percentage: 100_000 }],
    ['before the second', count, tickets(1, 1, 1, 1, 1, 1, 1), { percentage: 100_000 }],
    ['beyond the last', count, tickets(...Array.from({ length: 20 }, () => 1)), { percentage: 150_000 }],
    ['a sum below', sum, tickets(5000, 4999), undefined],
    ['a sum reached', sum, tickets(5000, 5000), { fix: 500 }],
    ['from nothing on', { ...sum, steps: [{ from: 0, value: 5 }] }, [], { fix: 5 }],
    ['tickets it does not cover do not count', sum, [...tickets(5000), { set: 'b', price: 9000 }], undefined],
  ])('%s', (_, levels, bought, discount) => {
    const offer = offerOf(promotion({ sets: ['a'], discount: { levels } }), bought)
    expect(offer).toEqual(discount && { promocode: null, sets: ['a'], discount })
  })

  test('for all sets counts all tickets', () => {
    const bought = [...tickets(5000), { set: 'b', price: 5000 }]
    expect(offerOf(promotion({ discount: { levels: sum } }), bought)?.discount).toEqual({ fix: 500 })
  })
})
