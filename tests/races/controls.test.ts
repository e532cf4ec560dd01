import { describe, expect, test } from 'vitest'
import { statements as tickets } from '../../src/inventory/tickets-rows.ts'
import { verify } from '../../src/main/verify/verify.ts'
import { statements as orders } from '../../src/orders/desk-rows.ts'
import { statements as ledger } from '../../src/partners/ledger-rows.ts'
import { cutFromStatements } from '../support/guards.ts'
import { startService } from '../support/service.ts'
import type { Part } from '../../src/main/parts.ts'
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
import {
  changedBetween,
  completeAfterTheEnd,
  completeWithoutMoney,
  lockedElsewhere,
  makeOptimisticDatabase,
  openSides,
  OPTIMISTIC,
  sameKeyTwice,
  seatReleasedElsewhere,
  seatSoldElsewhere,
  soldElsewhere,
  unchangedSinceOthersChange,
} from './optimistic-scenarios.ts'

/** The same races with the guards off go wrong, so that passing them means something. */

const HELD_BEFORE = `AND CASE WHEN u.holder IS NULL THEN locked.is_vacant AND t.status = 'vacant'
             ELSE t.status = 'reserved' AND t."order" = u.holder END`

/** Of a batch that asks nothing: that the order is as it was remembered. */
const VERSION = ' AND (n.version IS NULL OR o.xmin::text = n.version)'

/** What is divided by is read and not divided by. */
const DIVIDED = '1 / '

