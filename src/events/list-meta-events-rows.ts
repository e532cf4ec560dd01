import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./list-meta-events-rows.sql', import.meta.url), [
  'meta_events_after',
])
