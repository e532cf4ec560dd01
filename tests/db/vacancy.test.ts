import { expect, test } from 'vitest'
import { statements } from '../../src/inventory/tickets-rows.ts'
import { createVacancy } from '../../src/inventory/vacancy.ts'
import type { Vacancy } from '../../src/inventory/vacancy.ts'
import type { Queryable } from '../../src/platform/db/db.ts'
import { createTestDatabase } from '../support/database.ts'
import { importStock, releaseHeld, reserveForNobody, type Stock } from '../support/stock.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const { db, sql } = database

const startProcess = (): Vacancy => createVacancy({ events_max: 10, seats_max: 1_000_000 })

/** How many asks by ids of which nothing is known have the seats read. */
const MISSES = 64

/** The database, and what was asked of it; what it answers about seats arrives when `answer` has come. */
function watch({ answer = Promise.resolve() }: { answer?: Promise<void> } = {}) {
  const asked: string[] = []
  const read: unknown[] = []
  const watched: Queryable = {
    async query<Row extends object>(statement: (typeof statements)['rows_of_set'], values: unknown[] = []) {
      asked.push(statement.name)
      const rows = await db.query<Row>(statement, values)
      if (statement.name !== statements.rows_of_set.name) return rows
      read.push(values[2])
      await answer
      return rows
    },
    execute: () => Promise.reject(new Error('nothing is changed here')),
  }
  return { watched, asked, read }
}

const learn = (vacancy: Vacancy, { shard, event, seats }: Stock, from: Queryable = db) =>
  vacancy.of({ shard, id: event }).stock(from, new Map([[seats.set, 1]]))

/** The seats of the stock that the process takes for vacant. */
function vacantSeats(vacancy: Vacancy, { event, seats }: Stock): string[] {
  const picked = vacancy.known(event)!.pick(seats.set, 99, [])
  vacancy.known(event)!.giveBack(seats.set, picked)
  return picked.toSorted()
}

test('of a seat it is known what is shown, whether it is vacant or not', async () => {
  const stock = await importStock(database, 'shown', 1)
  const { set, ids } = stock.seats
  const [a, b] = ids as [string, string]
  await reserveForNobody(database, stock, [a])
  const vacancy = startProcess()
  await learn(vacancy, stock)
  const known = vacancy.known(stock.event)!
  known.forget(set, [b])
  const rows = await sql(
    `SELECT serial, number, json_build_object('sector', sector, 'row', seat_row, 'number', seat_number) AS seat
     FROM tickets WHERE "set" = $1 ORDER BY array_position($2, id)`,
    [set, ids],
  )
  expect(ids.map((id) => known.shownOf(set, id))).toEqual(rows)
  expect(new Set(ids.map((id) => known.setOf(id)))).toEqual(new Set([set]))
  expect([known.setOf(stock.standing.ids[0]!), known.setOf('0'.repeat(24))]).toEqual([undefined, undefined])
  expect(vacantSeats(vacancy, stock)).toEqual(ids.slice(2).toSorted())
})

test('seats are not read for 63 asks of which nothing is known, and are in the background for the next', async () => {
  const stock = await importStock(database, 'missed', 1)
  const { set, ids } = stock.seats
  const vacancy = startProcess()
  const known = vacancy.of({ shard: stock.shard, id: stock.event })
  const { watched, asked, read } = watch()
  for (let nth = 1; nth < MISSES; nth++) known.missed(watched)
  expect(asked).toEqual([])
  known.missed(watched)
  await waitUntil(() => known.setOf(ids[0]!) === set)
  expect(read).toEqual([set])
  expect(vacantSeats(vacancy, stock)).toEqual(ids.toSorted())
  // Of what is not known then, there is nothing to be read.
  for (let nth = 0; nth < 2 * MISSES; nth++) known.missed(watched)
  const ASKED = statements.seated_sets.name
  await waitUntil(() => asked.filter((name) => name === ASKED).length === 3)
  await db.query(statements.seated_sets, [stock.shard, stock.event])
  expect([read, asked.at(-1)]).toEqual([[set], ASKED])
})

