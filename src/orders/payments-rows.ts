import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./payments-rows.sql', import.meta.url), [
  'payments_of_order',
  'order_of_payment',
  'insert_payment',
  'finish_payment',
])
