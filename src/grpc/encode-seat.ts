/**
 * A seat as a message on the wire. All but its status is encoded once, for all callers and as long as the plan is known: the
 * status and its time have the highest numbers, so they follow. (Encoded messages that are joined are one message with the
 * fields of all, so each part is encoded by the schema as a message of its own.) A hall is encoded slice by slice, as callers
 * come to it, so that no turn of the event loop has the whole of a large one.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { ticketOf } from '../inventory/seat-plan.ts'
import { SLICE_SEATS, type SeatPlan } from '../inventory/seat-plan.ts'
import { TICKET_STATUSES } from '../inventory/seating.ts'
import type { EventSeating } from '../inventory/seating.ts'
import { Seat_TicketStatus as Status, SeatSchema } from './generated/seats_pb.js'

/** The seats from `begin` up to `end`, which is not among them, all but their status. */
export type EncodedSlice = {
  readonly begin: number
  readonly end: number
  /** Of each seat the message it has when it is sold. Without its end it is that of a vacant one, whose status is the default. */
  readonly messages: Buffer
  /** Of each seat where its message ends. */
  readonly ends: Uint32Array
}

const SOLD_END = encode({ status: Status.SOLD })
const ID = '0'.repeat(24)
/** What stands before the id in an encoded `ticket`. */
const TICKET_HEAD = encode({ ticket: ID }).subarray(0, -ID.length)

const encoded_plans = new WeakMap<SeatPlan, EncodedSlice[]>()

/** The slice that the seat is in. One that nobody has come to before is encoded in a turn of its own. */
export async function encodedSliceOf(plan: SeatPlan, seat: number): Promise<EncodedSlice> {
  const slices = encoded_plans.get(plan) ?? []
  encoded_plans.set(plan, slices)
  const nth = Math.floor(seat / SLICE_SEATS)
  if (slices[nth] === undefined) await nextTurn()
  // Another caller may have encoded it in this turn.
  return (slices[nth] ??= encodeSlice(plan, nth * SLICE_SEATS))
}

/** The message of a seat of the slice that is not `pending`. */
export function encodeSeat(
  { begin, messages, ends }: EncodedSlice,
  { statuses, reserved_till }: EventSeating,
  seat: number,
): Buffer {
  const nth = seat - begin
  const from = nth === 0 ? 0 : (ends[nth - 1] as number)
  const to = ends[nth] as number
  const status = TICKET_STATUSES[statuses[seat] as number]
  if (status === 'sold') return messages.subarray(from, to)
  const vacant = messages.subarray(from, to - SOLD_END.length)
  return status === 'reserved' ? Buffer.concat([vacant, reservedEnd(reserved_till[seat] as number)]) : vacant
}

function reservedEnd(till: number): Buffer {
  return encode({ status: Status.RESERVED, ticketReservedTill: timestampFromMs(till) })
}

function encodeSlice(plan: SeatPlan, begin: number): EncodedSlice {
  const end = Math.min(begin + SLICE_SEATS, plan.size)
  const partsOf = encodeParts(plan, { begin, end })
  const ends = new Uint32Array(end - begin)
  let length = 0
  for (let seat = begin; seat < end; seat++) {
    for (const part of partsOf(seat)) length += part.length
    length += ID.length + SOLD_END.length
    ends[seat - begin] = length
  }
  const messages = Buffer.allocUnsafeSlow(length)
  let at = 0
  const write = (part: Buffer) => {
    messages.set(part, at)
    at += part.length
  }
  for (let seat = begin; seat < end; seat++) {
    for (const part of partsOf(seat)) write(part)
    at += messages.write(ticketOf(plan, seat), at, 'latin1')
    write(SOLD_END)
  }
  return { begin, end, messages, ends }
}

/** Answers what stands before the id of a seat's ticket. A slice has few rows and labels, each many times. */
function encodeParts(plan: SeatPlan, { begin, end }: Pick<EncodedSlice, 'begin' | 'end'>) {
  const { event } = plan
  const rows = new Map(
    [...new Set(plan.row_of.subarray(begin, end))].map((row) => {
      const { sector, seat_row, set } = plan.rows[row]!
      const head = encode({ sector, row: seat_row })
      return [row, { head, middle: Buffer.concat([encode({ event, set }), TICKET_HEAD]) }]
    }),
  )
  const numbers = new Map(
    [...new Set(plan.seat_numbers.slice(begin, end))].map((number) => [number, encode({ number })]),
  )
  return (seat: number) => {
    const { head, middle } = rows.get(plan.row_of[seat] as number)!
    return [head, numbers.get(plan.seat_numbers[seat] as string)!, middle] as const
  }
}

function encode(fields: MessageInitShape<typeof SeatSchema>): Buffer {
  const { buffer, byteOffset, byteLength } = toBinary(SeatSchema, create(SeatSchema, fields))
  return Buffer.from(buffer, byteOffset, byteLength)
}
