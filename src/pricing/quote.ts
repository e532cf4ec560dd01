/** What tickets cost at a moment, for orders and listings. All money is minor units. */
import type { PriceRule, SetEntry } from '../events/event-entry.ts'
import type { Percentage } from '../kernel/money.ts'
import * as price_rule from './rules/price-in-force.ts'
import { pricesOfTotals } from './rules/price-range.ts'
import type { PriceRange } from './rules/price-range.ts'
import { ticketValues } from './rules/ticket-values.ts'
import type { TicketValues } from './rules/ticket-values.ts'

type PricedSet = Pick<SetEntry, 'price' | 'rules'>

/** The set's price at `now` (epoch milliseconds): that of the rule in force, else the base price. */
export function priceInForce(set: PricedSet, now: number): number {
  return price_rule.priceInForce(set, now)
}

/** The price rule in force at `now` (epoch milliseconds), or undefined when the base price holds. */
export function ruleInForce(set: PricedSet, now: number): PriceRule | undefined {
  return price_rule.ruleInForce(set, now)
}

/**
 * The values of one ticket: `price` is the set's price, `discount` what is wished to be taken off it (capped at the price),
 * `extra_share` the fee under the deal (0 without one).
 */
export function quoteTicket(terms: {
  readonly price: number
  readonly discount: number
  readonly extra_share: Percentage
}): TicketValues {
  return ticketValues(terms)
}

/** The range of set prices whose total with the fee of `extra_share` lies in the range `totals`, ends included. */
export function priceRange(totals: PriceRange, extra_share: Percentage): PriceRange {
  return pricesOfTotals(totals, extra_share)
}
