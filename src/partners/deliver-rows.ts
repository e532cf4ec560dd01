import { loadStatements } from '../platform/db/sql-file.ts'
import type { NotificationType } from './notifications.ts'

export const statements = loadStatements(new URL('./deliver-rows.sql', import.meta.url), [
  'claim_deliveries',
  'set_delivered',
  'set_not_delivered',
  'disable_webhook',
  'fail_pending',
])

/** A delivery that this process is to attempt now. `attempts` counts this one; `created_at` is epoch milliseconds. */
export type ClaimedDelivery = {
  notification: string
  webhook: string
  attempts: number
  url: string
  secret: Buffer
  type: NotificationType
  created_at: number
  record: unknown
}
