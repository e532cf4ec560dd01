import { loadStatements } from './db/sql-file.ts'

export const statements = loadStatements(new URL('./list-pages-rows.sql', import.meta.url), [
  'recall_page',
  'remember_page',
  'forget_pages',
])
