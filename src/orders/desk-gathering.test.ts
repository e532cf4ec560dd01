import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGathering } from './desk-gathering.ts'

const onOver = vi.fn<() => void>()

beforeEach(() => {
  onOver.mockClear()
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a lane gathers as many as were answered and wait, for a quarter of the time of their batch', () => {
  const gathering = createGathering({ enough_max: 16, onOver })
  expect(gathering.enough()).toBe(1)
  gathering.begin({ answered: 6, waiting: 2, took_ms: 8 })
  expect(gathering.enough()).toBe(8)
  vi.advanceTimersByTime(1)
  expect(gathering.enough()).toBe(8)
  vi.advanceTimersByTime(1)
  expect(gathering.enough()).toBe(1)
  expect(onOver).toHaveBeenCalledOnce()
})

test('a batch that begins ends the gathering', () => {
  const gathering = createGathering({ enough_max: 16, onOver })
  gathering.begin({ answered: 16, waiting: 0, took_ms: 8 })
  gathering.end()
  expect(gathering.enough()).toBe(1)
  vi.runAllTimers()
  expect(onOver).not.toHaveBeenCalled()
})

test('no more are waited for than are always enough, nor longer than some milliseconds', () => {
  const gathering = createGathering({ enough_max: 16, onOver })
  gathering.begin({ answered: 40, waiting: 3, took_ms: 80 })
  expect(gathering.enough()).toBe(16)
  vi.advanceTimersByTime(5)
  expect(onOver).toHaveBeenCalledOnce()
})

test.each([
  ['one client', { answered: 1, waiting: 0, took_ms: 8 }],
  ['a few clients', { answered: 3, waiting: 1, took_ms: 8 }],
  ['enough waiting already', { answered: 30, waiting: 16, took_ms: 8 }],
  ['after a batch that took long', { answered: 6, waiting: 5, took_ms: 400 }],
])('%s: nothing is waited for', (_, ended) => {
  const gathering = createGathering({ enough_max: 16, onOver })
  gathering.begin(ended)
  expect(gathering.enough()).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})
