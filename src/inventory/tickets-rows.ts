import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./tickets-rows.sql', import.meta.url), [
  'lock_vacant',
  'lock_vacant_unless_busy',
  'lock_any_vacant',
  'places_of_tickets',
  'tickets_of_orders',
  'tickets_by_id',
  'vacancy_of_event',
  'vacant_counts',
  'hold_tickets',
  'sell_tickets',
  'release_tickets',
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

export type VacancyRow = {
  id: string
  set: string
  row_pos: number | null
  seat_pos: number | null
  vacant: boolean
}
