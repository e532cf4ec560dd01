/**
 * Who has which seat of an event, for all who list it. The seats are read once and again when the event has changed; their
 * statuses are one short text from the database, read for everybody who asks meanwhile. An event that is asked for now and
 * then is read for every one of them; one that is asked for often is read every half second.
 */
import assert from 'node:assert/strict'
import type { EventEntry, SetEntry } from '../events/event-entry.ts'
import type { Queryable } from '../platform/db/db.ts'
import { readSeatPlan, seatPlanOf, ticketOf } from './seat-plan.ts'
import type { SeatPlan } from './seat-plan.ts'
import { statements } from './seating-rows.ts'
import type { StatusesRow } from './seating-rows.ts'

export const TICKET_STATUSES = ['vacant', 'reserved', 'sold', 'pending'] as const
export type TicketStatus = (typeof TICKET_STATUSES)[number]

/** The seats of an event as they were at one moment. */
export type EventSeating = {
  readonly plan: SeatPlan
  /** Of each seat the place of its status in TICKET_STATUSES. */
  readonly statuses: Uint8Array
  /** Epoch milliseconds, of the seats that are reserved. */
  readonly reserved_till: Float64Array
  /** By the clock of `performance.now`. */
  readonly fresh_until: number
}

export type SeatingEvent = Pick<EventEntry, 'shard' | 'id' | 'updated_at'> & {
  readonly sets: readonly Pick<SetEntry, 'with_seats'>[]
}

export type Seating = {
  /** The seats of the event, fresh as `isFresh` has it. Throws what the store throws. */
  of(event: SeatingEvent): Promise<EventSeating>
}

/** Counted from when reading began. The listings promise a second; the rest is for reading and for the answer. */
const FRESH_MS = 500
/** Counted from when it was read: a store that is slow is not asked for every batch of a stream. */
const SHOWN_MS = 250
/** How often in a row an event is read for everybody who asks. One more each FRESH_MS. */
const READS_IN_A_ROW = 10
/** A seat takes 45 bytes here and, once it was listed by gRPC, 120 there: 64 MB. */
const SEATS_MAX = 400_000

/** Whether it may still be shown; otherwise it is to be asked for again. */
export function isFresh({ fresh_until }: EventSeating): boolean {
  return performance.now() <= fresh_until
}

type Slot = {
  plan: PlanSlot | undefined
  /** While it is fresh. */
  seating: EventSeating | undefined
  reading: Promise<EventSeating> | undefined
  allowance: { reads: number; counted_at: number }
}

type PlanSlot = {
  readonly updated_at: number
  readonly reading: Promise<SeatPlan>
  /** How many seats, and from which ticket to which; 0 and all while it is being read. */
  size: number
  range: IdRange
}

/** Between which ids tickets are looked for: an event may have many more without seats. */
type IdRange = readonly [first: string, last: string]
/** Ids begin with 0 to f. */
const ALL_IDS: IdRange = ['0', 'g']

