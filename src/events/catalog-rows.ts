import { loadStatements } from '../platform/db/sql-file.ts'
import type { CustomField, EventEntry, Ladder, Partner } from './event-entry.ts'

export const statements = loadStatements(new URL('./catalog-rows.sql', import.meta.url), [
  'load_events',
  'load_sets',
  'load_promotions',
  'load_custom_fields',
  'load_deals',
  'load_accounts',
  'load_partners',
])

export type EventRow = Pick<
  EventEntry,
  | 'shard'
  | 'id'
  | 'status'
  | 'open_date'
  | 'currency'
  | 'age_rating'
  | 'meta'
  | 'category'
  | 'tags'
  | 'artists'
  | 'media'
  | 'ticket_template'
  | 'view_limits'
  | 'order_lifetime_s'
  | 'max_tickets_per_order'
  | 'promokey_required'
  | 'smart_tickets'
  | 'refund_policy'
  | 'updated_at'
  | 'map'
  | 'sectors'
  | 'venue'
> & {
  title: { text: string; desc?: string }
  start: number
  finish: number
  org: Partner
}

export type SetRow = {
  event: string
  id: string
  pos: number
  name: string
  desc: string
  price: number
  with_seats: boolean
  sector: string | null
  promokey_required: boolean
} & (
  | { rule: string; rule_start: number; rule_finish: number; rule_price: number }
  | { rule: null; rule_start: null; rule_finish: null; rule_price: null }
)

/** One of percentage, fix and levels is not null. */
export type PromotionRow = {
  event: string
  id: string
  start: number | null
  finish: number | null
  sets: string[]
  percentage: number | null
  fix: number | null
  levels: Ladder | null
}

export type CustomFieldRow = CustomField & { event: string }

export type DealRow = {
  id: string
  org: string
  vendor: string
  events: string[] | null
  org_share: number
  agent: number
  extra: number
  start: number | null
  finish: number | null
  active: boolean
  refund_approval: 'vendor' | 'org'
}

export type AccountRow = { id: string; partner: string; kind: 'org' | 'vendor'; currency: string }
