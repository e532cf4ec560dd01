import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./promo-rows.sql', import.meta.url), [
  'find_promocodes',
  'load_promocodes',
  'find_promokey',
  'lock_promocodes',
  'lock_promokeys',
  'take_promocode_uses',
  'move_promokeys',
])

/** One of percentage and fix is not null. */
export type PromocodeRow = {
  id: string
  event: string
  code: string
  percentage: number | null
  fix: number | null
  start: number | null
  finish: number | null
  sets: string[]
  min_tickets: number | null
  max_tickets: number | null
  use_limit: number | null
  uses: number
  viral: boolean
}

export type LockedPromocodeRow = Pick<PromocodeRow, 'id' | 'use_limit' | 'uses'>

export type PromokeyRow = {
  id: string
  event: string
  code: string
  sets: string[]
  start: number | null
  finish: number | null
  tickets_limit: number | null
  single_order: boolean
  taken: number
  holder: string | null
}