test('seats that were read by count, one of them withheld from sale, are not read again', async () => {
  const stock = await importStock(database, 'read_already', 1)
  const { set, ids } = stock.seats
  await sql(`UPDATE tickets SET status = 'pending' WHERE id = $1`, [ids[0]])
  const vacancy = startProcess()
  await learn(vacancy, stock)
  expect(vacantSeats(vacancy, stock)).toEqual(ids.slice(1).toSorted())
  const { watched, asked, read } = watch()
  const known = vacancy.known(stock.event)!
  for (let nth = 0; nth < MISSES; nth++) known.missed(watched)
  await waitUntil(() => asked.length > 0)
  await learn(vacancy, stock, watched)
  expect([asked, read]).toEqual([[statements.seated_sets.name], []])
  expect(known.setOf(ids[0]!)).toBe(set)
})

test('seats are read again when the set has got more of them', async () => {
  const stock = await importStock(database, 'more_seats', 1)
  const { set, ids } = stock.seats
  const last = ids.at(-1)!
  const vacancy = startProcess()
  const { watched, read } = watch()
  const [{ ...row } = {}] = await sql('SELECT * FROM tickets WHERE id = $1', [last])
  await sql('DELETE FROM tickets WHERE id = $1', [last])
  await learn(vacancy, stock)
  const known = vacancy.known(stock.event)!
  expect(known.setOf(last)).toBeUndefined()
  const columns = Object.keys(row)
  await sql(
    `INSERT INTO tickets (${columns.map((name) => `"${name}"`).join()})
     VALUES (${columns.map((_, nth) => `$${nth + 1}`).join()})`,
    Object.values(row),
  )
  for (let nth = 0; nth < MISSES; nth++) known.missed(watched)
  await waitUntil(() => known.setOf(last) === set)
  expect(read).toEqual([set])
  expect(vacantSeats(vacancy, stock)).toEqual(ids.toSorted())
})

test('a reading that fails is begun again after as many asks', async () => {
  const stock = await importStock(database, 'read_failed', 1)
  const { set, ids } = stock.seats
  const known = startProcess().of({ shard: stock.shard, id: stock.event })
  const failed: string[] = []
  const failing: Queryable = {
    async query({ name }) {
      failed.push(name)
      await db.query({ name: '', text: 'SELECT 1 / 0' })
      return []
    },
    execute: () => Promise.reject(new Error('nothing is changed here')),
  }
  for (let nth = 0; nth < MISSES; nth++) known.missed(failing)
  await waitUntil(() => failed.length === 1)
  for (let nth = 0; nth < MISSES; nth++) known.missed(db)
  await waitUntil(() => known.setOf(ids[0]!) === set)
  expect(failed).toEqual([statements.seated_sets.name])
})

test.each([
  {
    way: 'by count',
    begin: (vacancy: Vacancy, stock: Stock, from: Queryable) => learn(vacancy, stock, from),
  },
  {
    way: 'in the background',
    begin: async (vacancy: Vacancy, { shard, event, seats }: Stock, from: Queryable) => {
      const known = vacancy.of({ shard, id: event })
      for (let nth = 0; nth < MISSES; nth++) known.missed(from)
      await waitUntil(() => known.setOf(seats.ids[0]!) !== undefined)
    },
  },
])('a seat that is sold, or released, while the hall is read $way is so after it', async ({ way, begin }) => {
  const stock = await importStock(database, `moved_${way.replaceAll(' ', '_')}`, 1)
  const { set, ids } = stock.seats
  const [sold, released, sold_again, released_again] = ids as [string, string, string, string]
  await reserveForNobody(database, stock, [released, sold_again])
  const vacancy = startProcess()
  const { promise: answer, resolve: arrive } = Promise.withResolvers<void>()
  const { watched, read } = watch({ answer })
  const reading = begin(vacancy, stock, watched)
  await waitUntil(() => read.length === 1)
  const known = vacancy.known(stock.event)!
  const [{ serial } = {}] = await sql('SELECT serial FROM tickets WHERE id = $1', [released])
  const release = (id: string) => known.released({ set, id, serial: String(serial), number: 1, seat: null })
  known.forget(set, [sold])
  release(released)
  release(sold_again)
  known.forget(set, [sold_again, released_again])
  known.giveBack(set, [released_again])
  arrive()
  await reading
  expect(vacantSeats(vacancy, stock)).toEqual(ids.filter((id) => id !== sold && id !== sold_again).toSorted())
  // What happened then is not taken for what is when it is read the next time.
  await releaseHeld(database, stock, [sold_again])
  await reserveForNobody(database, stock, [released, sold])
  const taken = known.pick(set, 99, [])
  known.forget(set, taken)
  expect(await known.learn(db, new Map([[set, 0]]), () => false)).toBe(true)
  expect(vacantSeats(vacancy, stock)).toEqual(ids.filter((id) => id !== sold && id !== released).toSorted())
})

