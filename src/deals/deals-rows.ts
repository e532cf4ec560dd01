import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./deals-rows.sql', import.meta.url), ['deals_of_vendor'])

export type DealRow = {
  id: string
  org: string
  events: string[] | null
  extra: number
  start: number | null
  finish: number | null
  active: boolean
}
