import { loadStatements } from '../platform/db/sql-file.ts'
import type { NotificationType } from './notifications.ts'

export const statements = loadStatements(new URL('./webhooks-rows.sql', import.meta.url), [
  'list_webhooks',
  'find_webhook',
  'replace_secret',
  'enable_webhook',
  'list_deliveries',
  'count_deliveries',
  'replay_notification',
  'replay_to_webhook',
])

/** Without its secret; no types mean all. `pending` and `failed` count its deliveries. Times are epoch milliseconds. */
export type ListedWebhook = {
  id: string
  ref: string | null
  partner: string
  partner_name: string
  url: string
  types: NotificationType[]
  disabled_at: number | null
  pending: number
  failed: number
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** What became of a notification at one webhook; times are epoch milliseconds. */
export type Delivery = {
  notification: string
  type: NotificationType
  created_at: number
  webhook: string
  url: string
  status: DeliveryStatus
  /** Since it was written or replayed. */
  attempts: number
  /** The status of the last answer; null when there was none. */
  last_status: number | null
  /** Why the last attempt was none. */
  last_error: string | null
  /** The next attempt; null when there is to be none. */
  next_at: number | null
  delivered_at: number | null
}
