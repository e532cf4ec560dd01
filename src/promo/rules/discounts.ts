/**
 * What is taken off a ticket (decisions, 2): a percentage of its price, rounded half to even, or a fixed amount, per ticket
 * and never more than the price. An offer is a discount on some sets of an event, or on all of them. One offer applies to a
 * set, the best for the buyer over the tickets of the set that are bought together; of equals the first.
 */
import { shareOf } from '../../kernel/money.ts'
import type { Percentage } from '../../kernel/money.ts'

/** Minor units when it is fixed. */
export type Discount = { readonly percentage: Percentage } | { readonly fix: number }

export type Offer = {
  /** The promocode it comes from; null: it needs none. */
  readonly promocode: string | null
  /** Ids of sets; none: all of the event. */
  readonly sets: readonly string[]
  readonly discount: Discount
}

export function discountOf(price: number, discount: Discount): number {
  const wanted = 'fix' in discount ? discount.fix : shareOf(price, discount.percentage)
  return Math.min(wanted, price)
}

export function covers({ sets }: Pick<Offer, 'sets'>, set: string): boolean {
  return sets.length === 0 || sets.includes(set)
}

/** `prices` are those of the set's tickets, at least one; undefined when no offer is for the set. */
export function bestOffer(
  offers: readonly Offer[],
  set: string,
  prices: readonly number[],
): Offer | undefined {
  let best: Offer | undefined
  let most = -1
  for (const offer of offers) {
    if (!covers(offer, set)) continue
    const taken = prices.reduce((sum, price) => sum + discountOf(price, offer.discount), 0)
    if (taken > most) [best, most] = [offer, taken]
  }
  return best
}
