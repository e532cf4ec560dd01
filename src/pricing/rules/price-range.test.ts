import { assert, nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { pricesOfTotals } from './price-range.ts'
import { ticketValues } from './ticket-values.ts'

test.each([
  ['no fee', { from: 100, to: 200 }, 0, { from: 100, to: 200 }],
  ['a fee of 4 %', { from: 15_600, to: 15_600 }, 40_000, { from: 15_000, to: 15_000 }],
  ['open above', { from: 15_601 }, 40_000, { from: 15_001, to: undefined }],
  ['open below', { to: 15_599 }, 40_000, { from: undefined, to: 14_999 }],
  ['twice the price', { from: 99, to: 101 }, 1_000_000, { from: 50, to: 50 }],
  ['a total that no price has', { from: 101, to: 101 }, 1_000_000, { from: 51, to: 50 }],
  ['free tickets', { from: 0, to: 0 }, 40_000, { from: 0, to: 0 }],
])('%s', (_name, totals, extra_share, expected) => {
  expect(pricesOfTotals(totals, extra_share)).toEqual(expected)
})

test('a price is in the range exactly when its total is', () => {
  const amount = nat(1_000_000)
  assert(
    property(amount, amount, amount, nat(1_000_000), (price, from, to, extra_share) => {
      const { nominal, extra } = ticketValues({ price, discount: 0, extra_share })
      const total = nominal + extra
      const prices = pricesOfTotals({ from, to }, extra_share)
      expect(price >= (prices.from ?? 0) && price <= (prices.to ?? 0)).toBe(total >= from && total <= to)
    }),
  )
})
