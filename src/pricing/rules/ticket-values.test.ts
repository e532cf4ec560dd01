import { expect, test } from 'vitest'
import { ticketValues } from './ticket-values.ts'

test.each([
  // price, discount, extra_share; discount, nominal, extra
  { terms: [15_000, 0, 40_000], values: [0, 15_000, 600] },
  { terms: [15_000, 0, 0], values: [0, 15_000, 0] },
  { terms: [15_000, 5_000, 40_000], values: [5_000, 10_000, 400] },
  { terms: [15_000, 15_000, 40_000], values: [15_000, 0, 0] },
  { terms: [15_000, 15_001, 40_000], values: [15_000, 0, 0] },
  { terms: [0, 100, 40_000], values: [0, 0, 0] },
  { terms: [12_345, 0, 1_000_000], values: [0, 12_345, 12_345] },
  // Half to even: 2.5 and 7.5 minor units, then a little more and a little less than a half.
  { terms: [50, 0, 50_000], values: [0, 50, 2] },
  { terms: [150, 0, 50_000], values: [0, 150, 8] },
  { terms: [50, 0, 50_001], values: [0, 50, 3] },
  { terms: [50, 0, 49_999], values: [0, 50, 2] },
])('%j', ({ terms, values }) => {
  const [price = 0, discount = 0, extra_share = 0] = terms
  const [discount_taken, nominal, extra] = values
  expect(ticketValues({ price, discount, extra_share })).toEqual({
    price,
    discount: discount_taken,
    nominal,
    extra,
  })
})
