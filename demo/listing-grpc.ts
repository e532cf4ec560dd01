/** The events and seats of the gRPC listing service, each answer checked against its schema. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { EventsRequest_Status as EventStatus } from '../src/grpc/generated/events_pb.js'
import type { Event } from '../src/grpc/generated/events_pb.js'
import { SeatsRequest_Status as SeatStatus } from '../src/grpc/generated/seats_pb.js'
import type { Lister } from './lister.ts'
import type { ListedEvent, Listing, SeatsWish } from './listing.ts'
import { checkEvents, checkSeats, percentText, priceInForce } from './schema-checks.ts'

const STATUSES = {
  vacant: SeatStatus.VACANT,
  reserved: SeatStatus.RESERVED,
  sold: SeatStatus.SOLD,
} satisfies Record<SeatsWish['status'], SeatStatus>

export function createGrpcListing(lister: Lister): Listing {
  return {
    async listEvents(step) {
      const now = Date.now()
      const events = await lister.list({
        step,
        method: 'events',
        request: { status: EventStatus.PUBLIC, lifetime: { finish: { gt: timestampFromMs(now) } } },
        check: (listed) => checkEvents(listed, { public_till: now }),
      })
      return events.map((event) => toListed(event, now))
    },
    async listSeats({ step, event, status, contains }) {
      const seats = await lister.list({
        step,
        method: 'seats',
        request: { event: event.id, tickets: contains ? [contains.id] : [], status: STATUSES[status] },
        until: contains && ((listed) => listed.some(({ ticket }) => ticket === contains.id)),
        check: (listed) => checkSeats(listed, { event, status, contains }),
      })
      return seats.map(({ ticket, set }) => ({ id: ticket, set }))
    },
  }
}

/** The event is as the schema says. */
function toListed({ id, name, ticketsAmountVacant, commissions, sets }: Event, now: number): ListedEvent {
  const extra = commissions.case === 'deal' ? commissions.value.extra : commissions.value
  return {
    id,
    name,
    amount_vacant: ticketsAmountVacant,
    extra: percentText(extra!),
    sets: sets.map((set) => ({
      id: set.id,
      with_seats: set.withSeats,
      amount_vacant: set.amountVacant,
      price: priceInForce(set, now),
    })),
  }
}
