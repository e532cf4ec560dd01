import { loadStatements } from '../platform/db/sql-file.ts'
import type { CustomFields, OrderStatus } from './commands.ts'

export const statements = loadStatements(new URL('./sold-orders-rows.sql', import.meta.url), [
  'lock_order',
  'event_of_order',
  'take_out_tickets',
])

export type LockedOrderRow = {
  shard: number
  id: string
  event: string
  org: string
  vendor: string
  status: OrderStatus
  org_share: number
  tickets: string[]
  expired_after: number
  payment_till: number | null
  done_at: number | null
  promokey: string | null
  custom_fields: CustomFields | null
  now: number
}
