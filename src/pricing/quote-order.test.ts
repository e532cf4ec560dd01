import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../kernel/money.ts'
import type { OfferTerms } from '../promo/offers.ts'
import { quoteOrder, quoteSets } from './quote-order.ts'

type Promocode = OfferTerms['promocodes'][number]
type Promotion = OfferTerms['promotions'][number]

const PLAIN: OfferTerms = { invitation: false, promotions: [], promocodes: [] }

const ALWAYS = { id: 'p', lifetime: { start: null, finish: null } }
const tenth: Promocode = { id: 'tenth', sets: [], discount: { percentage: 100_000 } }
const ten_off_a: Promocode = { id: 'ten_off_a', sets: ['a'], discount: { fix: 1000 } }
const ladder: Promotion = {
  ...ALWAYS,
  sets: ['a'],
  discount: { levels: { by: 'count', kind: 'percentage', steps: [{ from: 2, value: 200_000 }] } },
}
const flat: Promotion = { ...ALWAYS, sets: [], discount: { fix: 700 } }

const a = { set: 'a', price: 5000 }
const b = { set: 'b', price: 30_000 }

describe('orders', () => {
  test.each<[string, (typeof a)[], Partial<OfferTerms>, number[], string[]]>([
    ['plain', [a, b], {}, [0, 0], []],
    [
      'an invitation',
      [a, b],
      { invitation: true, promotions: [flat], promocodes: [tenth] },
      [5000, 30_000],
      [],
    ],
    ['a promotion', [a, b], { promotions: [flat] }, [700, 700], []],
    ['a ladder not reached', [a, b], { promotions: [ladder] }, [0, 0], []],
    ['a ladder reached, on its set', [a, b, a], { promotions: [ladder] }, [1000, 0, 1000], []],
    ['the better promotion of a set', [a, b, a], { promotions: [flat, ladder] }, [1000, 700, 1000], []],
    ['a promocode', [a, b], { promocodes: [tenth] }, [500, 3000], ['tenth']],
    [
      'the best of each set',
      [a, b],
      { promocodes: [tenth, ten_off_a] },
      [1000, 3000],
      ['tenth', 'ten_off_a'],
    ],
    ['one that applies to nothing', [a], { promocodes: [tenth, ten_off_a] }, [1000], ['ten_off_a']],
    ['one that takes nothing off', [a], { promocodes: [{ ...tenth, discount: { fix: 0 } }] }, [0], []],
    ['no tickets', [], { promocodes: [tenth] }, [], []],
  ])('%s', (...[, tickets, terms, discounts, promocodes]) => {
    const quote = quoteOrder(tickets, { ...PLAIN, ...terms, extra_share: 40_000 })
    expect(quote.values.map((values) => values.discount)).toEqual(discounts)
    expect(quote.promocodes).toEqual(promocodes)
  })
})

test.each<[string, (typeof a)[], Partial<OfferTerms>, [number, number, string | null][]]>([
  [
    'plain',
    [a],
    {},
    [
      [6000, 0, null],
      [30_000, 0, null],
    ],
  ],
  [
    'an invitation',
    [a],
    { invitation: true },
    [
      [6000, 6000, null],
      [30_000, 30_000, null],
    ],
  ],
  [
    'a promotion',
    [],
    { promotions: [flat] },
    [
      [6000, 700, null],
      [30_000, 700, null],
    ],
  ],
  [
    'the step that the order has reached',
    [a, a],
    { promotions: [ladder] },
    [
      [6000, 1200, null],
      [30_000, 0, null],
    ],
  ],
  [
    'promocodes',
    [],
    { promocodes: [tenth, ten_off_a] },
    [
      [6000, 1000, 'ten_off_a'],
      [30_000, 3000, 'tenth'],
    ],
  ],
])('sets at the prices of today: %s', (_, tickets, terms, sets) => {
  const today = [
    { id: 'a', price: 6000 },
    { id: 'b', price: 30_000 },
  ]
  const quotes = quoteSets(today, tickets, { ...PLAIN, ...terms })
  expect([...quotes.values()]).toEqual(
    sets.map(([price, discount, promocode]) => ({ price, nominal: price - discount, discount, promocode })),
  )
})

