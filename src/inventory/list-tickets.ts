import type { Queryable } from '../platform/db/db.ts'
import { statements } from './list-tickets-rows.ts'

export const TICKET_STATUSES = ['vacant', 'reserved', 'sold', 'pending'] as const
export type TicketStatus = (typeof TICKET_STATUSES)[number]

/** A ticket with a seat, and its status at this moment; `reserved_till` is epoch milliseconds, set while it is reserved. */
export type SeatedTicket = {
  readonly id: string
  readonly number: number
  readonly serial: string
  readonly set: string
  readonly status: TicketStatus
  readonly reserved_till: number | null
  readonly sector: string
  readonly seat_row: string
  readonly seat_number: string
  /** From the front. */
  readonly row_pos: number
  /** Along the row. */
  readonly seat_pos: number
}

export type SeatedTicketFilters = {
  readonly status: readonly TicketStatus[]
  /** Of these sectors; undefined: of all. */
  readonly sector: readonly string[] | undefined
}

/** The event's tickets with seats, all of them at once, sector by sector, front to back, along the row. */
export async function listSeatedTickets(
  db: Queryable,
  event: { readonly shard: number; readonly id: string },
  { status, sector }: SeatedTicketFilters,
): Promise<SeatedTicket[]> {
  const tickets = await db.query<SeatedTicket>(statements.list_seated_tickets, [
    event.shard,
    event.id,
    status,
    sector,
  ])
  return tickets.sort(bySeat)
}

function bySeat(a: SeatedTicket, b: SeatedTicket): number {
  if (a.sector !== b.sector) return a.sector < b.sector ? -1 : 1
  if (a.row_pos !== b.row_pos) return a.row_pos - b.row_pos
  if (a.seat_pos !== b.seat_pos) return a.seat_pos - b.seat_pos
  return a.id < b.id ? -1 : 1
}
