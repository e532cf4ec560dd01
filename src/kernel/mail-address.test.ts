import { expect, test } from 'vitest'
import { isMailAddress } from './mail-address.ts'

const LABEL = 'a'.repeat(63)

test.each([
  'ann@example.com',
  'Ann.O-Hara+tickets@mail.example.co.uk',
  "o'neill_{1}@xn--e1afmkfd.xn--p1ai",
  'anna@почта.рф',
  '1@2.travel',
  `${'a'.repeat(64)}@example.com`,
  `${'a'.repeat(48)}@${LABEL}.${LABEL}.${LABEL}.example.com`,
])('%s is an address', (text) => {
  expect(isMailAddress(text)).toBe(true)
})

test.each([
  '',
  '@',
  'ann',
  'ann@',
  '@example.com',
  'ann@localhost',
  'ann@@example.com',
  'ann@example.com ',
  ' ann@example.com',
  'ann@example.com\r\nBcc: all@example.com',
  'ann@example.com\n',
  'ann\u0000@example.com',
  'ann@example.com, bob@example.com',
  'ann@example.com;bob@example.com',
  'Ann <ann@example.com>',
  '<ann@example.com>',
  '"ann smith"@example.com',
  'ann(comment)@example.com',
  '.ann@example.com',
  'ann.@example.com',
  'an..n@example.com',
  'анна@example.com',
  'ann@-example.com',
  'ann@example-.com',
  'ann@example..com',
  'ann@example.com.',
  'ann@exam_ple.com',
  'ann@[127.0.0.1]',
  'ann@127.0.0.1',
  'ann@exa%6Dple.com',
  `ann@${LABEL}a.com`,
  `${'a'.repeat(65)}@example.com`,
  `${'a'.repeat(64)}@${LABEL}.${LABEL}.${LABEL}.com`,
  `${'я'.repeat(10_000)}@example.com`,
])('%j is none', (text) => {
  expect(isMailAddress(text)).toBe(false)
})

test('what is no text is no address', () => {
  expect([null, undefined, 1, ['ann@example.com']].map(isMailAddress)).toEqual([false, false, false, false])
})
