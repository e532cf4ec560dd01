import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./list-labels-rows.sql', import.meta.url), ['list_labels'])
