import { expect, test } from 'vitest'
import type { OrderRequest } from './commands.ts'
import { createDeskQueue } from './desk-queue.ts'

const NONE: ReadonlySet<string> = new Set()

/** Requests of which only what the queue looks at is there, named by letter and number: creates, completions, edits. */
function makeRequest(name: string): OrderRequest {
  const status = name.startsWith('d') ? { status: 'done' } : {}
  const fields = { caller: undefined, faults: [], name, ...status }
  return (name.startsWith('c')
    ? { kind: 'create', event: undefined, ...fields }
    : { kind: 'change', order: name, ...fields }) as unknown as OrderRequest
}

function makeQueue(names: readonly string[]) {
  const queue = createDeskQueue({ queue_max: 1000, wait_max_ms: 60_000 })
  for (const name of names)
    queue.push({
      command: makeRequest(name),
      since: performance.now(),
      resolve: () => {},
      reject: (error) => expect.fail(String(error)),
    })
  const take = (max: number, in_flight = NONE) =>
    queue.take(max, in_flight).map(({ command }) => (command as unknown as { name: string }).name)
  return { queue, take }
}

const named = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`)
const mixed = (...lists: readonly string[][]) =>
  lists[0]!.flatMap((_, index) => lists.map((list) => list[index]!).filter(Boolean))

test('few of each kind are taken as they came', () => {
  const names = mixed(named('c', 7), named('d', 7), named('e', 7))
  const { queue, take } = makeQueue(names)
  expect(take(100)).toEqual(names)
  expect(queue.size()).toBe(0)
})

test('of many those alike to the first are taken, and the others next, in the order they came in', () => {
  const { queue, take } = makeQueue(mixed(named('c', 8), named('d', 8), named('e', 8)))
  expect(take(100)).toEqual(named('c', 8))
  expect(take(100)).toEqual(named('d', 8))
  expect(take(100)).toEqual(named('e', 8))
  expect(queue.size()).toBe(0)
})

test('who came first is taken, whatever the others are', () => {
  const { take } = makeQueue(['e0', ...named('c', 20)])
  expect(take(10)).toEqual(['e0', ...named('c', 9)])
  expect(take(100)).toEqual(named('c', 20).slice(9))
})

test('at most so many are taken of those alike', () => {
  const { queue, take } = makeQueue(mixed(named('d', 20), named('c', 20)))
  expect(take(5)).toEqual(named('d', 5))
  expect(queue.size()).toBe(35)
  expect(take(100)).toEqual(named('c', 20))
  expect(take(100)).toEqual(named('d', 20).slice(5))
})

test('a new order that is completed at once is unlike one that stays open', () => {
  const { queue, take } = makeQueue(named('c', 8))
  const completed: OrderRequest = { ...makeRequest('c8'), status: 'done' }
  queue.push({ command: completed, since: performance.now(), resolve: () => {}, reject: () => {} })
  expect(take(100)).toEqual(named('c', 8))
  expect(take(100)).toEqual(['c8'])
})

test('what is for an order in flight stays until it is not, also when it is alike', () => {
  const { take } = makeQueue([...named('e', 9), ...named('c', 9)])
  expect(take(100, new Set(['e0', 'e4']))).toEqual(
    named('e', 9).filter((name) => !['e0', 'e4'].includes(name)),
  )
  // The two edits that stayed are too few to go alone.
  expect(take(100)).toEqual(['e0', 'e4', ...named('c', 9)])
})
