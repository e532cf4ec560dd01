import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./seating-rows.sql', import.meta.url), [
  'group_by_hash',
  'rows_of_seats',
  'statuses_of_seats',
])

/** The seats of a row; the lists are in one order, `ids` are joined. */
export type SeatRowRow = {
  sector: string
  seat_row: string
  row_pos: number
  set: string
  serial: string
  ids: string
  seat_numbers: string[]
  seat_positions: number[]
  numbers: number[]
}

export type StatusesRow = { statuses: string; reserved_till: string | null }
