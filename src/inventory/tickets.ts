/** Tickets in the database: locking what is vacant, and the only statements that change a ticket while it is sold. */
import { shardOf } from '../kernel/ids.ts'
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

/** What one transaction changes on the tickets of one shard. */
export type TicketChanges = {
  /** vacant -> reserved, or a new price for a held ticket; `reserved_till` is epoch milliseconds. */
  readonly hold: { readonly ticket: HeldTicket; readonly order: string; readonly reserved_till: number }[]
  /** reserved -> sold. */
  readonly sell: { readonly id: string; readonly order: string; readonly barcode: string }[]
  /** reserved -> vacant. */
  readonly release: { readonly id: string; readonly order: string }[]
}

/** By how much the counts of a set move. */
export type CountMove = { vacant: number; held: number; sold: number }

/**
 * Locks those of the tickets that are vacant and answers them by id. With `wait` it waits for a transaction that is
 * changing one of them, else such a ticket counts as taken.
 */
export async function lockVacant(
  tx: Queryable,
  shard: number,
  ids: readonly string[],
  options: { wait: boolean },
): Promise<VacantTicket[]> {
  const statement = options.wait ? statements.lock_vacant : statements.lock_vacant_unless_busy
  const rows = await tx.query<VacantRow>(statement, [shard, ids.toSorted()])
  return rows.map((row) => ({ ...ticketOf(row), event: row.event }))
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
  return rows.map((row) => ({ ...ticketOf(row), event: row.event }))
}

/** Where a ticket belongs. */
export type TicketPlace = { readonly event: string; readonly set: string }

/** The event and set of each ticket that exists, by ticket id. */
export async function placesOfTickets(
  db: Queryable,
  shard: number,
  ids: readonly string[],
): Promise<Map<string, TicketPlace>> {
  const rows = await db.query<TicketPlace & { id: string }>(statements.places_of_tickets, [shard, ids])
  return new Map(rows.map(({ id, event, set }) => [id, { event, set }]))
}

/** The tickets of the orders, by ticket id. */
export async function ticketsOfOrders(
  db: Queryable,
  shard: number,
  orders: readonly string[],
): Promise<Map<string, HeldTicket>> {
  return heldById(await db.query<HeldRow>(statements.tickets_of_orders, [shard, orders]))
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
 * Writes what becomes of the tickets; the statements are sent at once. The orders they belong to, and the vacant tickets, are
 * locked by the caller, so a ticket that is not in the state the change starts from is a bug: the statement fails.
 */
export function saveTickets(tx: Queryable, shard: number, changes: TicketChanges): Promise<unknown>[] {
  const { hold, sell, release } = changes
  const saved: Promise<unknown>[] = []
  if (hold.length > 0)
    saved.push(
      tx.query(statements.hold_tickets, [
        shard,
        hold.map(({ ticket }) => ticket.id),
        hold.map(({ order }) => order),
        hold.map(({ reserved_till }) => new Date(reserved_till).toISOString()),
        hold.map(({ ticket }) => ticket.price),
        hold.map(({ ticket }) => ticket.discount),
        hold.map(({ ticket }) => ticket.nominal),
        hold.map(({ ticket }) => ticket.extra),
      ]),
    )
  if (sell.length > 0)
    saved.push(
      tx.query(statements.sell_tickets, [
        shard,
        sell.map(({ id }) => id),
        sell.map(({ order }) => order),
        sell.map(({ barcode }) => barcode),
      ]),
    )
  if (release.length > 0)
    saved.push(
      tx.query(statements.release_tickets, [
        shard,
        release.map(({ id }) => id),
        release.map(({ order }) => order),
      ]),
    )
  return saved
}

/** Moves the counts of the sets, in the order of their ids; the statement is sent at once. Fails when a set has none. */
export function saveCounts(
  tx: Queryable,
  shard: number,
  counts: ReadonlyMap<string, CountMove>,
): Promise<unknown>[] {
  const moved = [...counts]
    .filter(([, by]) => by.vacant !== 0 || by.held !== 0 || by.sold !== 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (moved.length === 0) return []
  return [
    tx.query(statements.move_counts, [
      shard,
      moved.map(([set]) => set),
      moved.map(([, by]) => by.vacant),
      moved.map(([, by]) => by.held),
      moved.map(([, by]) => by.sold),
    ]),
  ]
}
