/** What the schema of the listing service (proto/) says about events and seats beyond the types of their fields. */
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { Event_EventStatus as EventStatus } from '../src/grpc/generated/events_pb.js'
import type { Event, Event_TicketSet as TicketSet } from '../src/grpc/generated/events_pb.js'
import type { Lifetime, Percentage } from '../src/grpc/generated/generic_pb.js'
import { Mod_ModType as ModType } from '../src/grpc/generated/mods_pb.js'
import type { Mod } from '../src/grpc/generated/mods_pb.js'
import { Seat_TicketStatus as SeatStatus } from '../src/grpc/generated/seats_pb.js'
import type { Seat } from '../src/grpc/generated/seats_pb.js'
import { idOf, same, sumOf } from './checks.ts'
import type { SeatsWish } from './listing.ts'

const OBJECTID = /^[0-9a-f]{24}$/
const NANOS_PER_UNIT = 1_000_000_000

/** Events asked for by status PUBLIC and an end after `public_till`, epoch milliseconds. */
export function checkEvents(events: readonly Event[], { public_till }: { public_till: number }): string[] {
  const starts = events.map(({ lifetime }) => msOf(lifetime?.start))
  return [
    ...events.flatMap((event, index) => checkEvent(event, public_till).map((fault) => `[${index}].${fault}`)),
    ...same('the order of the events by their start', isAscending(starts), true),
  ]
}

function checkEvent(event: Event, public_till: number): string[] {
  const { status, lifetime, sets, mods, commissions } = event
  return [
    ...(['id', 'org', 'venue'] as const).flatMap((field) => checkId(field, event[field])),
    ...(['map', 'meta'] as const).flatMap((field) =>
      event[field] === '' ? [] : checkId(field, event[field]),
    ),
    ...same('status', EventStatus[status], 'PUBLIC'),
    ...(msOf(lifetime?.finish) > public_till ? [] : ['lifetime.finish must be after what was asked for']),
    ...(/^\d+\+$/.test(event.ageRating) ? [] : [`age_rating must be like 16+, is ${event.ageRating}`]),
    ...same('tickets_amount', event.ticketsAmount, sumOf(sets.map(({ amount }) => amount))),
    ...same('tickets_amount_vacant', event.ticketsAmountVacant, sumOf(sets.map((set) => set.amountVacant))),
    ...checkCommissions(commissions),
    ...same('the order of sets by pos', isAscending(sets.map(({ pos }) => pos)), true),
    ...sets.flatMap((set, index) => checkSet(set).map((fault) => `sets[${index}].${fault}`)),
    ...mods.flatMap((mod, index) => checkMod(mod, sets).map((fault) => `mods[${index}].${fault}`)),
    ...(event.updatedAt ? [] : ['updated_at must be there']),
  ]
}

/** A vendor sees its deal, the organizer the fee of its own sales. */
function checkCommissions({ case: kind, value }: Event['commissions']): string[] {
  if (kind === undefined) return ['deal or org_extra must be there']
  if (kind === 'orgExtra') return checkPercentage('org_extra', value)
  return [
    ...checkId('deal.id', value.id),
    ...(['org', 'agent', 'extra'] as const).flatMap((share) =>
      checkPercentage(`deal.${share}`, value[share]),
    ),
  ]
}

function checkPercentage(place: string, value: Percentage | undefined): string[] {
  return value && value.units >= 0 && value.nanos < NANOS_PER_UNIT
    ? []
    : [`${place} must be a percentage, units and less than ${NANOS_PER_UNIT} nanos`]
}

/** The last rule of a set is its base price. */
function checkSet({ id, sector, withSeats, amount, amountVacant, rules }: TicketSet): string[] {
  const base = rules.at(-1)
  return [
    ...checkId('id', id),
    ...(withSeats ? checkId('sector', sector) : []),
    ...(amountVacant <= amount ? [] : ['amount_vacant must not be more than amount']),
    ...same('rules, the id of the last,', base?.id, id),
    ...same('rules, whether the last has a lifetime,', base?.lifetime !== undefined, false),
    ...rules.flatMap(({ types }, index) => same(`rules[${index}], its type,`, types.case, 'simple')),
    ...rules
      .slice(0, -1)
      .flatMap(({ lifetime }, index) =>
        same(`rules[${index}], whether it has a lifetime,`, lifetime !== undefined, true),
      ),
  ]
}

function checkMod({ type, settings, id }: Mod, sets: readonly TicketSet[]): string[] {
  if (settings.case === undefined) return ['promotion must be there']
  const known = new Set(sets.map(idOf))
  const { sets: discounted, discount } = settings.value
  return [
    ...checkId('id', id),
    ...same('type', ModType[type], 'PROMOTION'),
    ...discounted.filter((set) => !known.has(set)).map((set) => `sets has ${set}, no set of the event`),
    ...(discount.case === undefined ? ['a discount must be there'] : []),
  ]
}

export function checkSeats(
  seats: readonly Seat[],
  {
    event,
    status,
    contains,
  }: Omit<SeatsWish, 'step' | 'contains'> & { contains: { id: string } | undefined },
): string[] {
  const seated = new Set(event.sets.filter(({ with_seats }) => with_seats).map(idOf))
  const tickets = new Set(seats.map(({ ticket }) => ticket))
  const faults = seats.flatMap((seat, index) => [
    ...checkId(`[${index}].ticket`, seat.ticket),
    ...checkId(`[${index}].sector`, seat.sector),
    ...same(`[${index}].event`, seat.event, event.id),
    ...same(`[${index}].status`, SeatStatus[seat.status], status.toUpperCase()),
    ...(seated.has(seat.set) ? [] : [`[${index}].set is no seated set of the event`]),
    ...(seat.row !== '' && seat.number !== '' ? [] : [`[${index}] must have a row and a number`]),
    ...((seat.ticketReservedTill !== undefined) === (seat.status === SeatStatus.RESERVED)
      ? []
      : [`[${index}].ticket_reserved_till must be there in status RESERVED only`]),
  ])
  return [
    ...faults,
    ...same('the number of different tickets', tickets.size, seats.length),
    ...(contains ? same('the tickets', [...tickets].join(', ') || 'none', contains.id) : []),
  ]
}

/** Of rules that hold together the one that began last is in force, else the base price: hundredths, at `now`. */
export function priceInForce({ rules }: TicketSet, now: number): bigint {
  const [base, ...dated] = rules.toReversed()
  const [latest = base] = dated
    .filter(({ lifetime }) => holds(lifetime, now))
    .sort((one, other) => msOf(other.lifetime?.start) - msOf(one.lifetime?.start))
  return latest?.types.value?.price ?? 0n
}

/** From its start up to its finish. */
function holds(lifetime: Lifetime | undefined, now: number): boolean {
  return msOf(lifetime?.start) <= now && now < msOf(lifetime?.finish)
}

/** `{ units: 12, nanos: 500_000_000 }` as `12.5%`. */
export function percentText({ units, nanos }: Percentage): string {
  const decimals = String(nanos)
    .padStart(String(NANOS_PER_UNIT).length - 1, '0')
    .replace(/0+$/, '')
  return `${units}${decimals && `.${decimals}`}%`
}

/** Epoch milliseconds; NaN of a time that is absent, which is before and after nothing. */
export function msOf(time: Timestamp | undefined): number {
  return time ? timestampMs(time) : Number.NaN
}

export function checkId(place: string, id: string): string[] {
  return OBJECTID.test(id) ? [] : [`${place} must be an objectid, is ${JSON.stringify(id)}`]
}

function isAscending(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || values[index - 1]! <= value)
}
