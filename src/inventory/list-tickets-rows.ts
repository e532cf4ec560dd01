import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./list-tickets-rows.sql', import.meta.url), [
  'list_seated_tickets',
])
