import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { SeatReader } from '../../src/inventory/seat-plan.ts'
import { createSeating } from '../../src/inventory/seating.ts'
import { isFresh } from '../../src/platform/shared-read.ts'
import type { SeatingEvent } from '../../src/inventory/seating.ts'
import { shardOf } from '../../src/kernel/ids.ts'
import type { Queryable } from '../../src/platform/db/db.ts'
import { listingCatalog } from '../http-v1/listing-world.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld } from '../support/makers.ts'
import { waitUntil } from '../support/wait.ts'

/** More than an event is read in a row for everybody who asks. */
const OFTEN = 30
/** Longer than statuses wait for the seats they are read beside. */
const LONG_MS = 300

const database = await createTestDatabase()
const world = await importWorld(database, listingCatalog())

/** What was sent to the database. */
let sent: string[] = []
let fault: Error | undefined
/** What the database waits for before it reads the seats. */
let hall: Promise<void> | undefined
/** How long it takes to read the statuses. */
let statuses_ms = 0
const watched = (queryable: Queryable): Queryable => ({
  async query(statement, values) {
    sent.push(statement.name)
    if (fault) throw fault
    if (statement.name === PLAN) await hall
    if (statement.name === STATUSES) await sleep(statuses_ms)
    return queryable.query(statement, values)
  },
  execute: () => Promise.reject(new Error('nothing is changed here')),
})
const db: SeatReader = {
  ...watched(database.db),
  transaction: (work, mode) => database.db.transaction((tx) => work(watched(tx)), mode),
}
const PLAN = 'inventory_seating_rows_rows_of_seats'
const STATUSES = 'inventory_seating_rows_statuses_of_seats'
const sentOf = (name: string) => sent.filter((one) => one === name).length

beforeEach(() => {
  sent = []
  fault = undefined
  hall = undefined
  statuses_ms = 0
})

function eventOf(ref: string, fields: Partial<SeatingEvent> = {}): SeatingEvent {
  const id = world.id(ref)
  return { shard: shardOf(id), id, updated_at: 1, sets: [{ with_seats: true }], ...fields }
}

test('those who ask at once share a reading', async () => {
  const seating = createSeating({ db })
  const all = await Promise.all(Array.from({ length: OFTEN }, () => seating.of(eventOf('theatre'))))
  expect(new Set(all).size).toBe(1)
  expect(all[0]!.plan.size).toBe(20)
  expect([sentOf(PLAN), sentOf(STATUSES)]).toEqual([1, 1])
})

test('who asks now and then is answered by a reading of its own, who asks often by one of the last half second', async () => {
  const seating = createSeating({ db })
  const event = eventOf('theatre')
  const before = await seating.of(event)
  expect(await seating.of(event)).not.toBe(before)
  expect(sentOf(STATUSES)).toBe(2)
  for (let asked = 0; asked < OFTEN; asked++) await seating.of(event)
  const read = sentOf(STATUSES)
  expect(read).toBeLessThan(OFTEN)
  const last = await seating.of(event)
  expect([sentOf(STATUSES), isFresh(last)]).toEqual([read, true])
  await waitUntil(() => !isFresh(last), { timeout_ms: 1000 })
  expect(await seating.of(event)).not.toBe(last)
  expect(sentOf(PLAN)).toBe(1)
})

test('the statuses of a hall that takes long to read are read again', async () => {
  let release = () => {}
  hall = new Promise((resolve) => (release = resolve))
  const begun_at = performance.now()
  const seating = createSeating({ db }).of(eventOf('theatre'))
  await waitUntil(() => performance.now() - begun_at > LONG_MS)
  expect([sentOf(PLAN), sentOf(STATUSES)]).toEqual([1, 1])
  release()
  expect((await seating).plan.size).toBe(20)
  expect([sentOf(PLAN), sentOf(STATUSES)]).toEqual([1, 2])
})

test.each([
  ['theatre', 20],
  ['club', 0],
])('on a slow store the seats and statuses of a %s of %i seats are read twice at most', async (ref, size) => {
  statuses_ms = LONG_MS
  expect((await createSeating({ db }).of(eventOf(ref))).plan.size).toBe(size)
  expect([sentOf(PLAN), sentOf(STATUSES)]).toEqual([1, 2])
})

test('the seats are read again when the event has changed, not for those who know an older state of it', async () => {
  const seating = createSeating({ db })
  await seating.of(eventOf('theatre', { updated_at: 2 }))
  await seating.of(eventOf('theatre', { updated_at: 1 }))
  expect(sentOf(PLAN)).toBe(1)
  await seating.of(eventOf('theatre', { updated_at: 3 }))
  expect(sentOf(PLAN)).toBe(2)
})

test('beyond the seats it may keep, the event unused for longest is forgotten', async () => {
  const seating = createSeating({ db, seats_max: 26 })
  const [theatre, festival] = [eventOf('theatre'), eventOf('festival')]
  await seating.of(theatre)
  await seating.of(festival)
  await seating.of(theatre)
  expect(sentOf(PLAN)).toBe(2)
  const smaller = createSeating({ db, seats_max: 24 })
  await smaller.of(theatre)
  await smaller.of(festival)
  await smaller.of(festival)
  expect(sentOf(PLAN)).toBe(4)
  await smaller.of(theatre)
  expect(sentOf(PLAN)).toBe(5)
})

test('an event without seats asks nothing of the database', async () => {
  const { plan } = await createSeating({ db }).of(eventOf('club', { sets: [] }))
  expect([plan.size, sent]).toEqual([0, []])
})

test('a fault is that of those who asked, and the next reading is as ever', async () => {
  const seating = createSeating({ db })
  fault = new Error('the store is away')
  await expect(Promise.all([seating.of(eventOf('theatre')), seating.of(eventOf('theatre'))])).rejects.toBe(
    fault,
  )
  fault = undefined
  expect((await seating.of(eventOf('theatre'))).plan.size).toBe(20)
})
