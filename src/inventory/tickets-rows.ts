import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./tickets-rows.sql', import.meta.url), [
  'lock_vacant',
  'lock_vacant_unless_busy',
  'lock_any_vacant',
  'places_of_tickets',
  'tickets_of_orders',
  'tickets_by_id',
  'place_of_set',
  'seated_sets',
  'rows_of_set',
  'vacant_places',
  'vacant_counts',
  'still_taken',
  'change_tickets',
  'lock_sold',
  'return_tickets',
  'move_counts',
])

export type TicketRow = {
  id: string
  set: string
  serial: string
  number: number
  sector: string | null
  seat_row: string | null
  seat_number: string | null
}

export type VacantRow = TicketRow & { event: string }

export type HeldRow = TicketRow & {
  order: string
  price: number
  discount: number
  nominal: number
  extra: number
  barcode: string | null
}

/** `first` and `last` are ids of tickets of the shard; null when it has none. */
export type SetPlaceRow = { with_seats: boolean; first: string | null; last: string | null }

/** Words with a space between; ids and numbers in the same order. */
export type VacantPlacesRow = { ids: string; numbers: string; serial: string | null }

export type SeatedSetRow = { id: string; amount: number }

/** Of the seats of a row; ids are words with a space between, lists in the same order. */
export type SetRowRow = {
  sector: string
  seat_row: string
  row_pos: number
  serial: string
  ids: string
  seat_numbers: string[]
  seat_positions: number[]
  numbers: number[]
  vacant: boolean[]
}
