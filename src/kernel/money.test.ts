import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WHOLE, formatMoney, formatPercent, parseMoney, parsePercent, shareOf } from './money.ts'

const MAX_MONEY = 999_999_999_999_999
const amounts = fc.integer({ min: 0, max: MAX_MONEY })
const shares = fc.integer({ min: 0, max: WHOLE })

describe('money', () => {
  test.each([
    ['0.00', 0],
    ['0.01', 1],
    ['0.10', 10],
    ['1.00', 100],
    ['150.00', 15_000],
    ['1234567.89', 123_456_789],
    ['9999999999999.99', MAX_MONEY],
  ])('%s is %i', (text, minor) => {
    expect(parseMoney(text)).toBe(minor)
    expect(formatMoney(minor)).toBe(text)
  })

  test.each([
    ['-0.01', -1],
    ['-0.05', -5],
    ['-1.00', -100],
    ['-150.10', -15_010],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
  ])('%s is written for %i', (text, minor) => {
    expect(formatMoney(minor)).toBe(text)
  })

  test.each([
    '',
    '.50',
    '1',
    '1.',
    '1.5',
    '1.500',
    '01.00',
    '00.00',
    '1,50',
    '1 000.00',
    '1_000.00',
    '-1.00',
    '+1.00',
    '1.00 ',
    ' 1.00',
    '1.00\n',
    '1e3.00',
    'NaN',
    '10000000000000.00',
    '１.00',
  ])('%j is not money', (text) => {
    expect(parseMoney(text)).toBeUndefined()
  })

  test('comes back', () => {
    fc.assert(fc.property(amounts, (minor) => parseMoney(formatMoney(minor)) === minor))
  })
})

describe('percentages', () => {
  test.each([
    ['0%', 0],
    ['0.0001%', 1],
    ['0.1%', 1000],
    ['2.5%', 25_000],
    ['12.3456%', 123_456],
    ['33.3333%', 333_333],
    ['95%', 950_000],
    ['99.9999%', 999_999],
    ['100%', WHOLE],
  ])('%s is %i', (text, share) => {
    expect(parsePercent(text)).toBe(share)
    expect(formatPercent(share)).toBe(text)
  })

  test.each([
    ['5.0%', 50_000],
    ['5.00%', 50_000],
    ['12.5000%', 125_000],
    ['100.0000%', WHOLE],
  ])('%s is read as %i', (text, share) => {
    expect(parsePercent(text)).toBe(share)
  })

  test.each([
    '',
    '%',
    '5',
    '.5%',
    '5.%',
    '05%',
    '-5%',
    '+5%',
    '5 %',
    ' 5%',
    '5%\n',
    '5,5%',
    '1e1%',
    '0.00001%',
    '100.0001%',
    '101%',
    '1000%',
  ])('%j is no percentage', (text) => {
    expect(parsePercent(text)).toBeUndefined()
  })

  test('come back', () => {
    fc.assert(fc.property(shares, (share) => parsePercent(formatPercent(share)) === share))
  })
})

describe('a share of an amount', () => {
  test.each([
    { amount: 15_000, share: '4%', part: 600 },
    { amount: 15_000, share: '0%', part: 0 },
    { amount: 15_000, share: '100%', part: 15_000 },
    { amount: 0, share: '50%', part: 0 },
    { amount: 1, share: '0.0001%', part: 0 },
    // Halves go to the even neighbour, what is past them to the nearest.
    { amount: 1, share: '50%', part: 0 },
    { amount: 3, share: '50%', part: 2 },
    { amount: 5, share: '50%', part: 2 },
    { amount: 7, share: '50%', part: 4 },
    { amount: 25, share: '2%', part: 0 },
    { amount: 75, share: '2%', part: 2 },
    { amount: 125, share: '2%', part: 2 },
    { amount: 5, share: '50.0001%', part: 3 },
    { amount: 5, share: '49.9999%', part: 2 },
    { amount: 10_000, share: '33.3333%', part: 3333 },
    { amount: 999_999, share: '0.0001%', part: 1 },
    { amount: 500_000, share: '0.0001%', part: 0 },
    { amount: 1_500_000, share: '0.0001%', part: 2 },
    // Products that no number holds exactly.
    { amount: MAX_MONEY, share: '100%', part: MAX_MONEY },
    { amount: MAX_MONEY, share: '50%', part: 500_000_000_000_000 },
    { amount: MAX_MONEY - 2, share: '50%', part: 499_999_999_999_998 },
    { amount: MAX_MONEY, share: '33.3333%', part: 333_333_000_000_000 },
    { amount: Number.MAX_SAFE_INTEGER, share: '50%', part: 4_503_599_627_370_496 },
  ])('$share of $amount is $part', ({ amount, share, part }) => {
    expect(shareOf(amount, parsePercent(share) as number)).toBe(part)
  })

  /** The definition, with no thought for speed. */
  function exactShare(amount: number, share: number): number {
    const product = BigInt(amount) * BigInt(share)
    const whole = BigInt(WHOLE)
    const floor = product / whole
    const rest = product - floor * whole
    const up = rest * 2n > whole || (rest * 2n === whole && floor % 2n === 1n)
    return Number(up ? floor + 1n : floor)
  }

  test('is exact for every amount, on both sides of what a number holds', () => {
    const border = Math.floor(Number.MAX_SAFE_INTEGER / WHOLE)
    const near = fc.integer({ min: border - 1000, max: border + 1000 })
    fc.assert(
      fc.property(fc.oneof(amounts, near, fc.nat(100_000)), shares, (amount, share) => {
        expect(shareOf(amount, share)).toBe(exactShare(amount, share))
      }),
      { numRuns: 2000 },
    )
  })

  test('halves are even, on both sides of what a number holds', () => {
    fc.assert(
      fc.property(fc.nat(Math.floor(MAX_MONEY / 2)), (half) => {
        const part = shareOf(2 * half + 1, WHOLE / 2)
        expect(part % 2).toBe(0)
        expect([half, half + 1]).toContain(part)
      }),
      { numRuns: 1000 },
    )
  })

  test('grows with the amount and stays within it', () => {
    fc.assert(
      fc.property(amounts, amounts, shares, (one, other, share) => {
        const [less, more] = one < other ? [one, other] : [other, one]
        expect(shareOf(less, share)).toBeLessThanOrEqual(shareOf(more, share))
        expect(shareOf(more, share)).toBeLessThanOrEqual(more)
      }),
    )
  })
})
