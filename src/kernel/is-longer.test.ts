import { expect, test } from 'vitest'
import { isLonger } from './is-longer.ts'

test.each([
  ['', 0, false],
  ['abc', 3, false],
  ['abcd', 3, true],
  ['яяя', 3, false],
  ['😀😀😀', 3, false],
  ['a😀😀😀', 3, true],
  ['😀😀😀😀', 3, true],
])('%s, at most %i: %s', (text, max, expected) => {
  expect(isLonger(text, max)).toBe(expected)
})
