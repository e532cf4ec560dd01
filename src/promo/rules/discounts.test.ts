import { describe, expect, test } from 'vitest'
import { bestOffer, discountOf } from './discounts.ts'
import type { Discount, Offer } from './discounts.ts'

test.each<[number, Discount, number]>([
  [15_000, { percentage: 100_000 }, 1500],
  [15_000, { percentage: 0 }, 0],
  [15_000, { percentage: 1_000_000 }, 15_000],
  [15_000, { fix: 500 }, 500],
  [15_000, { fix: 15_001 }, 15_000],
  [15_000, { fix: 0 }, 0],
  [0, { fix: 500 }, 0],
  [0, { percentage: 500_000 }, 0],
  // Half to even: 2.5 and 7.5 minor units, then a little more and a little less than a half.
  [50, { percentage: 50_000 }, 2],
  [150, { percentage: 50_000 }, 8],
  [50, { percentage: 50_001 }, 3],
  [50, { percentage: 49_999 }, 2],
])('off %i by %j: %i', (price, discount, taken) => {
  expect(discountOf(price, discount)).toBe(taken)
})

describe('the best offer for a set', () => {
  const offer = (promocode: string, discount: Discount, sets: string[] = []): Offer => ({
    promocode,
    sets,
    discount,
  })
  const tenth = offer('tenth', { percentage: 100_000 })
  const ten = offer('ten', { fix: 1000 })
  const other_set = offer('other', { percentage: 900_000 }, ['other'])
  test.each<[string, Offer[], number[], string | undefined]>([
    ['the percentage of a dear ticket', [ten, tenth], [15_000], 'tenth'],
    ['the fixed one of a cheap ticket', [tenth, ten], [5000], 'ten'],
    ['of equals the first', [tenth, ten], [10_000], 'tenth'],
    ['of equals the first, the other way round', [ten, tenth], [10_000], 'ten'],
    ['by all tickets of the set together', [tenth, ten], [15_000, 4000], 'ten'],
    ['not one of another set', [other_set, ten], [15_000], 'ten'],
    ['none', [other_set], [15_000], undefined],
    ['one that takes nothing off is one', [offer('nothing', { fix: 0 })], [15_000], 'nothing'],
    [
      'what is above the price does not count',
      [offer('a', { fix: 9000 }), offer('b', { fix: 9999 })],
      [5000],
      'a',
    ],
  ])('%s', (_, offers, prices, best) => {
    expect(bestOffer(offers, 'set', prices)?.promocode).toBe(best)
  })
})
