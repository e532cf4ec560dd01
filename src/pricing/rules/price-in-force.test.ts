import { expect, test } from 'vitest'
import { priceInForce, ruleInForce } from './price-in-force.ts'

const rule = (id: string, start: number, finish: number, price: number) => ({
  id,
  lifetime: { start, finish },
  price,
})

const early = rule('a', 100, 200, 10)
const late = rule('b', 200, 300, 20)
const season = rule('c', 0, 1000, 30)
const twin = rule('d', 200, 250, 40)

test.each([
  ['no rules', [], 150, undefined],
  ['before the period', [early], 99, undefined],
  ['at the start', [early], 100, early],
  ['in the last millisecond', [early], 199, early],
  ['at the finish', [early], 200, undefined],
  ['at the finish of one and the start of the next', [early, late], 200, late],
  ['a short one inside a long one', [early, season], 150, early],
  ['the same in another order', [season, early], 150, early],
  ['after the short one, the long one again', [early, season], 500, season],
  ['two that began together: the newer', [twin, late], 220, twin],
  ['two that began together, in another order', [late, twin], 220, twin],
])('%s', (_name, rules, now, expected) => {
  const set = { price: 99, rules }
  expect(ruleInForce(set, now)).toBe(expected)
  expect(priceInForce(set, now)).toBe(expected?.price ?? 99)
})

test('a rule may make a set free', () => {
  expect(priceInForce({ price: 99, rules: [rule('a', 0, 10, 0)] }, 5)).toBe(0)
})
