import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./orders-rows.sql', import.meta.url), [
  'order_of_partner',
  'orders_to_lapse',
])
