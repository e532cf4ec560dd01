import { expect, test } from 'vitest'
import { createOptimism } from './desk-optimism.ts'

/** What a batch was, and how many batches ask until the next may try again. */
type Batch = ['right' | 'wrong', asking: number]

test.each<{ name: string; batches: Batch[] }>([
  { name: 'a batch that was right leaves the way open', batches: [['right', 0]] },
  { name: 'after a refusal four ask', batches: [['wrong', 4]] },
  {
    name: 'after each further one twice as many, up to 256',
    batches: [4, 8, 16, 32, 64, 128, 256, 256, 256].map((asking) => ['wrong', asking]),
  },
  {
    name: 'one that was right ends that',
    batches: [
      ['wrong', 4],
      ['wrong', 8],
      ['right', 0],
      ['right', 0],
      ['wrong', 4],
      ['wrong', 8],
    ],
  },
])('$name', ({ batches }) => {
  const optimism = createOptimism()
  for (const [outcome, asking] of batches) {
    expect(optimism.mayTry()).toBe(true)
    if (outcome === 'right') optimism.wasRight()
    else optimism.wasWrong()
    expect(Array.from({ length: asking }, optimism.mayTry)).toEqual(Array(asking).fill(false))
  }
  expect(optimism.mayTry()).toBe(true)
})

test('two that were refused beside one another: the second changes nothing', () => {
  const optimism = createOptimism()
  expect([optimism.mayTry(), optimism.mayTry()]).toEqual([true, true])
  optimism.wasWrong()
  expect(optimism.mayTry()).toBe(false)
  optimism.wasWrong()
  expect(Array.from({ length: 4 }, optimism.mayTry)).toEqual([...Array<boolean>(3).fill(false), true])
})
