import { afterAll, describe, expect, test } from 'vitest'
import { verify } from '../../src/main/verify/verify.ts'
import { spawnService, startService } from '../support/service.ts'
import {
  changedElsewhere,
  completeAgainstLapse,
  completeWhileMoneyGoes,
  lastOfCount,
  makeRaceDatabase,
  makeRaceWorld,
  twoBuyersOneSeat,
  twoCompletionsOneBalance,
  twoRequestsOneOrder,
} from './race-scenarios.ts'

describe.each(['one process', 'two processes'])('in %s', async (setting) => {
  const made = await makeRaceDatabase()
  const { database } = made
  const spawnOne = async () =>
    (await spawnService({ DATABASE_URL: database.url, DEMO_CATALOG: 'off' })).base_url
  const base_urls =
    setting === 'one process'
      ? [(await startService({ database })).base_url]
      : await Promise.all([spawnOne(), spawnOne()])
  const world = makeRaceWorld(made, base_urls)

  afterAll(async () => expect(await verify(database.db)).toEqual([]))

  test('two buyers, one seat: one of them has it', async () => {
    expect(await twoBuyersOneSeat(world, 0)).toHaveLength(1)
  })

  test('the last of a count goes to one of two buyers', async () => {
    expect(await lastOfCount(world)).toEqual([0, 1])
  })

  test('a request on an order while another runs is 409', async () => {
    expect(await twoRequestsOneOrder(world)).toEqual([200, 409])
  })

  test('an order that was changed elsewhere is read again', async () => {
    expect(await changedElsewhere(world)).toEqual({ told: 2, held: 2 })
  })

  test('an order that is being completed does not lapse', async () => {
    expect(await completeAgainstLapse(world)).toEqual({
      answer: 200,
      state: 'done',
      tickets: ['sold', 'sold'],
    })
  })

  test('no completion on money that is spent while it is written', async () => {
    expect(await completeWhileMoneyGoes(world)).toEqual({ answer: 400, state: 'executed', overspent: false })
  })

  test('one of two completions against one balance', async () => {
    expect(await twoCompletionsOneBalance(world)).toEqual({ statuses: [200, 400], balance: 0 })
  })
})
