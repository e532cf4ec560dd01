import { newId } from '../../kernel/ids.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { FaultList } from './import-faults.ts'
import { sql } from './import-rows.ts'
import type { Seat } from './layout.ts'

/** Big enough that a statement's own cost vanishes, small enough to be nothing in memory. */
const BATCH = 20_000

/** What is to happen with the tickets of a set. */
export type TicketPlan = {
  readonly path: string
  readonly shard: number
  readonly event: string
  readonly set: string
  readonly serial: string
  readonly is_new: boolean
  /** The number of the first new ticket. */
  readonly first_number: number
  /** New tickets on sale and withheld. */
  vacant: number
  pending: number
  /** Undefined for a set without seats, whose withheld tickets are the last ones. */
  seats: { sector: string; added: () => Iterable<Seat>; isPending: (seat: Seat) => boolean } | undefined
  /** Seats whose row or neighbours are others now. */
  moved: { id: string; row_pos: number; seat_pos: number }[]
  /** Tickets that exist and change sides: that many of a set without seats, those ids of one with. */
  withhold: number | string[]
  give_back: number | string[]
}

const countOf = (tickets: number | string[]) => (typeof tickets === 'number' ? tickets : tickets.length)

/** True when the plan leaves every ticket of the set as it is. */
export function leavesTickets({ vacant, pending, moved, withhold, give_back }: TicketPlan): boolean {
  return vacant + pending + moved.length + countOf(withhold) + countOf(give_back) === 0
}

type WriteOptions = { now: number; faults: FaultList; progress: (message: string) => void }

/**
 * Writes the tickets of all plans. Locks are taken in the order of all who change tickets, tickets before counters
 * (for those see `writeCounts`); only seats that get another place are waited for, so they come first.
 */
export async function writeTickets(
  tx: Queryable,
  plans: readonly TicketPlan[],
  options: WriteOptions,
): Promise<void> {
  for (const plan of plans.toSorted(byShard)) await moveSeats(tx, plan)
  for (const plan of plans) {
    await insertTickets(tx, plan, options)
    await turnTickets(tx, plan, {
      tickets: plan.withhold,
      from: 'vacant',
      to: 'pending',
      faults: options.faults,
    })
    await turnTickets(tx, plan, {
      tickets: plan.give_back,
      from: 'pending',
      to: 'vacant',
      faults: options.faults,
    })
  }
}

/** Brings the counters to what `writeTickets` made true, in the order of set ids. */
export async function writeCounts(tx: Queryable, plans: readonly TicketPlan[]): Promise<void> {
  for (const plan of plans.toSorted((a, b) => (a.set < b.set ? -1 : 1))) {
    const { shard, set, event, is_new, vacant, pending } = plan
    const turned = countOf(plan.withhold) - countOf(plan.give_back)
    if (is_new) await tx.query(sql.insert_counts, [shard, set, event, vacant, pending])
    else if (vacant + pending !== 0 || turned !== 0)
      await tx.query(sql.change_counts, [shard, set, vacant - turned, pending + turned])
  }
}

const byShard = (a: TicketPlan, b: TicketPlan) => a.shard - b.shard || (a.event < b.event ? -1 : 1)

async function moveSeats(tx: Queryable, { shard, moved }: TicketPlan): Promise<void> {
  if (moved.length === 0) return
  await tx.query(sql.lock_tickets, [shard, moved.map((seat) => seat.id)])
  const columns = [
    moved.map((seat) => seat.id),
    moved.map((seat) => seat.row_pos),
    moved.map((seat) => seat.seat_pos),
  ]
  await tx.query(sql.move_seats, [shard, ...columns])
}

async function insertTickets(
  tx: Queryable,
  plan: TicketPlan,
  { now, progress }: WriteOptions,
): Promise<void> {
  const { shard, event, set, serial, seats } = plan
  const total = plan.vacant + plan.pending
  const iterator = seats?.added()[Symbol.iterator]()
  for (let done = 0; done < total; done += BATCH) {
    const size = Math.min(BATCH, total - done)
    const ids = Array.from({ length: size }, () => newId(shard, now))
    const batch = iterator && Array.from({ length: size }, () => iterator.next().value as Seat)
    const pending =
      batch && seats
        ? batch.map((seat) => seats.isPending(seat))
        : Array.from({ length: size }, (_, nth) => done + nth >= plan.vacant)
    const places = batch
      ? [batch.map((seat) => seat.row), batch.map((seat) => seat.number), ...placesOf(batch)]
      : [null, null, null, null]
    const first = plan.first_number + done
    await tx.query(sql.insert_tickets, [
      shard,
      event,
      set,
      serial,
      first,
      seats?.sector,
      ids,
      pending,
      ...places,
    ])
    progress(`${plan.path}: ${done + size} of ${total} tickets`)
  }
}

const placesOf = (seats: readonly Seat[]) => [
  seats.map((seat) => seat.row_pos),
  seats.map((seat) => seat.seat_pos),
]

type TurnOptions = {
  tickets: number | string[]
  from: 'vacant' | 'pending'
  to: 'vacant' | 'pending'
  faults: FaultList
}

async function turnTickets(
  tx: Queryable,
  plan: TicketPlan,
  { tickets, from, to, faults }: TurnOptions,
): Promise<void> {
  const wanted = countOf(tickets)
  if (wanted === 0) return
  const turned =
    typeof tickets === 'number'
      ? await tx.query(sql.turn_some, [plan.shard, plan.set, from, to, tickets])
      : await tx.query(sql.turn_seats, [plan.shard, tickets, from, to])
  if (turned.length < wanted)
    faults.add(
      `${plan.path}.pending`,
      `${wanted - turned.length} of the tickets are being sold at this moment`,
    )
}
