/**
 * A seat as a message on the wire. All but its status is encoded once, for all callers and as long as the plan is known: the
 * status and its time have the highest numbers, so they follow. (Encoded messages that are joined are one message with the
 * fields of all, so each part is encoded by the schema as a message of its own.)
 */
import { create, toBinary } from '@bufbuild/protobuf'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { ticketOf } from '../inventory/seat-plan.ts'
import type { SeatPlan } from '../inventory/seat-plan.ts'
import { TICKET_STATUSES } from '../inventory/seating.ts'
import type { EventSeating } from '../inventory/seating.ts'
import { Seat_TicketStatus as Status, SeatSchema } from './generated/seats_pb.js'

/** Of each seat the message it has when it is sold. Without its end it is that of a vacant one, whose status is the default. */
type EncodedPlan = { readonly messages: Buffer; readonly ends: Uint32Array }

const SOLD_END = encode({ status: Status.SOLD })
const ID = '0'.repeat(24)
/** What stands before the id in an encoded `ticket`. */
const TICKET_HEAD = encode({ ticket: ID }).subarray(0, -ID.length)

const encoded_plans = new WeakMap<SeatPlan, EncodedPlan>()

/** The message of a seat that is not `pending`. */
export function encodeSeat({ plan, statuses, reserved_till }: EventSeating, seat: number): Buffer {
  const { messages, ends } = encodedPlanOf(plan)
  const begin = seat === 0 ? 0 : (ends[seat - 1] as number)
  const end = ends[seat] as number
  const status = TICKET_STATUSES[statuses[seat] as number]
  if (status === 'sold') return messages.subarray(begin, end)
  const vacant = messages.subarray(begin, end - SOLD_END.length)
  return status === 'reserved' ? Buffer.concat([vacant, reservedEnd(reserved_till[seat] as number)]) : vacant
}

function reservedEnd(till: number): Buffer {
  return encode({ status: Status.RESERVED, ticketReservedTill: timestampFromMs(till) })
}

function encodedPlanOf(plan: SeatPlan): EncodedPlan {
  let encoded = encoded_plans.get(plan)
  if (encoded === undefined) encoded_plans.set(plan, (encoded = encodePlan(plan)))
  return encoded
}

function encodePlan(plan: SeatPlan): EncodedPlan {
  const { event, size } = plan
  const rows = plan.rows.map(({ sector, seat_row, set }) => ({
    begin: encode({ sector, row: seat_row }),
    middle: Buffer.concat([encode({ event, set }), TICKET_HEAD]),
  }))
  // A hall has few labels, each many times.
  const numbers = new Map([...new Set(plan.seat_numbers)].map((number) => [number, encode({ number })]))
  const partsOf = (seat: number) => {
    const { begin, middle } = rows[plan.row_of[seat] as number]!
    return [begin, numbers.get(plan.seat_numbers[seat] as string)!, middle] as const
  }
  const ends = new Uint32Array(size)
  let length = 0
  for (let seat = 0; seat < size; seat++) {
    for (const part of partsOf(seat)) length += part.length
    length += ID.length + SOLD_END.length
    ends[seat] = length
  }
  const messages = Buffer.allocUnsafeSlow(length)
  let at = 0
  const write = (part: Buffer) => {
    messages.set(part, at)
    at += part.length
  }
  for (let seat = 0; seat < size; seat++) {
    for (const part of partsOf(seat)) write(part)
    at += messages.write(ticketOf(plan, seat), at, 'latin1')
    write(SOLD_END)
  }
  return { messages, ends }
}

function encode(fields: MessageInitShape<typeof SeatSchema>): Buffer {
  const { buffer, byteOffset, byteLength } = toBinary(SeatSchema, create(SeatSchema, fields))
  return Buffer.from(buffer, byteOffset, byteLength)
}
