import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./list-maps-rows.sql', import.meta.url), [
  'list_maps',
  'load_map',
])
