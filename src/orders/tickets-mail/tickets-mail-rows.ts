import { loadStatements } from '../../platform/db/sql-file.ts'
import type { Order } from '../commands.ts'

export type OrderToMailRow = Pick<Order, 'id' | 'event' | 'status' | 'currency' | 'code' | 'settings'> & {
  tickets: string[]
}

export const statements = loadStatements(new URL('./tickets-mail-rows.sql', import.meta.url), [
  'order_to_mail',
])
