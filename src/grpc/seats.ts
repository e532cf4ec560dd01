import type { MessageShape } from '@bufbuild/protobuf'
import { mayList } from '../deals/who-may-sell.ts'
import type { EventErrorCode } from '../events/event-errors.ts'
import { seatOf, ticketOf } from '../inventory/seat-plan.ts'
import type { SeatPlan } from '../inventory/seat-plan.ts'
import { TICKET_STATUSES } from '../inventory/seating.ts'
import type { EventSeating, TicketStatus } from '../inventory/seating.ts'
import { DomainError } from '../kernel/domain-error.ts'
import { isFresh } from '../platform/shared-read.ts'
import { encodedSliceOf, encodeSeat } from './encode-seat.ts'
import { SeatsRequest_Status as Status } from './generated/seats_pb.js'
import type { SeatsRequestSchema } from './generated/seats_pb.js'
import { BATCH_BYTES } from './listing.ts'
import type { Batch, Listing, ListingDeps } from './listing.ts'
import { invalid, readEnum, readObjectId, readObjectIds, readText } from './read-request.ts'

/** Seats: the tickets with seats of an event, sector by sector, front to back, along the row. */
export function createSeats({ catalog, seating }: ListingDeps): Listing<typeof SeatsRequestSchema> {
  return async function* (request, { caller }) {
    const wanted = readWanted(request)
    const event = await catalog.event(wanted.event)
    if (event === undefined || !mayList(event, caller, Date.now()))
      throw new DomainError<EventErrorCode>('event_not_listed', { event: wanted.event })
    yield* batchesOf(wanted, () => seating.of(event))
  }
}

/** A reader may take minutes for a hall: each batch has the seats as they are when it is made. */
async function* batchesOf(
  wanted: Wanted,
  read: () => Promise<EventSeating>,
): AsyncGenerator<Batch, void, undefined> {
  let seating = await read()
  let isWanted = matcherOf(seating.plan, wanted)
  let seat = 0
  while (seat < seating.plan.size) {
    if (!isFresh(seating)) {
      const { plan } = seating
      seating = await read()
      if (seating.plan !== plan) {
        seat = placeAfter(seating.plan, { plan, seat })
        isWanted = matcherOf(seating.plan, wanted)
      }
    }
    const slice = await encodedSliceOf(seating.plan, seat)
    const batch: Buffer[] = []
    for (let bytes = 0; seat < slice.end && bytes < BATCH_BYTES; seat++) {
      if (wanted.is_listed[seating.statuses[seat] as number] !== true || !isWanted(seat)) continue
      const message = encodeSeat(slice, seating, seat)
      batch.push(message)
      bytes += message.length
    }
    if (batch.length > 0) yield batch
  }
}

/** Where to go on in a plan that was read again, when the seats before `seat` were streamed by an older one. */
function placeAfter(next: SeatPlan, { plan, seat }: { plan: SeatPlan; seat: number }): number {
  return seat === 0 ? 0 : seatOf(next, ticketOf(plan, seat - 1)) + 1
}

type Wanted = {
  readonly event: string
  /** By the place of a status in TICKET_STATUSES. */
  readonly is_listed: readonly boolean[]
  readonly sector: string | undefined
  readonly row: string | undefined
  readonly number: string | undefined
  readonly sets: ReadonlySet<string> | undefined
  readonly tickets: ReadonlySet<string> | undefined
}

const LISTED: Readonly<Record<Status, readonly TicketStatus[]>> = {
  [Status.ANY]: ['vacant', 'reserved', 'sold'],
  [Status.VACANT]: ['vacant'],
  [Status.RESERVED]: ['reserved'],
  [Status.SOLD]: ['sold'],
}

function readWanted(request: MessageShape<typeof SeatsRequestSchema>): Wanted {
  const event = readObjectId('event', request.event)
  if (event === undefined) throw invalid('event', 'is required')
  const listed = readEnum('status', request.status, LISTED)
  const sets = readObjectIds('sets', request.sets)
  const tickets = readObjectIds('tickets', request.tickets)
  return {
    event,
    is_listed: TICKET_STATUSES.map((status) => listed.includes(status)),
    sector: readObjectId('sector', request.sector),
    row: readText('row', request.row),
    number: readText('number', request.number),
    sets: sets && new Set(sets),
    tickets: tickets && new Set(tickets),
  }
}

/** Tells whether a seat of the plan is one that the request asks for. */
function matcherOf(
  plan: SeatPlan,
  { sector, row, number, sets, tickets }: Wanted,
): (seat: number) => boolean {
  const is_wanted_row = plan.rows.map(
    (one) =>
      (sector === undefined || one.sector === sector) &&
      (row === undefined || one.seat_row === row) &&
      (sets === undefined || sets.has(one.set)),
  )
  return (seat) =>
    is_wanted_row[plan.row_of[seat] as number] === true &&
    (number === undefined || plan.seat_numbers[seat] === number) &&
    (tickets === undefined || tickets.has(ticketOf(plan, seat)))
}
