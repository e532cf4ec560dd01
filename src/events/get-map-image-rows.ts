import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./get-map-image-rows.sql', import.meta.url), ['map_image'])
