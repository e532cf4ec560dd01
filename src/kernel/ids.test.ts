import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createdAt, isObjectId, newId, shardOf } from './ids.ts'

const AT = Date.UTC(2026, 10, 20, 21, 30)

test('12 bytes: seconds, shard, process, counter', () => {
  const id = newId(0x0a0b, AT)
  expect(id).toMatch(/^[0-9a-f]{24}$/)
  expect(Number.parseInt(id.slice(0, 8), 16)).toBe(AT / 1000)
  expect(id.slice(8, 12)).toBe('0a0b')
  const next = newId(0x0a0b, AT)
  expect(next.slice(12, 18)).toBe(id.slice(12, 18))
  const counterOf = (text: string) => Number.parseInt(text.slice(18), 16)
  expect(counterOf(next)).toBe((counterOf(id) + 1) % 2 ** 24)
})

test('every shard of a smallint comes back', () => {
  for (let shard = -32_768; shard <= 32_767; shard++) {
    const id = newId(shard, AT)
    if (shardOf(id) !== shard || !isObjectId(id)) expect.fail(`shard ${shard} in ${id}`)
  }
})

test('the time comes back to the second', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 32 * 1000 - 1 }),
      fc.integer({ min: -32_768, max: 32_767 }),
      (at, shard) => {
        const id = newId(shard, at)
        expect(isObjectId(id)).toBe(true)
        expect(createdAt(id)).toBe(Math.floor(at / 1000) * 1000)
        expect(shardOf(id)).toBe(shard)
      },
    ),
  )
})

test('100,000 ids of one second and one shard are distinct', () => {
  expect(new Set(Array.from({ length: 100_000 }, () => newId(1, AT))).size).toBe(100_000)
})

test.each([
  ['000000000000000000000000', true],
  ['ffffffffffffffffffffffff', true],
  ['5f00000000070000000000ab', true],
  ['5F00000000070000000000AB', false],
  ['5f00000000070000000000a', false],
  ['5f00000000070000000000abc', false],
  ['5f00000000070000000000ag', false],
  ['5f00000000070000000000ab\n', false],
  [' 5f00000000070000000000ab', false],
  ['', false],
  [undefined, false],
  [null, false],
  [5, false],
  [['5f00000000070000000000ab'], false],
  [{ toString: () => '5f00000000070000000000ab' }, false],
])('%j is an id: %s', (value, is_one) => {
  expect(isObjectId(value)).toBe(is_one)
})
