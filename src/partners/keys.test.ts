import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isWellFormedKey, makeKey } from './keys.ts'

test('a made key has the prefix, fits its checksum and is told apart by its hint', () => {
  const { key, hash, hint } = makeKey()
  expect(key).toMatch(/^ptk_[0-9A-Za-z]{38}$/)
  expect(isWellFormedKey(key)).toBe(true)
  expect(hash).toEqual(createHash('sha256').update(key).digest())
  expect(key.startsWith(hint)).toBe(true)
  expect(hint).toHaveLength(10)
  expect(makeKey().key).not.toBe(key)
})

test('the checksum is the CRC-32 of what stands before it, in base 62', () => {
  // zlib.crc32(b'ptk_' + b'0' * 32) of Python is 259752820, in base 62: 0 17 35 61 35 38.
  expect(isWellFormedKey(`ptk_${'0'.repeat(32)}0HZtZc`)).toBe(true)
})

const { key } = makeKey()
const other_last = key.endsWith('0') ? '1' : '0'
test.each([
  ['another last character', key.slice(0, -1) + other_last],
  ['another checksum', `ptk_${'01'.repeat(16)}${'0'.repeat(6)}`],
  ['another prefix', key.replace('ptk_', 'ptx_')],
  ['too short', key.slice(0, -1)],
  ['too long', `${key}0`],
  ['a line break at the end', `${key}\n`],
  ['no key at all', ''],
])('%s is not well formed', (_name, text) => {
  expect(isWellFormedKey(text)).toBe(false)
})
