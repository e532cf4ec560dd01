/** Tickets in the database: locking what is vacant, and the only statements that change a ticket while it is sold. */
import { inLockOrder, keyColumns, shardOf } from '../kernel/ids.ts'
import type { ShardKey } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './tickets-rows.ts'
import type { HeldRow, TicketRow, VacantRow } from './tickets-rows.ts'

/** What never changes about a ticket. */
export type Ticket = {
  readonly id: string
  readonly set: string
  readonly serial: string
  readonly number: number
  readonly seat: { readonly sector: string; readonly row: string; readonly number: string } | null
}

export type VacantTicket = Ticket & { readonly event: string }

/** A ticket of a live or done order, at the price it was reserved for; money in minor units. */
export type HeldTicket = Ticket & {
  readonly price: number
  readonly discount: number
  readonly nominal: number
  readonly extra: number
  readonly barcode: string | null
}

/** What one transaction makes of a ticket. */
export type TicketChange = {
  readonly id: string
  /** The order that has it reserved; null: it is vacant. */
  readonly holder: string | null
  /** What it is then, sold if it has a barcode; null: vacant. */
  readonly becomes: {
    readonly order: string
    readonly ticket: HeldTicket
    /** Epoch milliseconds; null when it is sold. */
    readonly reserved_till: number | null
  } | null
}

/** By how much the counts of a set move. */
export type CountMove = { vacant: number; held: number; sold: number }

/**
 * Locks those of the tickets that are vacant, in the order of shards and ids, and answers them. With `wait` it waits for a
 * transaction that is changing one of them, else such a ticket counts as taken.
 */
export async function lockVacant(
  tx: Queryable,
  wanted: readonly ShardKey[],
  options: { wait: boolean },
): Promise<VacantTicket[]> {
  if (wanted.length === 0) return []
  const statement = options.wait ? statements.lock_vacant : statements.lock_vacant_unless_busy
  const rows = await tx.query<VacantRow>(statement, keyColumns(inLockOrder(wanted)))
  return rows.map(vacantTicketOf)
}

/** Fails when one of the tickets is vacant; the statement is sent at once. */
export function checkTaken(tx: Queryable, tickets: readonly ShardKey[]): Promise<unknown>[] {
  return tickets.length === 0 ? [] : [tx.query(statements.still_taken, keyColumns(tickets))]
}

/**
 * Locks up to `count` vacant tickets of a set, whichever they are, and answers them, front rows first. What this transaction
 * has locked before is among them; what another one has locked counts as taken.
 */
export async function lockAnyVacant(
  tx: Queryable,
  { shard, event, set }: { shard: number; event: string; set: string },
  count: number,
): Promise<VacantTicket[]> {
  const rows = await tx.query<VacantRow>(statements.lock_any_vacant, [shard, event, set, count])
  return rows.map(vacantTicketOf)
}

/** Where a ticket belongs. */
export type TicketPlace = { readonly event: string; readonly set: string }

/** The event and set of each ticket that exists, by ticket id. */
export async function placesOfTickets(
  db: Queryable,
  wanted: readonly ShardKey[],
): Promise<Map<string, TicketPlace>> {
  if (wanted.length === 0) return new Map()
  const rows = await db.query<TicketPlace & { id: string }>(statements.places_of_tickets, keyColumns(wanted))
  return new Map(rows.map(({ id, event, set }) => [id, { event, set }]))
}

/** The tickets of the orders, by ticket id. */
export async function ticketsOfOrders(
  db: Queryable,
  orders: readonly string[],
): Promise<Map<string, HeldTicket>> {
  return heldById(await db.query<HeldRow>(statements.tickets_of_orders, [orders.map(shardOf), orders]))
}

/** Tickets of live or done orders in any shards, by id. */
export async function ticketsById(db: Queryable, ids: readonly string[]): Promise<Map<string, HeldTicket>> {
  return heldById(await db.query<HeldRow>(statements.tickets_by_id, [ids.map(shardOf), ids]))
}

function heldById(rows: readonly HeldRow[]): Map<string, HeldTicket> {
  return new Map(
    rows.map((row) => {
      const { price, discount, nominal, extra, barcode } = row
      return [row.id, { ...ticketOf(row), price, discount, nominal, extra, barcode }]
    }),
  )
}

function vacantTicketOf(row: VacantRow): VacantTicket {
  return { ...ticketOf(row), event: row.event }
}

function ticketOf(row: TicketRow): Ticket {
  return {
    id: row.id,
    set: row.set,
    serial: row.serial,
    number: row.number,
    seat:
      row.sector === null
        ? null
        : { sector: row.sector, row: row.seat_row as string, number: row.seat_number as string },
  }
}

/**
 * Writes what becomes of the tickets; the statement is sent at once, and fails when one is not in the state that its change starts
 * from. The orders they belong to are locked by the caller, and the vacant ones unless it only takes them for vacant.
 */
export function saveTickets(tx: Queryable, changes: readonly TicketChange[]): Promise<unknown>[] {
  if (changes.length === 0) return []
  const reserved_till = changes.map(({ becomes }) => becomes?.reserved_till ?? null)
  return [
    tx.query(statements.change_tickets, [
      changes.map(({ id }) => shardOf(id)),
      changes.map(({ id }) => id),
      changes.map(({ holder }) => holder),
      changes.map(({ becomes }) => becomes?.order),
      reserved_till.map((till) => till && new Date(till).toISOString()),
      changes.map(({ becomes }) => becomes?.ticket.price),
      changes.map(({ becomes }) => becomes?.ticket.discount),
      changes.map(({ becomes }) => becomes?.ticket.nominal),
      changes.map(({ becomes }) => becomes?.ticket.extra),
      changes.map(({ becomes }) => becomes?.ticket.barcode),
    ]),
  ]
}

/**
 * Moves the counts of the sets, by set id, in the order of shards and ids; the statement is sent at once. Fails when a set has
 * none.
 */
export function saveCounts(tx: Queryable, counts: ReadonlyMap<string, CountMove>): Promise<unknown>[] {
  const moves = [...counts].filter(([, by]) => by.vacant !== 0 || by.held !== 0 || by.sold !== 0)
  if (moves.length === 0) return []
  const moved = inLockOrder(moves.map(([id, by]) => ({ shard: shardOf(id), id, by })))
  return [
    tx.query(statements.move_counts, [
      moved.map(({ shard }) => shard),
      moved.map(({ id }) => id),
      moved.map(({ by }) => by.vacant),
      moved.map(({ by }) => by.held),
      moved.map(({ by }) => by.sold),
    ]),
  ]
}
