import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./list-events-in-slices-rows.sql', import.meta.url), [
  'events_after',
])

/** `start` is a text of the database's, which has no rounding. */
export type PlaceRow = { id: string; start: string }
