import type { Queryable } from '../../platform/db/db.ts'
import { loadStatements } from '../../platform/db/sql-file.ts'
import type { LayoutRow } from '../rules/place-seats.ts'

export const sql = loadStatements(new URL('./import-rows.sql', import.meta.url), [
  'lock_imports',
  'next_shard',
  'find_partners',
  'find_venues',
  'find_maps',
  'find_groups',
  'find_events',
  'find_deals',
  'find_sectors',
  'find_sets',
  'find_rules',
  'find_promotions',
  'find_promocodes',
  'find_promokeys',
  'find_custom_fields',
  'find_webhooks',
  'find_seats',
  'save_partners',
  'save_countries',
  'save_cities',
  'save_venues',
  'save_maps',
  'save_sectors',
  'save_meta_events',
  'save_events',
  'save_sets',
  'save_set_rules',
  'delete_rules',
  'save_promotions',
  'delete_promotions',
  'save_promocodes',
  'save_promokeys',
  'count_orders_of_keys',
  'save_custom_fields',
  'touch_events',
  'partners_to_notify',
  'save_deals',
  'save_api_keys',
  'save_webhooks',
  'insert_tickets',
  'lock_tickets',
  'move_seats',
  'turn_seats',
  'turn_some',
  'insert_counts',
  'change_counts',
  'ensure_accounts',
  'find_accounts',
  'find_deposits',
  'lock_account',
  'insert_deposit',
  'change_account',
  'notify_catalog',
])

/** The tables an import saves to row by row. */
export const TABLES = [
  'partners',
  'countries',
  'cities',
  'venues',
  'maps',
  'sectors',
  'meta_events',
  'events',
  'sets',
  'set_rules',
  'promotions',
  'promocodes',
  'promokeys',
  'custom_fields',
  'deals',
  'api_keys',
  'webhooks',
] as const
export type Table = (typeof TABLES)[number]

/** Rows by table, each a JSON object by column; times are ISO text. */
export type Rows = { readonly [table in Table]: Record<string, unknown>[] }

export function emptyRows(): Rows {
  return Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as Rows
}

/**
 * Inserts the rows or updates those that are there and differ. Answers what was made or changed: ids, of an event's
 * records the event, of a rule its set.
 */
export async function saveRows(tx: Queryable, table: Table, rows: Rows): Promise<string[]> {
  if (rows[table].length === 0) return []
  const saved = await tx.query<{ id: string }>(sql[`save_${table}`], [JSON.stringify(rows[table])])
  return saved.map((row) => row.id)
}

/** A record as it is stored: what it is known by, and the record it belongs to. */
export type Stored = { id: string; ref: string | null; owner: string | null; name: string }
export type StoredEvent = Stored & { owner: string; start: number; currency: string; serial: string }
export type StoredSector = Stored & {
  owner: string
  pos: number
  with_seats: boolean
  rows: LayoutRow[] | null
}
export type StoredSet = Stored & {
  owner: string
  with_seats: boolean
  sector: string | null
  amount: number
  vacant: number
  pending: number
}
export type StoredRule = Omit<Stored, 'name'> & { owner: string; start: number; finish: number }
export type StoredPromocode = Stored & { uses: number }

/** `taken`: tickets under the key, in live and done orders. */
export type StoredPromokey = Stored & { taken: number; sets: string[] }
export type StoredSeat = {
  id: string
  seat_row: string
  seat_number: string
  row_pos: number
  seat_pos: number
  status: string
}
