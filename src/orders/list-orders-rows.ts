import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./list-orders-rows.sql', import.meta.url), [
  'read_clock',
  'ids_of_partner',
  'ids_of_events',
  'count_of_partner',
  'count_of_partner_by_status',
  'count_of_partner_with_customer',
  'count_of_events',
  'count_of_events_filtered',
  'orders_by_ids',
])
