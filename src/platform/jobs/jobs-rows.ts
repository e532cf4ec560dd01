import { loadStatements } from '../db/sql-file.ts'

export const statements = loadStatements(new URL('./jobs-rows.sql', import.meta.url), [
  'add_jobs',
  'lock_runner',
  'release_abandoned',
])
