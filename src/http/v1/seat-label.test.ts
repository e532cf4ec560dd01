import { expect, test } from 'vitest'
import { seatLabel } from './seat-label.ts'

test.each([
  ['1', 1],
  ['0', 0],
  ['120', 120],
  ['007', '007'],
  ['-1', '-1'],
  ['1.5', '1.5'],
  ['12A', '12A'],
  ['А', 'А'],
  ['', ''],
  ['9999999999999999', '9999999999999999'],
])('%s', (label, expected) => {
  expect(seatLabel(label)).toBe(expected)
})
