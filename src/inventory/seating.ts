/**
 * Who has which seat of an event, for all who list it. The seats are read once and again when the event has changed; their
 * statuses are one short text from the database, read for all who ask for them together (platform/shared-read.ts).
 */
import assert from 'node:assert/strict'
import type { EventEntry, SetEntry } from '../events/event-entry.ts'
import { createSharedRead, FRESH_MS } from '../platform/shared-read.ts'
import type { Reading, SharedRead } from '../platform/shared-read.ts'
import { emptySeatPlan, readSeatPlan, ticketOf } from './seat-plan.ts'
import type { SeatPlan, SeatReader } from './seat-plan.ts'
import { statements } from './seating-rows.ts'
import type { StatusesRow } from './seating-rows.ts'

export const TICKET_STATUSES = ['vacant', 'reserved', 'sold', 'pending'] as const
export type TicketStatus = (typeof TICKET_STATUSES)[number]

/** The seats of an event as they were at one moment. */
export type EventSeating = Reading & {
  readonly plan: SeatPlan
  /** Of each seat the place of its status in TICKET_STATUSES. */
  readonly statuses: Uint8Array
  /** Epoch milliseconds, of the seats that are reserved. */
  readonly reserved_till: Float64Array
}

export type SeatingEvent = Pick<EventEntry, 'shard' | 'id' | 'updated_at'> & {
  readonly sets: readonly Pick<SetEntry, 'with_seats'>[]
}

export type Seating = {
  /** The seats of the event, fresh as `isFresh` has it. Throws what the store throws. */
  of(event: SeatingEvent): Promise<EventSeating>
}

/** Counted from when it was read: a store that is slow is not asked for every batch of a stream. */
const SHOWN_MS = 250
/** Counted from when reading began: nothing older is shown, unless it took longer to read. */
const PROMISED_MS = 1000
/** A seat takes 45 bytes here and, once it was listed by gRPC, 120 there: 64 MB. */
const SEATS_MAX = 400_000

type Slot = {
  plan: PlanSlot | undefined
  readonly seating: SharedRead<EventSeating>
}

type PlanSlot = {
  readonly updated_at: number
  readonly reading: Promise<SeatPlan>
  is_read: boolean
  /** How many seats, and from which ticket to which; 0 and all while it is being read. */
  size: number
  range: IdRange
}

/** Between which ids tickets are looked for: an event may have many more without seats. */
type IdRange = readonly [first: string, last: string]
/** Ids begin with 0 to f. */
const ALL_IDS: IdRange = ['0', 'g']

/** `seats_max`: of how many seats the plans are kept; the event unused for longest goes first. */
export function createSeating({
  db,
  seats_max = SEATS_MAX,
}: {
  db: SeatReader
  seats_max?: number
}): Seating {
  const slots = new Map<string, Slot>()

  function slotOf(event: SeatingEvent): Slot {
    const slot = slots.get(event.id) ?? { plan: undefined, seating: createSharedRead<EventSeating>() }
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
    const reading = readSeatPlan(db, event)
    const plan: PlanSlot = { updated_at, reading, is_read: false, size: 0, range: ALL_IDS }
    slot.plan = plan
    plan.reading.then(
      (found) => {
        Object.assign(plan, { is_read: true, size: found.size, range: rangeOf(found) })
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
      const plan_slot = planOf(slot, event)
      const was_known = plan_slot.is_read
      const read_at = performance.now()
      const values = [event.shard, event.id, ...plan_slot.range]
      // A hall that is new is read on two connections: most take less time than statuses may be old.
      const [plan, [row]] = await Promise.all([
        plan_slot.reading,
        db.query<StatusesRow>(statements.statuses_of_seats, values),
      ])
      assert(row)
      if (!was_known && performance.now() - read_at > SHOWN_MS) continue
      // Seats are never taken away, so as many are the same ones.
      if (row.statuses.length === plan.size) return seatingOf(plan, row, read_at)
      slot.plan = undefined
    }
  }

  return {
    async of(event) {
      if (!event.sets.some((set) => set.with_seats)) return seatingOf(emptySeatPlan(event.id), NO_STATUSES)
      const slot = slotOf(event)
      const { plan, seating } = slot
      const is_outdated = plan === undefined || plan.updated_at < event.updated_at
      const readSeating = () => read(slot, event)
      return is_outdated ? seating.readAgain(readSeating) : seating.get(readSeating)
    },
  }
}

function rangeOf(plan: SeatPlan): IdRange {
  const [first, last] = [plan.by_id[0], plan.by_id.at(-1)]
  return first === undefined || last === undefined ? ALL_IDS : [ticketOf(plan, first), ticketOf(plan, last)]
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
  const shown_until = Math.min(performance.now() + SHOWN_MS, read_at + PROMISED_MS)
  const fresh_until = Math.max(read_at + FRESH_MS, shown_until)
  return { plan, statuses, reserved_till, fresh_until }
}
