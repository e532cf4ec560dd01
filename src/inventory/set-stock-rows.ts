import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./set-stock-rows.sql', import.meta.url), [
  'amounts_of_sets',
  'seats_of_sets',
])

export type AmountRow = { set: string; amount: number; vacant: number }

export type SeatsRow = { set: string; row: string; numbers: string[] }
