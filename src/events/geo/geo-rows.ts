import { loadStatements } from '../../platform/db/sql-file.ts'
import type { LocalName, Venue } from '../event-entry.ts'

export const statements = loadStatements(new URL('./geo-rows.sql', import.meta.url), [
  'own_cities',
  'own_countries',
])

export type CityRow = Venue['city']
export type CountryRow = { id: string; name: LocalName }
