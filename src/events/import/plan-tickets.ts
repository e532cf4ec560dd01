import type { SetDocument } from './document.ts'
import type { EventPlan } from './event-plan.ts'
import type { Identity } from './identify.ts'
import { childPath } from './import-faults.ts'
import { sql, type StoredSeat, type StoredSet } from './import-rows.ts'
import { seatKey, seatsOf, type Seat } from './layout.ts'
import type { Planning, Sector } from './planning.ts'
import type { TicketPlan } from './tickets.ts'

/** A set of the document, with what was found about it. */
export type SetPlan = {
  readonly set: SetDocument
  readonly identity: Identity<StoredSet>
  readonly event: EventPlan
  /** Undefined when it has none, or a fault. */
  readonly sector: Sector | undefined
  /** The rows of the sector that are of this set. */
  readonly row_names: ReadonlySet<string>
}

/** The seats that a set is to have. */
function wantedSeats({ sector, row_names }: SetPlan) {
  return seatsOf(sector?.rows ?? [], row_names)
}

function emptyPlan({ identity, event }: SetPlan, first_number: number): TicketPlan {
  return {
    path: identity.path,
    set: identity.id,
    event: event.id,
    shard: event.shard,
    serial: event.serial,
    is_new: identity.stored === undefined,
    first_number,
    vacant: 0,
    pending: 0,
    seats: undefined,
    moved: [],
    withhold: 0,
    give_back: 0,
  }
}

/**
 * Tickets without seats: `amount` may only grow. `pending` is how many are withheld, the last ones by number; left
 * out, those that are stay so.
 */
export function planStanding({ faults }: Planning, plan: SetPlan, first_number: number): TicketPlan {
  const { path, stored } = plan.identity
  const { amount, pending } = plan.set
  if (amount === undefined) faults.add(`${path}.amount`, 'is required for a set without seats')
  if (typeof pending === 'object') faults.add(`${path}.pending`, 'must be a count for a set without seats')
  const before = stored ?? { amount: 0, vacant: 0, pending: 0 }
  if (amount !== undefined && amount < before.amount)
    faults.add(
      `${path}.amount`,
      `is less than the ${before.amount} tickets that exist, and none is taken away`,
    )
  const added = Math.max((amount ?? 0) - before.amount, 0)
  const turned = typeof pending === 'number' ? pending - before.pending : 0
  if (amount !== undefined && turned > before.vacant + added)
    faults.add(
      `${path}.pending`,
      `only ${before.vacant + added} more can be withheld: the rest are held, sold or none`,
    )
  const added_pending = Math.min(added, Math.max(turned, 0))
  return {
    ...emptyPlan(plan, first_number),
    vacant: added - added_pending,
    pending: added_pending,
    withhold: Math.max(turned, 0) - added_pending,
    give_back: Math.max(-turned, 0),
  }
}

/**
 * Tickets with seats: one for every seat of the set's rows. Seats may be added and rows put elsewhere; a seat that
 * is there must stay. `pending` are the seats that are withheld; left out, those that are stay so.
 */
export async function planSeats(
  planning: Planning,
  plan: SetPlan,
  first_number: number,
): Promise<TicketPlan> {
  const { faults } = planning
  const { set, identity, event } = plan
  const tickets = emptyPlan(plan, first_number)
  if (set.amount !== undefined)
    faults.add(`${identity.path}.amount`, 'is that of the seats: a set with seats has none')
  if (!plan.sector) return tickets
  const stored = identity.stored
    ? await planning.tx.query<StoredSeat>(sql.find_seats, [event.shard, identity.id])
    : []
  const existing = new Map(stored.map((seat) => [seatKey(seat.seat_row, seat.seat_number), seat]))
  const pending = planPending(planning, plan)
  const isNew = (seat: Seat) => !existing.has(seatKey(seat.row, seat.number))
  tickets.seats = {
    sector: plan.sector.id,
    added: () => wantedSeats(plan).filter(isNew),
    isPending: (seat) => pending?.has(seatKey(seat.row, seat.number)) ?? false,
  }
  const missing = new Set(existing.keys())
  for (const seat of wantedSeats(plan)) {
    const key = seatKey(seat.row, seat.number)
    const before = existing.get(key)
    missing.delete(key)
    if (!before) tickets[pending?.has(key) ? 'pending' : 'vacant']++
    else if (before.row_pos !== seat.row_pos || before.seat_pos !== seat.seat_pos)
      tickets.moved.push({ id: before.id, row_pos: seat.row_pos, seat_pos: seat.seat_pos })
  }
  refuseMissing(
    planning,
    plan,
    [...missing].map((key) => existing.get(key)!),
  )
  if (pending && stored.length > 0) turnSeats(planning, { tickets, pending, existing })
  return tickets
}

/** The seats to be withheld, each with its JSON path, or undefined when that is left open. */
function planPending({ faults }: Planning, plan: SetPlan): Map<string, string> | undefined {
  const path = `${plan.identity.path}.pending`
  const { pending } = plan.set
  if (pending === undefined) return undefined
  if (typeof pending === 'number') {
    faults.add(path, 'must be a list of {row, number} for a set with seats')
    return undefined
  }
  const seats = new Map<string, string>()
  const known = new Set(wantedSeats(plan).map((seat) => seatKey(seat.row, seat.number)))
  for (const [index, { row, number }] of pending.entries()) {
    const key = seatKey(String(row), String(number))
    const at = childPath(path, index)
    if (!known.has(key)) faults.add(at, 'the set has no such seat')
    if (seats.has(key)) faults.add(at, `is the same as at ${seats.get(key)}`)
    seats.set(key, at)
  }
  return seats
}

function refuseMissing(
  { faults }: Planning,
  { set, identity }: SetPlan,
  missing: readonly StoredSeat[],
): void {
  const first = missing[0]
  if (!first) return
  const taken = missing.filter((seat) => seat.status === 'reserved' || seat.status === 'sold').length
  faults.add(
    `${identity.path}.${set.rows ? 'rows' : 'sector'}`,
    `leaves out ${missing.length} seats that exist (${taken} of them held or sold), such as row ${first.seat_row} ` +
      `seat ${first.seat_number}, and none is taken away`,
  )
}

type TurnOptions = {
  tickets: TicketPlan
  pending: ReadonlyMap<string, string>
  existing: ReadonlyMap<string, StoredSeat>
}

/** Which of the seats that exist are to be withheld, and which to be given back. */
function turnSeats({ faults }: Planning, { tickets, pending, existing }: TurnOptions): void {
  const withhold: string[] = []
  const give_back: string[] = []
  for (const [key, seat] of existing) {
    const at = pending.get(key)
    if (seat.status === 'pending') {
      if (at === undefined) give_back.push(seat.id)
    } else if (at !== undefined) {
      if (seat.status === 'vacant') withhold.push(seat.id)
      else faults.add(at, 'is held or sold')
    }
  }
  tickets.withhold = withhold
  tickets.give_back = give_back
}