/** `seats_max`: of how many seats the plans are kept; the event unused for longest goes first. */
export function createSeating({ db, seats_max = SEATS_MAX }: { db: Queryable; seats_max?: number }): Seating {
  const slots = new Map<string, Slot>()

  function slotOf(event: SeatingEvent): Slot {
    const slot = slots.get(event.id) ?? emptySlot()
    slots.delete(event.id)
    slots.set(event.id, slot)
    return slot
  }

  /** The newest stays whatever its size. */
  function forgetUnused(): void {
    let seats = slots.values().reduce((sum, { plan }) => sum + (plan?.size ?? 0), 0)
    for (const [id, { plan }] of slots) {
      if (seats <= seats_max || slots.size === 1) return
      seats -= plan?.size ?? 0
      slots.delete(id)
    }
  }

  /** Seats are added and put elsewhere by imports alone, which set the event's `updated_at`. */
  function planOf(slot: Slot, event: SeatingEvent): PlanSlot {
    if (slot.plan !== undefined && slot.plan.updated_at >= event.updated_at) return slot.plan
    const { updated_at } = event
    const plan: PlanSlot = { updated_at, reading: readSeatPlan(db, event), size: 0, range: ALL_IDS }
    slot.plan = plan
    plan.reading.then(
      (found) => {
        Object.assign(plan, { size: found.size, range: rangeOf(found) })
        forgetUnused()
      },
      () => {
        if (slot.plan === plan) slot.plan = undefined
      },
    )
    return plan
  }

  async function read(slot: Slot, event: SeatingEvent): Promise<EventSeating> {
    for (;;) {
      const { reading, range } = planOf(slot, event)
      const read_at = performance.now()
      const [plan, [row]] = await Promise.all([
        reading,
        db.query<StatusesRow>(statements.statuses_of_seats, [event.shard, event.id, ...range]),
      ])
      assert(row)
      // Seats are never taken away, so as many are the same ones.
      if (row.statuses.length === plan.size) return seatingOf(plan, row, read_at)
      slot.plan = undefined
    }
  }

  function readAgain(slot: Slot, event: SeatingEvent): Promise<EventSeating> {
    const reading = read(slot, event)
    slot.reading = reading
    const end = (seating?: EventSeating) => {
      // Else another one began later, and is the newer.
      if (slot.reading !== reading) return
      slot.reading = undefined
      if (seating) keepWhileFresh(slot, seating)
    }
    reading.then(end, () => end())
    return reading
  }

  return {
    async of(event) {
      if (!event.sets.some((set) => set.with_seats)) return seatingOf(seatPlanOf(event.id, []), NO_STATUSES)
      const slot = slotOf(event)
      const { plan, seating, reading } = slot
      if (plan === undefined || plan.updated_at < event.updated_at) return readAgain(slot, event)
      if (reading !== undefined) return reading
      if (seating !== undefined && isFresh(seating) && !takeRead(slot.allowance)) return seating
      return readAgain(slot, event)
    },
  }
}

function emptySlot(): Slot {
  return {
    plan: undefined,
    seating: undefined,
    reading: undefined,
    allowance: { reads: READS_IN_A_ROW, counted_at: performance.now() },
  }
}

function rangeOf(plan: SeatPlan): IdRange {
  const [first, last] = [plan.by_id[0], plan.by_id.at(-1)]
  return first === undefined || last === undefined ? ALL_IDS : [ticketOf(plan, first), ticketOf(plan, last)]
}

/** Afterwards nobody is shown it, and what was made of it goes with it. */
function keepWhileFresh(slot: Slot, seating: EventSeating): void {
  slot.seating = seating
  const forget = () => {
    if (slot.seating === seating) slot.seating = undefined
  }
  setTimeout(forget, seating.fresh_until - performance.now()).unref()
}

/** Whether there was a read left to take. */
function takeRead(allowance: Slot['allowance']): boolean {
  const now = performance.now()
  allowance.reads = Math.min(READS_IN_A_ROW, allowance.reads + (now - allowance.counted_at) / FRESH_MS)
  allowance.counted_at = now
  if (allowance.reads < 1) return false
  allowance.reads--
  return true
}

const NO_STATUSES: StatusesRow = { statuses: '', reserved_till: null }
/** By the first letter's code, the place of a status in TICKET_STATUSES. */
const STATUS_OF_LETTER = Uint8Array.from({ length: 128 }, (_place, code) =>
  Math.max(
    TICKET_STATUSES.findIndex((status) => status.charCodeAt(0) === code),
    0,
  ),
)
const RESERVED = TICKET_STATUSES.indexOf('reserved')

/** `read_at`: when the reading of the statuses began. */
function seatingOf(plan: SeatPlan, row: StatusesRow, read_at = performance.now()): EventSeating {
  const statuses = new Uint8Array(plan.size)
  const reserved_till = new Float64Array(plan.size)
  const times = row.reserved_till?.split(',') ?? []
  let reserved = 0
  for (const [nth, seat] of plan.by_id.entries()) {
    const status = STATUS_OF_LETTER[row.statuses.charCodeAt(nth)] as number
    statuses[seat] = status
    if (status === RESERVED) reserved_till[seat] = Number(times[reserved++])
  }
  const fresh_until = Math.max(read_at + FRESH_MS, performance.now() + SHOWN_MS)
  return { plan, statuses, reserved_till, fresh_until }
}
