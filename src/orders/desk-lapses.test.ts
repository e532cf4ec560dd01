import { expect, test } from 'vitest'
import type { Session } from '../platform/db/session.ts'
import { createDeskLapses } from './desk-lapses.ts'
import type { RunLapses } from './run-batch.ts'

const none: Session = {
  transaction: () => Promise.reject(new Error('nothing is written here')),
  close: () => Promise.resolve(),
}

/** Ends orders a to h in batches of one on two sessions, `fail` with that error; answers in which order they were tried. */
async function lapseAll(fail: ReadonlyMap<string, Error>) {
  const tried: string[] = []
  const in_flight = new Set<string>()
  const runLapses: RunLapses = async (lapses) => {
    tried.push(...lapses.map(({ order }) => order))
    return lapses.map(({ order }) => fail.get(order))
  }
  const sessions = [none, none]
  const lapses = createDeskLapses({ sessions, runLapses, in_flight, batch_max: 1, onEnded: () => {} })
  await expect(lapses.lapse([...'abcdefgh'])).rejects.toThrow([...fail.values()][0]!.message)
  expect([lapses.isIdle(), in_flight.size]).toEqual([true, 0])
  return tried
}

test('orders that cannot be ended keep no others from it', async () => {
  const refused = new Error('refused')
  expect(await lapseAll(new Map([...'abe'].map((order) => [order, refused])))).toEqual([...'abcdefgh'])
})

test('when the database is away no more of it is asked', async () => {
  const away = new Error('Connection terminated unexpectedly')
  expect(await lapseAll(new Map([...'abcdefgh'].map((order) => [order, away])))).toEqual([...'ab'])
})