test('seats that were picked while they are read again are not vacant after it', async () => {
  const stock = await importStock(database, 'picked_meanwhile', 1)
  const { set, ids } = stock.seats
  const vacancy = startProcess()
  await learn(vacancy, stock)
  const known = vacancy.known(stock.event)!
  const { promise: answer, resolve: arrive } = Promise.withResolvers<void>()
  const { watched, read } = watch({ answer })
  const learning = known.learn(watched, new Map([[set, 0]]), (id) => id === ids[5])
  await waitUntil(() => read.length === 1)
  expect(known.withhold([ids[0]!, ids[1]!])).toEqual(new Map([[set, ids.slice(0, 2)]]))
  known.giveBack(set, [ids[1]!])
  arrive()
  expect(await learning).toBe(true)
  const out = new Set([ids[0], ids[5]])
  expect(vacantSeats(vacancy, stock)).toEqual(ids.filter((id) => !out.has(id)).toSorted())
  known.giveBack(set, [ids[0]!, ids[5]!])
  expect(vacantSeats(vacancy, stock)).toEqual(ids.toSorted())
})

test('when more seats are known than may be, the event that was unused for longest is forgotten', async () => {
  const refs = ['first_hall', 'second_hall', 'third_hall']
  const stocks: Stock[] = []
  for (const ref of refs) stocks.push(await importStock(database, ref, 5))
  const [first, second, third] = stocks as [Stock, Stock, Stock]
  const vacancy = createVacancy({ events_max: 10, seats_max: 60 })
  const isKnown = ({ event, seats }: Stock) => vacancy.known(event)?.setOf(seats.ids[0]!) !== undefined
  await learn(vacancy, first)
  await learn(vacancy, second)
  expect(stocks.map(isKnown)).toEqual([true, true, false])
  vacancy.of({ shard: first.shard, id: first.event })
  await learn(vacancy, third)
  expect(stocks.map(isKnown)).toEqual([true, false, true])
  expect(vacancy.known(second.event)).toBeUndefined()
  await learn(vacancy, second)
  expect(stocks.map(isKnown)).toEqual([false, true, true])
  expect(vacantSeats(vacancy, second)).toEqual(second.seats.ids.toSorted())
})

test('the event in use stays though it has more seats than may be; places without seats do not count', async () => {
  const stocks = [await importStock(database, 'too_large', 40), await importStock(database, 'next_large', 40)]
  const [large, next] = stocks as [Stock, Stock]
  const vacancy = createVacancy({ events_max: 10, seats_max: 29 })
  const stockPlaces = async ({ shard, event, standing }: Stock) =>
    vacancy.of({ shard, id: event }).stock(db, new Map([[standing.set, 40]]))
  await stockPlaces(next)
  await stockPlaces(large)
  expect(stocks.map(({ event }) => vacancy.known(event) !== undefined)).toEqual([true, true])
  await learn(vacancy, large)
  expect(stocks.map(({ event }) => vacancy.known(event) !== undefined)).toEqual([true, false])
  expect(vacantSeats(vacancy, large)).toEqual(large.seats.ids.toSorted())
  await learn(vacancy, next)
  expect(stocks.map(({ event }) => vacancy.known(event) !== undefined)).toEqual([false, true])
  expect(vacantSeats(vacancy, next)).toEqual(next.seats.ids.toSorted())
})

test('events that are unused for longest are forgotten when there are more than may be', async () => {
  const vacancy = createVacancy({ events_max: 2, seats_max: 1000 })
  const isKnown = () => ['a', 'b', 'c'].map((id) => vacancy.known(id) !== undefined)
  for (const id of ['a', 'b', 'a', 'c']) vacancy.of({ shard: 1, id })
  expect(isKnown()).toEqual([true, false, true])
})
