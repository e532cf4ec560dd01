import { fromBinary } from '@bufbuild/protobuf'
import { expect, onTestFinished, test } from 'vitest'
import type { SeatPlan } from '../inventory/seat-plan.ts'
import { TICKET_STATUSES } from '../inventory/seating.ts'
import { newId, NO_SHARD } from '../kernel/ids.ts'
import { encodedSliceOf, encodeSeat } from './encode-seat.ts'
import type { EncodedSlice } from './encode-seat.ts'
import { Seat_TicketStatus as Status, SeatSchema } from './generated/seats_pb.js'

/** More than two slices; one ends within a row. */
const SEATS = 25_000
const SEATS_IN_ROW = 97
const CALLERS = 3
const NOW = Date.parse('2026-11-20T12:00:00Z')

const makeId = () => newId(NO_SHARD, NOW)
const seats = Array.from({ length: SEATS }, (_, seat) => seat)
const tickets = seats.map(makeId)
const rowOf = (seat: number) => Math.floor(seat / SEATS_IN_ROW)
const numberOf = (seat: number) => String((seat % SEATS_IN_ROW) + 1)

function makePlan(): SeatPlan {
  const [sector, set] = [makeId(), makeId()]
  return {
    event: makeId(),
    size: SEATS,
    rows: Array.from({ length: rowOf(SEATS - 1) + 1 }, (_, row) => ({
      sector,
      seat_row: `R${row}`,
      set,
      serial: '1',
    })),
    row_of: Uint32Array.from(seats, rowOf),
    seat_numbers: seats.map(numberOf),
    numbers: Uint32Array.from(seats),
    ids: tickets.join(''),
    by_id: Uint32Array.from(seats),
  }
}

/** Calls back with each slice as it comes. */
async function readSlices(plan: SeatPlan, onSlice: (slice: EncodedSlice) => void): Promise<EncodedSlice[]> {
  const slices: EncodedSlice[] = []
  for (let seat = 0; seat < plan.size;) {
    const slice = await encodedSliceOf(plan, seat)
    onSlice(slice)
    slices.push(slice)
    seat = slice.end
  }
  return slices
}

/** Which turn of the event loop it is. */
function countTurns(): () => number {
  let turn = 0
  const count = () => {
    turn++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  onTestFinished(() => clearImmediate(next))
  return () => turn
}

test('callers that come at once share the slices, and each slice has a turn of the event loop of its own', async () => {
  const plan = makePlan()
  const turnNow = countTurns()
  const turns = new Map<EncodedSlice, number>()
  const come = (slice: EncodedSlice) => void (turns.has(slice) || turns.set(slice, turnNow()))
  const read = await Promise.all(Array.from({ length: CALLERS }, () => readSlices(plan, come)))
  for (const slices of read) expect(slices).toHaveLength(3)
  expect(turns.size).toBe(3)
  expect(new Set(turns.values()).size).toBe(3)
})

test('each seat is in one slice, as the plan and its status have it', async () => {
  const plan = makePlan()
  const statuses = Uint8Array.from(seats, (seat) => TICKET_STATUSES.indexOf(seat % 2 ? 'sold' : 'vacant'))
  const seating = { plan, statuses, reserved_till: new Float64Array(SEATS), fresh_until: Infinity }
  const slices = await readSlices(plan, () => {})
  const messages = slices.flatMap((slice) =>
    seats.slice(slice.begin, slice.end).map((seat) => encodeSeat(slice, seating, seat)),
  )
  const { sector, set } = plan.rows[0]!
  expect(messages.map((message) => fromBinary(SeatSchema, message))).toEqual(
    seats.map((seat) => ({
      $typeName: 'v3.Seat',
      sector,
      row: `R${rowOf(seat)}`,
      number: numberOf(seat),
      event: plan.event,
      set,
      ticket: tickets[seat],
      status: seat % 2 ? Status.SOLD : Status.VACANT,
    })),
  )
})
