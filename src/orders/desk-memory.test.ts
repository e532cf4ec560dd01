import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeskMemory } from './desk-memory.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, nth) => first + nth)

describe('numbers for new orders', () => {
  test('are handed out once', () => {
    const memory = createDeskMemory()
    expect(memory.takeNumbers(1)).toBeUndefined()
    expect(memory.takeNumbers(0)).toEqual([])
    memory.addNumbers([1, 2, 3])
    memory.addNumbers([7, 8])
    expect(memory.takeNumbers(2)).toEqual([1, 2])
    expect(memory.takeNumbers(3)).toEqual([3, 7, 8])
    expect(memory.takeNumbers(1)).toBeUndefined()
  })

  test('too few: none is taken', () => {
    const memory = createDeskMemory()
    memory.addNumbers([1, 2])
    expect(memory.takeNumbers(3)).toBeUndefined()
    expect(memory.takeNumbers(2)).toEqual([1, 2])
  })

  test('that were not used are handed out later', () => {
    const memory = createDeskMemory()
    memory.addNumbers([1, 2, 3, 4])
    const taken = memory.takeNumbers(2) as number[]
    memory.addNumbers(taken)
    expect(memory.takeNumbers(4)).toEqual([3, 4, 1, 2])
  })

  test.each([
    { had: 0, creates: 0, wanted: 64 },
    { had: 0, creates: 16, wanted: 64 },
    { had: 0, creates: 17, wanted: 68 },
    { had: 10, creates: 1, wanted: 54 },
    { had: 64, creates: 1, wanted: 0 },
    { had: 100, creates: 100, wanted: 300 },
    { had: 500, creates: 100, wanted: 0 },
  ])('with $had left a batch of $creates draws $wanted', ({ had, creates, wanted }) => {
    const memory = createDeskMemory()
    memory.addNumbers(numbersFrom(1, had))
    expect(memory.numbersWanted(creates)).toBe(wanted)
  })
})

describe("the database's clock", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is not known before it was read', () => {
    expect(createDeskMemory().now()).toBeUndefined()
  })

  test('goes on by what has passed here, for ten seconds', () => {
    const memory = createDeskMemory()
    memory.noteClock(NOW)
    expect(memory.now()).toBe(NOW)
    vi.advanceTimersByTime(1234)
    expect(memory.now()).toBe(NOW + 1234)
    vi.advanceTimersByTime(10_000 - 1234)
    expect(memory.now()).toBe(NOW + 10_000)
    vi.advanceTimersByTime(1)
    expect(memory.now()).toBeUndefined()
  })

  test('is what was read last, also when that is earlier', () => {
    const memory = createDeskMemory()
    memory.noteClock(NOW)
    vi.advanceTimersByTime(20)
    memory.noteClock(NOW - 5)
    expect(memory.now()).toBe(NOW - 5)
  })

  test('does not follow this machine when that is set', () => {
    const memory = createDeskMemory()
    memory.noteClock(NOW)
    vi.setSystemTime(NOW + 3_600_000)
    expect(memory.now()).toBe(NOW)
  })
})