/** The jobs have connections of their own, and all worlds of this file are open at once. */
async function openUnguarded(
  constraints: readonly string[],
  parts: readonly Part[] = ['api'],
): Promise<RaceWorld> {
  const made = await makeRaceDatabase()
  const { database } = made
  for (const constraint of constraints) {
    const [table, name] = constraint.split('.')
    await database.sql(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  }
  const services = [await startService({ database, parts }), await startService({ database, parts })]
  return makeRaceWorld(
    made,
    services.map(({ base_url }) => base_url),
  )
}

async function invariantsBroken({ database }: Pick<RaceWorld, 'database'>): Promise<string[]> {
  return (await verify(database.db)).map(({ invariant }) => invariant)
}

describe('without the lock on vacant tickets', async () => {
  cutFromStatements(tickets, {
    lock_vacant: ['FOR UPDATE OF t'],
    change_tickets: [HELD_BEFORE],
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
    end_orders: [
      'o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND',
      'AND o.status = ANY(u.before)',
      'FOR UPDATE OF o SKIP LOCKED',
    ],
    complete_orders: [
      'o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND',
      'AND o.status = u.before',
      'FOR UPDATE OF o SKIP LOCKED',
    ],
  })
  cutFromStatements(tickets, { change_tickets: [HELD_BEFORE] })
  const world = await openUnguarded(
    [
      'tickets.tickets_order_when_taken',
      'tickets.tickets_price_when_taken',
      'set_counts.set_counts_none_negative',
    ],
    ['api', 'jobs'],
  )

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

/** Of batches that ask nothing first: each is written as the process remembers it, which is wrong. */

describe('without asking, and without the state that a ticket is changed from', async () => {
  cutFromStatements(tickets, { change_tickets: [HELD_BEFORE] })
  const made = await makeOptimisticDatabase()

  test('places are sold that were sold elsewhere', async () => {
    const world = await openSides(made)
    const { answer, modes, sold } = await soldElsewhere(world)
    expect(modes).toEqual(OPTIMISTIC)
    expect(answer.body.data.tickets.map(({ id }) => id).toSorted()).toEqual(sold.toSorted())
    expect(await invariantsBroken(world)).not.toEqual([])
  })
  test('a seat is sold by its id that was sold elsewhere', async () => {
    const world = await openSides(made)
    const { answer, modes, seat } = await seatSoldElsewhere(world)
    expect([answer.body.data.tickets.map(({ id }) => id), modes]).toEqual([[seat], OPTIMISTIC])
  })
})

describe('without asking, and without the check that seats are gone', async () => {
  cutFromStatements(tickets, { still_taken: [DIVIDED] })
  const made = await makeOptimisticDatabase()

  test('a seat that was released elsewhere is not granted, though it is vacant', async () => {
    const world = await openSides(made)
    const { answer, modes, seat } = await seatReleasedElsewhere(world)
    expect([answer.status, answer.body.data.tickets, modes]).toEqual([200, [], OPTIMISTIC])
    const states = await world.database.sql('SELECT status FROM tickets WHERE id = $1', [seat])
    expect(states).toEqual([{ status: 'vacant' }])
  })
})

describe('without asking, and without the check of the version of an order that stays as it is', async () => {
  cutFromStatements(orders, { check_versions: [DIVIDED] })
  const made = await makeOptimisticDatabase()

  test('it is answered as it was, though it was changed elsewhere', async () => {
    const world = await openSides(made)
    const { answer, modes, order, seats } = await unchangedSinceOthersChange(world)
    expect([answer.body.data.tickets.map(({ id }) => id), modes]).toEqual([seats.slice(0, 2), OPTIMISTIC])
    const held = await world.database.sql('SELECT id FROM tickets WHERE "order" = $1', [order])
    expect(held).toEqual([{ id: seats[0] }])
  })
})

describe('without asking, and without the version of an order', async () => {
  cutFromStatements(orders, {
    update_orders: [VERSION],
    complete_orders: [VERSION],
    end_orders: [VERSION],
  })
  const made = await makeOptimisticDatabase()
  const random = { [made.id('many_standing')]: 3 }

  test('what it got elsewhere is not sold with it', async () => {
    const world = await openSides(made)
    const { answer, modes, changed } = await changedBetween(world, {
      there: { random },
      here: { status: 'done' },
    })
    expect([changed.body.data.tickets.length, answer.body.data.tickets.length]).toEqual([3, 2])
    expect(modes).toEqual(OPTIMISTIC)
    expect(await invariantsBroken(world)).not.toEqual([])
  })
  test('what it got elsewhere is not released with it', async () => {
    const world = await openSides(made)
    const { answer, modes } = await changedBetween(world, {
      there: { random },
      here: { status: 'cancelled' },
    })
    expect([answer.status, answer.body.data.status, modes]).toEqual([200, 'cancelled', OPTIMISTIC])
    expect(await invariantsBroken(world)).not.toEqual([])
  })
  test('what was written to it elsewhere is lost', async () => {
    const world = await openSides(made)
    const { answer, modes } = await changedBetween(world, {
      there: { vendor_data: { order_id: 'there' } },
      here: { random },
    })
    expect([answer.body.data, modes]).toMatchObject([{ vendor_data: {} }, OPTIMISTIC])
  })
})

describe('without asking, and without the state that an order is changed from', async () => {
  cutFromStatements(orders, {
    complete_orders: [VERSION, ' AND o.status = u.before'],
  })
  cutFromStatements(tickets, { change_tickets: [HELD_BEFORE] })
  const made = await makeOptimisticDatabase({
    without: ['tickets.tickets_order_when_taken', 'set_counts.set_counts_none_negative'],
  })

  test('an order that was cancelled elsewhere is completed', async () => {
    const world = await openSides(made)
    const { answer, modes } = await changedBetween(world, {
      there: { status: 'cancelled' },
      here: { status: 'done' },
    })
    expect([answer.status, answer.body.data.status, modes]).toEqual([200, 'done', OPTIMISTIC])
    expect(await invariantsBroken(world)).not.toEqual([])
  })
})

describe('without asking, and without the limit of accounts in the database', async () => {
  const made = await makeOptimisticDatabase({ without: ['accounts.accounts_within_credit'] })

  test('money is spent that is not there', async () => {
    const world = await openSides(made)
    const { answer, modes, balance } = await completeWithoutMoney(world)
    expect([answer.status, modes, balance]).toEqual([200, OPTIMISTIC, -4250])
  })
})

describe('without asking, and without passing over locked orders', async () => {
  cutFromStatements(orders, { update_orders: ['SKIP LOCKED'], complete_orders: ['SKIP LOCKED'] })
  const made = await makeOptimisticDatabase()

  test('who has a locked order waits', async () => {
    const world = await openSides(made)
    const { answer, modes, at_once } = await lockedElsewhere(world)
    expect([at_once, answer.status, modes]).toEqual([false, 200, OPTIMISTIC])
  })
})

describe('without asking, and without the limit of the time that was taken to be', async () => {
  cutFromStatements(orders, { read_clock: [DIVIDED] })
  const made = await makeOptimisticDatabase()

  test('an order is completed whose hold is over', async () => {
    const world = await openSides(made)
    const { answer, modes, state } = await completeAfterTheEnd(world)
    expect([answer.status, modes, state]).toEqual([200, OPTIMISTIC, 'done'])
  })
})

describe('without asking, and without the key of kept answers', async () => {
  const made = await makeOptimisticDatabase({ without: ['idempotent_answers.idempotent_answers_pkey'] })

  test('a request has its effect twice', async () => {
    const world = await openSides(made)
    const { both, orders: created } = await sameKeyTwice(world, crypto.randomUUID())
    expect(both.map(({ answer }) => answer.status)).toEqual([200, 200])
    expect(created).toBe(2)
  })
})
