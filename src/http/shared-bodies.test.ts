import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { READS_IN_A_ROW } from '../platform/shared-read.ts'
import { createSharedBodies } from './shared-bodies.ts'

const KILOBYTE = 1024

/** Bodies of `size` bytes; `written` counts them. */
function makeBodies({ bytes_max, size = KILOBYTE }: { bytes_max?: number; size?: number } = {}) {
  const bodies = createSharedBodies(bytes_max === undefined ? {} : { bytes_max })
  let written = 0
  const write = async () => {
    written++
    return Buffer.alloc(size, String(written))
  }
  return {
    bytes: bodies.bytes,
    ask: (question: unknown) => bodies.of(question, write),
    written: () => written,
  }
}

async function askOften(ask: () => Promise<unknown>): Promise<void> {
  for (let asked = 0; asked < 2 * READS_IN_A_ROW; asked++) await ask()
}

test('a body is for those who ask the same', async () => {
  const { ask, written } = makeBodies()
  const questions = [['a', null], ['a', []], ['b', null], ['a', null, {}], ['a', null, { page: 1 }], 'a']
  const first = await Promise.all(questions.map(ask))
  expect([new Set(first).size, written()]).toEqual([questions.length, questions.length])
  const page = ['a', null, { page: 1 }]
  await askOften(() => ask(page))
  expect(await ask(['a', null, { page: 1 }])).toBe(await ask(page))
})

test('it is compressed once, and counted as soon as it is', async () => {
  const { ask, bytes } = makeBodies()
  const body = await ask('a')
  expect(bytes()).toBe(KILOBYTE)
  const compressed = await body.in('gzip')
  expect(await body.in('gzip')).toBe(compressed)
  expect(gunzipSync(compressed)).toEqual(await body.in('identity'))
  expect(bytes()).toBe(KILOBYTE + compressed.length)
})

test('beyond the bytes it may keep, the body unused for longest is dropped', async () => {
  const { ask, bytes, written } = makeBodies({ bytes_max: 3 * KILOBYTE })
  for (const question of ['a', 'b', 'c']) await askOften(() => ask(question))
  const written_before = written()
  // Used again, so that b is the one that goes.
  const kept = await ask('a')
  await ask('d')
  expect([bytes(), written() - written_before]).toEqual([3 * KILOBYTE, 1])
  expect(await ask('a')).toBe(kept)
  expect(written() - written_before).toBe(1)
  await ask('b')
  expect([bytes(), written() - written_before]).toEqual([3 * KILOBYTE, 2])
})

test('a body that is larger than that is answered and not kept', async () => {
  const { ask, bytes } = makeBodies({ bytes_max: KILOBYTE, size: 2 * KILOBYTE })
  expect(await (await ask('a')).in('identity')).toHaveLength(2 * KILOBYTE)
  expect(bytes()).toBe(0)
})

test('however many questions there are, the memory that they take is bounded', async () => {
  const { ask, bytes } = makeBodies({ bytes_max: 100 * KILOBYTE })
  for (let nth = 0; nth < 1500; nth++) {
    await ask(nth)
    expect(bytes()).toBeLessThanOrEqual(100 * KILOBYTE)
  }
})

test('bodies are dropped when they are no longer fresh', async () => {
  const { ask, bytes } = makeBodies()
  await ask('a')
  expect(bytes()).toBe(KILOBYTE)
  await expect.poll(bytes, { timeout: 1000 }).toBe(0)
})
