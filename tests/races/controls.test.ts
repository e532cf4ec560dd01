import { describe, expect, test } from 'vitest'
import { statements as tickets } from '../../src/inventory/tickets-rows.ts'
import { verify } from '../../src/main/verify/verify.ts'
import { statements as orders } from '../../src/orders/desk-rows.ts'
import { statements as ledger } from '../../src/partners/ledger-rows.ts'
import { cutFromStatements } from '../support/guards.ts'
import { startService } from '../support/service.ts'
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
  type RaceWorld,
} from './race-scenarios.ts'

/** The same races with the guards off go wrong, so that passing them means something. */

const HELD_BEFORE = `AND CASE WHEN u.holder IS NULL THEN t.status = 'vacant' ELSE t.status = 'reserved' AND t."order" = u.holder END`

/** The row of one who waited for another's change is not where it was, and so is not changed. */
const ALL_CHANGED = '1 / (count(*) = cardinality($2::text[]))::integer'

async function openUnguarded(constraints: readonly string[]): Promise<RaceWorld> {
  const made = await makeRaceDatabase()
  const { database } = made
  for (const constraint of constraints) {
    const [table, name] = constraint.split('.')
    await database.sql(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  }
  const services = [await startService({ database }), await startService({ database })]
  return makeRaceWorld(
    made,
    services.map(({ base_url }) => base_url),
  )
}

async function invariantsBroken({ database }: RaceWorld): Promise<string[]> {
  return (await verify(database.db)).map(({ invariant }) => invariant)
}

describe('without the lock on vacant tickets', async () => {
  cutFromStatements(tickets, {
    lock_vacant: ['FOR UPDATE OF t'],
    change_tickets: [HELD_BEFORE, ALL_CHANGED],
  })
  const world = await openUnguarded(['set_counts.set_counts_none_negative', 'set_counts.set_counts_add_up'])

  test('one seat is sold twice', async () => {
    expect(await twoBuyersOneSeat(world, 0)).toHaveLength(2)
  })
  test('the last of a count is sold twice', async () => {
    expect(await lastOfCount(world)).toEqual([1, 1])
    expect(await invariantsBroken(world)).not.toEqual([])
  })
})

describe('without passing over locked orders', async () => {
  cutFromStatements(orders, { lock_orders: ['SKIP LOCKED'], lock_recent_orders: ['SKIP LOCKED'] })
  const world = await openUnguarded([])

  test('the second request waits and is served', async () => {
    expect(await twoRequestsOneOrder(world)).toEqual([200, 200])
  })
})

describe('without the lock on orders', async () => {
  cutFromStatements(orders, {
    lock_orders: ['FOR UPDATE OF o SKIP LOCKED'],
    lock_recent_orders: ['FOR UPDATE OF o SKIP LOCKED'],
    update_orders: [
      'o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND',
      `AND (o.status IN ('executed', 'in_progress') OR (o.status = 'expired' AND u.status = 'done'))`,
      'FOR UPDATE OF o SKIP LOCKED',
    ],
    complete_orders: [
      'o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND',
      'AND o.status = u.before',
      'FOR UPDATE OF o SKIP LOCKED',
    ],
  })
  cutFromStatements(tickets, { change_tickets: [HELD_BEFORE] })
  const world = await openUnguarded([
    'tickets.tickets_order_when_taken',
    'tickets.tickets_price_when_taken',
    'set_counts.set_counts_none_negative',
  ])

  test('a lapsed order is completed', async () => {
    expect(await completeAgainstLapse(world)).toMatchObject({ answer: 200, state: 'done' })
    expect(await invariantsBroken(world)).not.toEqual([])
  })
})

describe('without the lock on accounts', async () => {
  cutFromStatements(ledger, { lock_account: ['FOR UPDATE'] })
  const world = await openUnguarded(['accounts.accounts_within_credit'])

  test('money is spent twice', async () => {
    expect(await twoCompletionsOneBalance(world)).toEqual({ statuses: [200, 200], balance: -14_250 })
    expect(await invariantsBroken(world)).not.toEqual([])
  })
})

describe('without the limit of accounts in the database', async () => {
  const world = await openUnguarded(['accounts.accounts_within_credit'])

  test('money is spent that was spent meanwhile', async () => {
    expect(await completeWhileMoneyGoes(world)).toEqual({ answer: 200, state: 'done', overspent: true })
  })
})

describe('without the version of an order', async () => {
  const VERSION = ' AND (n.version IS NULL OR o.xmin::text = n.version)'
  cutFromStatements(orders, {
    lock_recent_orders: [' AND o.xmin::text = u.version'],
    update_orders: [VERSION],
    complete_orders: [VERSION],
  })
  const world = await openUnguarded([])

  test('a process believes what it remembers of it', async () => {
    expect(await changedElsewhere(world)).toEqual({ told: 2, held: 1 })
  })
})