test('the promocode of a set is the one its tickets in the order have, though another is better today', () => {
  const promocodes = [tenth, { ...ten_off_a, discount: { fix: 550 } }]
  expect(quoteOrder([a], { ...PLAIN, promocodes, extra_share: 0 }).promocodes).toEqual(['ten_off_a'])
  expect(quoteSets([{ id: 'a', price: 6000 }], [a], { ...PLAIN, promocodes }).get('a')).toMatchObject({
    promocode: 'ten_off_a',
    discount: 550,
  })
})

describe('whatever is bought on whatever terms', () => {
  const share = fc.integer({ min: 0, max: 1_000_000 })
  const money = fc.integer({ min: 0, max: 10_000_000_000 })
  const set = fc.constantFrom('a', 'b', 'c')
  const sets = fc.subarray(['a', 'b', 'c'])
  const discount = fc.oneof(
    share.map((percentage) => ({ percentage })),
    money.map((fix) => ({ fix })),
  )
  const levels = fc.record({
    by: fc.constantFrom('sum' as const, 'count' as const),
    kind: fc.constantFrom('percentage' as const, 'fix' as const),
    steps: fc
      .array(fc.record({ from: fc.nat(20), value: share }), { minLength: 1, maxLength: 4 })
      .map((steps) => steps.toSorted((left, right) => left.from - right.from)),
  })
  const promotion = fc.record({
    id: fc.constant('p'),
    lifetime: fc.constant(ALWAYS.lifetime),
    sets,
    discount: fc.oneof(discount, fc.record({ levels })),
  })
  const promocodes = fc
    .array(fc.record({ sets, discount }), { maxLength: 4 })
    .map((codes) => codes.map((code, index) => ({ ...code, id: String(index) })))
  const terms = fc.record({
    invitation: fc.boolean(),
    promotions: fc.array(promotion, { maxLength: 2 }),
    promocodes,
    extra_share: share,
  })
  const tickets = fc.array(fc.record({ set, price: money }), { maxLength: 50 })

  test('no ticket costs less than nothing, and the fee is that of the nominal, rounded once', () => {
    fc.assert(
      fc.property(tickets, terms, (bought, under) => {
        const { values } = quoteOrder(bought, under)
        expect(values).toHaveLength(bought.length)
        values.forEach(({ price, discount: taken, nominal, extra }, index) => {
          expect(price).toBe(bought[index]!.price)
          expect(taken).toBeGreaterThanOrEqual(0)
          expect(nominal).toBe(price - taken)
          expect(nominal).toBeGreaterThanOrEqual(0)
          expect(extra).toBe(shareOf(nominal, under.extra_share))
          if (under.invitation) expect(nominal).toBe(0)
        })
      }),
    )
  })

  test('what the order takes off a set is what its best promocode alone would', () => {
    fc.assert(
      fc.property(tickets, promocodes, (bought, sent) => {
        const offOf = (codes: typeof sent) => {
          const sums: Record<string, number> = { a: 0, b: 0, c: 0 }
          const { values } = quoteOrder(bought, { ...PLAIN, promocodes: codes, extra_share: 0 })
          values.forEach((value, index) => (sums[bought[index]!.set]! += value.discount))
          return sums
        }
        const alone = sent.map((code) => offOf([code]))
        for (const [id, sum] of Object.entries(offOf(sent)))
          expect(sum).toBe(Math.max(0, ...alone.map((sums) => sums[id]!)))
      }),
    )
  })

  test('percentages are rounded half to even, once for each ticket', () => {
    fc.assert(
      fc.property(tickets, share, (bought, percentage) => {
        const code = { id: 'code', sets: [], discount: { percentage } }
        const { values } = quoteOrder(bought, { ...PLAIN, promocodes: [code], extra_share: 0 })
        values.forEach(({ discount: taken }, index) => {
          const product = BigInt(bought[index]!.price) * BigInt(percentage)
          const twice_off = 2n * (BigInt(taken) * 1_000_000n - product)
          const distance = twice_off < 0n ? -twice_off : twice_off
          expect(distance <= 1_000_000n).toBe(true)
          if (distance === 1_000_000n) expect(taken % 2).toBe(0)
        })
      }),
    )
  })
})
