import { expect, test } from 'vitest'
import { createMatcher } from './match-pattern.ts'

test.each([
  ['^\\d{3}$', '123', true],
  ['^\\d{3}$', '12', false],
  ['b', 'abc', true],
  ['^\\p{Lu}', 'Яна', true],
])('%s, %s: %s', (pattern, text, matched) => {
  expect(createMatcher()(pattern, text)).toBe(matched)
})

test('a pattern that does not end is broken off, and the request has no more time for others', () => {
  const matches = createMatcher()
  const started_at = performance.now()
  expect(matches('^(a+)+$', `${'a'.repeat(60)}!`)).toBe(false)
  expect(matches('^(a|aa)+$', `${'a'.repeat(90)}!`)).toBe(false)
  expect(matches('b', 'b')).toBe(false)
  expect(performance.now() - started_at).toBeLessThan(1000)
  expect(createMatcher()('b', 'b')).toBe(true)
})
