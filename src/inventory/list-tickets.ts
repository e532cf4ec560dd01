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
}

export type SeatedTicketFilters = {
  readonly status: readonly TicketStatus[]
  /** Of these sectors; undefined: of all. */
  readonly sector: readonly string[] | undefined
}

/** The event's tickets with seats, all of them at once, sector by sector, front to back, along the row. */
export function listSeatedTickets(
  db: Queryable,
  event: { readonly shard: number; readonly id: string },
  { status, sector }: SeatedTicketFilters,
): Promise<SeatedTicket[]> {
  return db.query(statements.list_seated_tickets, [event.shard, event.id, status, sector])
}
