import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSharedRead, FRESH_MS, isFresh, READS_IN_A_ROW } from './shared-read.ts'
import type { Reading } from './shared-read.ts'

type Numbered = Reading & { readonly nth: number }

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Readings are numbered from 1 and take `read_ms`, or end at once. */
function makeShared(read_ms = 0) {
  const shared = createSharedRead<Numbered>()
  let begun = 0
  const read = async (): Promise<Numbered> => {
    const nth = ++begun
    const fresh_until = performance.now() + FRESH_MS
    if (read_ms > 0) await new Promise((resolve) => setTimeout(resolve, read_ms))
    return { nth, fresh_until }
  }
  const ask = async () => (await shared.get(read)).nth
  return { ...shared, read, ask, begun: () => begun }
}

/** The numbers of the readings that are answered to these many who ask one after the other. */
async function askInTurn(ask: () => Promise<number>, times: number): Promise<number[]> {
  const answers: number[] = []
  for (let asked = 0; asked < times; asked++) answers.push(await ask())
  return answers
}

const upTo = (last: number) => Array.from({ length: last }, (_value, index) => index + 1)

describe('who asks one after the other', () => {
  test('has a reading of its own until they are used up, then shares the last', async () => {
    const { ask } = makeShared()
    // The first finds nothing to share, which takes nothing from the allowance.
    const own = READS_IN_A_ROW + 1
    expect(await askInTurn(ask, own + 3)).toEqual([...upTo(own), own, own, own])
  })

  // Ten in a row, then one each half second, and one whenever what was read last is no longer fresh.
  test.each([
    { every_ms: 10 * FRESH_MS, times: 20, readings: 20 },
    { every_ms: FRESH_MS, times: 40, readings: 40 },
    { every_ms: FRESH_MS / 2, times: 40, readings: 35 },
    { every_ms: FRESH_MS / 10, times: 100, readings: 24 },
    { every_ms: FRESH_MS / 100, times: 1000, readings: 24 },
  ])('every $every_ms ms, $times times, has $readings readings', async ({ every_ms, times, readings }) => {
    const { ask, begun } = makeShared()
    for (let asked = 0; asked < times; asked++) {
      await ask()
      vi.advanceTimersByTime(every_ms)
    }
    expect(begun()).toBe(readings)
  })

  test('is never shown what is older than half a second', async () => {
    const { ask, get, read } = makeShared()
    await askInTurn(ask, 2 * READS_IN_A_ROW)
    for (let at_ms = 0; at_ms < 4 * FRESH_MS; at_ms += FRESH_MS / 7) {
      expect(isFresh(await get(read))).toBe(true)
      vi.advanceTimersByTime(FRESH_MS / 7)
    }
  })
})

describe('who asks while it is being read', () => {
  test('waits for the same reading', async () => {
    const { ask, begun } = makeShared(100)
    const answers = Promise.all(upTo(30).map(ask))
    await vi.advanceTimersByTimeAsync(100)
    expect(await answers).toEqual(upTo(30).map(() => 1))
    expect(begun()).toBe(1)
  })

  test('waits for the next one when this one began too long ago; there are never two at a time', async () => {
    const { ask, begun } = makeShared(3 * FRESH_MS)
    const first = ask()
    await vi.advanceTimersByTimeAsync(FRESH_MS)
    const young = ask()
    await vi.advanceTimersByTimeAsync(1)
    const late = [ask(), ask()]
    await vi.advanceTimersByTimeAsync(FRESH_MS)
    const later = ask()
    expect(begun()).toBe(1)
    await vi.advanceTimersByTimeAsync(5 * FRESH_MS)
    expect(await Promise.all([first, young, ...late, later])).toEqual([1, 1, 2, 2, 2])
    expect(begun()).toBe(2)
  })

  test('shares its fault, and the next asks anew', async () => {
    const { get, ask } = makeShared()
    const fault = new Error('the store is away')
    const failing = () => Promise.reject(fault)
    const both = Promise.allSettled([get(failing), get(failing)])
    expect((await both).map((one) => one.status === 'rejected' && one.reason === fault)).toEqual([true, true])
    expect(await ask()).toBe(1)
  })

  test('is not kept waiting for good by a fault of the reading before', async () => {
    const { get, ask } = makeShared()
    const slow = get(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2 * FRESH_MS))
      throw new Error('the store is away')
    })
    const failed = expect(slow).rejects.toThrow('the store is away')
    await vi.advanceTimersByTimeAsync(FRESH_MS + 1)
    const late = ask()
    await vi.advanceTimersByTimeAsync(FRESH_MS)
    await failed
    expect(await late).toBe(1)
  })
})

describe('what is kept', () => {
  test('is the last reading, until it is no longer fresh', async () => {
    const { ask, kept } = makeShared()
    expect(kept()).toBeUndefined()
    await askInTurn(ask, 2)
    expect(kept()?.nth).toBe(2)
    vi.advanceTimersByTime(FRESH_MS - 1)
    expect(kept()?.nth).toBe(2)
    vi.advanceTimersByTime(2)
    expect(kept()).toBeUndefined()
  })

  test('is nothing once it is forgotten, and the next who asks has it read', async () => {
    const { ask, kept, forget } = makeShared()
    const last = (await askInTurn(ask, 2 * READS_IN_A_ROW)).at(-1)!
    forget()
    expect(kept()).toBeUndefined()
    expect(await ask()).toBe(last + 1)
  })

  test('is the reading that began last, whichever ends last', async () => {
    const { readAgain, kept } = makeShared()
    const end: (() => void)[] = []
    const readNth = (nth: number) => () =>
      new Promise<Numbered>((resolve) => {
        end.push(() => resolve({ nth, fresh_until: performance.now() + FRESH_MS }))
      })
    const both = [readAgain(readNth(1)), readAgain(readNth(2))]
    end[1]!()
    await both[1]
    end[0]!()
    await both[0]
    await setImmediate()
    expect(kept()?.nth).toBe(2)
  })
})
