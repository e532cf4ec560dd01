import { expect, test } from 'vitest'
import { createStandingPlaces } from './standing-places.ts'

const SHOWN = { serial: 'ABC', number: 1, seat: null }
const TIMES = 10_000_000
/** A word for each time would be 80. */
const MEMORY_MAX_BYTES = 40e6

test('a place that is taken by its id and given back again and again takes no more memory, and is picked once', () => {
  const places = createStandingPlaces({
    event: { shard: 1, id: 'event' },
    set: 'set',
    place: undefined,
    isOut: () => false,
  })
  places.add('other', SHOWN)
  places.add('place', SHOWN)
  const before = process.memoryUsage().heapUsed
  for (let time = 0; time < TIMES; time++) {
    places.take('place')
    places.add('place', SHOWN)
  }
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(MEMORY_MAX_BYTES)
  expect(places.pick(3, [])).toEqual(['place', 'other'])
})
