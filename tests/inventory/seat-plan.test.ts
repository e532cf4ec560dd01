import { expect, test } from 'vitest'
import { readSeatPlan, ticketOf } from '../../src/inventory/seat-plan.ts'
import { shardOf } from '../../src/kernel/ids.ts'
import { createTestDatabase } from '../support/database.ts'
import { importWorld, makeCatalog } from '../support/makers.ts'

/** More seats than are read at a time, and a slice ends within a row. */
const ROWS = 110
const SEATS_IN_ROW = 97

const rows = Array.from({ length: ROWS }, (_, row) => ({ row: `R${row + 1}`, seats: SEATS_IN_ROW }))
const hall = { ref: 'hall', name: 'Hall', with_seats: true, rows }
const database = await createTestDatabase()
const world = await importWorld(
  database,
  makeCatalog({ maps: [{ ref: 'map', venue: 'venue', name: 'Large', sectors: [hall] }] }),
)

test('a hall that is read in several slices has each seat once, front to back and along the row', async () => {
  const id = world.id('event')
  const plan = await readSeatPlan(database.db, { shard: shardOf(id), id })
  const seats = Array.from({ length: plan.size }, (_, seat) => seat)
  const places = seats.map((seat) => `${plan.rows[plan.row_of[seat]!]!.seat_row}/${plan.seat_numbers[seat]}`)
  expect(places).toEqual(
    rows.flatMap(({ row }) => Array.from({ length: SEATS_IN_ROW }, (_, nth) => `${row}/${nth + 1}`)),
  )
  const tickets = seats.map((seat) => ticketOf(plan, seat))
  expect(new Set(tickets).size).toBe(ROWS * SEATS_IN_ROW)
  expect([...plan.by_id].map((seat) => tickets[seat])).toEqual(tickets.toSorted())
  const stored = await database.db.query<{ id: string; number: number }>(
    { name: 'numbers_of_tickets', text: 'SELECT id, number FROM tickets WHERE event = $1' },
    [id],
  )
  const number_of = new Map(stored.map((ticket) => [ticket.id, ticket.number]))
  expect([...plan.numbers]).toEqual(tickets.map((ticket) => number_of.get(ticket)))
})
