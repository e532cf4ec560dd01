import { expect, test } from 'vitest'
import { BACK_OFF, waitAfter } from './back-off.ts'

const HOUR_MS = 3_600_000

test.each([
  [1, 5000],
  [2, 15_000],
  [3, 45_000],
  [7, 3_645_000],
  [8, 10_935_000],
  [9, 6 * HOUR_MS],
  [11, 6 * HOUR_MS],
])('after attempt %i it waits %i ms, up to a tenth less or more', (attempt, wait_ms) => {
  expect(waitAfter(attempt, 0.5, BACK_OFF)).toBe(wait_ms)
  expect(waitAfter(attempt, 0, BACK_OFF)).toBe(Math.round(0.9 * wait_ms))
  expect(waitAfter(attempt, 1, BACK_OFF)).toBe(Math.round(1.1 * wait_ms))
})

test('the twelfth attempt is the last, about a day after the first', () => {
  expect(waitAfter(12, 0.5, BACK_OFF)).toBeUndefined()
  const total = (random: number) =>
    Array.from({ length: 11 }, (_, index) => waitAfter(index + 1, random, BACK_OFF)!).reduce(
      (sum, wait_ms) => sum + wait_ms,
    )
  expect(total(0) / HOUR_MS).toBeGreaterThan(20)
  expect(total(1) / HOUR_MS).toBeLessThan(25)
})
