import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./set-stock-rows.sql', import.meta.url), [
  'amounts_of_sets',
  'seats_of_sets',
])

/** Comma-separated, of the same sets in the same order. */
export type AmountsRow = { sets: string; amounts: string; vacant: string }

export type SeatsRow = { set: string; row: string; numbers: string[] }
