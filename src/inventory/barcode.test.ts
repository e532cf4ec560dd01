import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BARCODE_RANDOM_BELOW, formatBarcode } from './barcode.ts'

test.each([
  [0, 0, '10000000000000000'],
  [0, 42, '10000000000000042'],
  [7, 123_456_789_012, '10007123456789012'],
  [32_767, BARCODE_RANDOM_BELOW - 1, '42767999999999999'],
  [-32_768, 0, '42768000000000000'],
  [-1, 1, '75535000000000001'],
])('shard %i, random %i: %s', (shard, random, barcode) => {
  expect(formatBarcode(shard, random)).toBe(barcode)
})

test('17 digits, of which the shard and the random part can be told', () => {
  const shards = fc.integer({ min: -32_768, max: 32_767 })
  const randoms = fc.maxSafeNat().map((value) => value % BARCODE_RANDOM_BELOW)
  fc.assert(
    fc.property(shards, randoms, (shard, random) => {
      const barcode = formatBarcode(shard, random)
      expect(barcode).toMatch(/^[1-9]\d{16}$/)
      expect(((Number(barcode.slice(0, 5)) - 10_000) << 16) >> 16).toBe(shard)
      expect(Number(barcode.slice(5))).toBe(random)
    }),
  )
})
