/**
 * Whether a promocode can be used (decisions, 4): while it has a use left, in its period (from its start up to, but not
 * including, its finish), by an order with as many tickets as it asks for. The number is that of the whole order, as the
 * message says, and not of the sets it is for. Of several reasons the first of this order is told, so that nobody buys
 * another ticket for a code that is over.
 */
import type { Discount } from './discounts.ts'
import { holdsAt } from './promotion.ts'

export type Promocode = {
  readonly id: string
  readonly event: string
  readonly code: string
  readonly discount: Discount
  /** Epoch milliseconds; null: open on that side. */
  readonly lifetime: { readonly start: number | null; readonly finish: number | null }
  /** Ids of sets; none: all of the event. */
  readonly sets: readonly string[]
  readonly min_tickets: number | null
  readonly max_tickets: number | null
  readonly use_limit: number | null
  readonly uses: number
  readonly viral: boolean
}

/** Why a promocode does not apply. `code` is the wire's; `n` the tickets that are needed. */
export type PromocodeFault =
  | { readonly code: 'promocode_not_found' | 'promocode_already_used' | 'promocode_apply_info' }
  | { readonly code: 'promocode_limit_min_tickets'; readonly n: number }

/** Whether it can be used at all at `now` (epoch milliseconds), by an order that has the tickets for it. */
export function isOffered(promocode: Promocode, now: number): boolean {
  return hasUseLeft(promocode) && holdsAt(promocode.lifetime, now)
}

export function promocodeFault(
  promocode: Promocode,
  { now, tickets_count }: { readonly now: number; readonly tickets_count: number },
): PromocodeFault | undefined {
  const { min_tickets, max_tickets } = promocode
  if (!hasUseLeft(promocode)) return { code: 'promocode_already_used' }
  if (!holdsAt(promocode.lifetime, now)) return { code: 'promocode_apply_info' }
  if (min_tickets !== null && tickets_count < min_tickets)
    return { code: 'promocode_limit_min_tickets', n: min_tickets }
  if (max_tickets !== null && tickets_count > max_tickets) return { code: 'promocode_apply_info' }
  return undefined
}

export function hasUseLeft({ uses, use_limit }: Pick<Promocode, 'uses' | 'use_limit'>): boolean {
  return use_limit === null || uses < use_limit
}
