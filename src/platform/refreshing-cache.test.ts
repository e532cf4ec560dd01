import { expect, test } from 'vitest'
import { createRefreshingCache } from './refreshing-cache.ts'

type Record = { id: string; version: number }

/** A cache over `stored`, whose reads are answered by `answer()`, all at once; ages are set by hand. */
function setUp(options: { max?: number } = {}) {
  const stored = new Map<string, Record>()
  const reads: string[][] = []
  const errors: unknown[] = []
  const ages = { fresh_ms: Infinity, usable_ms: Infinity }
  let gate = Promise.withResolvers<void>()
  const cache = createRefreshingCache<Record>({
    load: async (ids) => {
      reads.push([...ids])
      const found = ids.flatMap((id) => {
        const record = stored.get(id)
        return record ? [[id, { ...record }] as const] : []
      })
      await gate.promise
      return new Map(found)
    },
    max: options.max ?? 10,
    ages: () => ages,
    onRefreshError: (error) => errors.push(error),
  })
  const open = () => {
    gate.resolve()
    return new Promise(setImmediate)
  }
  const close = () => (gate = Promise.withResolvers())
  const fail = (error: Error) => {
    gate.reject(error)
    return new Promise(setImmediate)
  }
  const store = (id: string, version: number) => stored.set(id, { id, version })
  return { cache, stored, store, reads, errors, ages, open, close, fail }
}

test('a record is read once, however many ask for it, and records of one turn together', async () => {
  const { cache, store, reads, open } = setUp()
  store('a', 1)
  store('b', 1)
  const asked = Promise.all([cache.get('a'), cache.get('b'), cache.get('a'), cache.get('none')])
  await open()
  expect(await asked).toEqual([
    { id: 'a', version: 1 },
    { id: 'b', version: 1 },
    { id: 'a', version: 1 },
    undefined,
  ])
  expect(await cache.get('a')).toBe((await asked)[0])
  expect(reads).toEqual([['a', 'b', 'none']])
})

test('what does not exist is asked for again', async () => {
  const { cache, store, open } = setUp()
  await open()
  expect(await cache.get('a')).toBeUndefined()
  store('a', 1)
  expect(await cache.get('a')).toEqual({ id: 'a', version: 1 })
})

test('past its time a record is served once more and read again', async () => {
  const { cache, store, reads, ages, open, close } = setUp()
  store('a', 1)
  await open()
  await cache.get('a')
  store('a', 2)
  ages.fresh_ms = -1
  close()
  expect(await cache.get('a')).toEqual({ id: 'a', version: 1 })
  expect(await cache.get('a')).toEqual({ id: 'a', version: 1 })
  expect(reads).toHaveLength(2)
  await open()
  ages.fresh_ms = Infinity
  expect(await cache.get('a')).toEqual({ id: 'a', version: 2 })
})

test('long past its time a record is waited for', async () => {
  const { cache, store, ages, open } = setUp()
  store('a', 1)
  await open()
  await cache.get('a')
  store('a', 2)
  ages.fresh_ms = ages.usable_ms = -1
  expect(await cache.get('a')).toEqual({ id: 'a', version: 2 })
})

test('a record that was read again and is the same stays the same object', async () => {
  const { cache, store, ages, open } = setUp()
  store('a', 1)
  await open()
  const first = await cache.get('a')
  ages.fresh_ms = ages.usable_ms = -1
  expect(await cache.get('a')).toBe(first)
  cache.drop()
  expect(await cache.get('a')).toBe(first)
})

test.each([['a'], [undefined]])(
  'after drop(%s) a record is waited for, and a read under way is not kept',
  async (id) => {
    const { cache, store, reads, open } = setUp()
    store('a', 1)
    const before = cache.get('a')
    await new Promise(setImmediate)
    store('a', 2)
    cache.drop(id)
    const after = cache.get('a')
    await open()
    expect(await before).toEqual({ id: 'a', version: 1 })
    expect(await after).toEqual({ id: 'a', version: 2 })
    expect(await cache.get('a')).toEqual({ id: 'a', version: 2 })
    expect(reads).toHaveLength(2)
  },
)

test('drop of one record leaves the others', async () => {
  const { cache, store, reads, open } = setUp()
  store('a', 1)
  await open()
  await cache.get('a')
  cache.drop('b')
  await cache.get('a')
  expect(reads).toHaveLength(1)
})

test('a read that fails is told to who waits, or reported when nobody does, and tried again', async () => {
  const { cache, store, errors, ages, open, close, fail } = setUp()
  store('a', 1)
  const waiting = cache.get('a')
  await Promise.all([expect(waiting).rejects.toThrow('away'), fail(new Error('away'))])
  expect(errors).toEqual([])
  close()
  const again = cache.get('a')
  await open()
  expect(await again).toEqual({ id: 'a', version: 1 })
  ages.fresh_ms = -1
  close()
  expect(await cache.get('a')).toEqual({ id: 'a', version: 1 })
  await fail(new Error('away again'))
  expect(errors).toEqual([new Error('away again')])
  expect(await cache.get('a')).toEqual({ id: 'a', version: 1 })
})

test('the least recently used record goes first', async () => {
  const { cache, store, reads, open } = setUp({ max: 2 })
  for (const id of ['a', 'b', 'c']) store(id, 1)
  await open()
  await cache.get('a')
  await cache.get('b')
  await cache.get('a')
  await cache.get('c')
  await cache.get('a')
  expect(reads).toEqual([['a'], ['b'], ['c']])
  await cache.get('b')
  expect(reads).toHaveLength(4)
})
