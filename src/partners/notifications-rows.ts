import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./notifications-rows.sql', import.meta.url), [
  'load_subscriptions',
  'write_notifications',
  'forget_notifications',
])

/** An enabled webhook; no types mean all. */
export type SubscriptionRow = { partner: string; types: string[] }
