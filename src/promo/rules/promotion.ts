/**
 * Promotions: discounts an event gives by itself in a period, on some of its sets or all (decisions, 2). A period holds from
 * its start up to, but not including, its finish; an open side never ends. A ladder's step is chosen by what the promotion
 * covers of the order: the sum of the tickets' prices before any discount, or their number. It is the highest step reached;
 * below the first there is no discount. The value of a fixed step is per ticket, like every fixed discount.
 */
import { covers } from './discounts.ts'
import type { Discount, Offer } from './discounts.ts'

/** `from` is minor units by sum, a number of tickets by count; `value` is 0.0001 % or minor units, by kind. */
export type Ladder = {
  readonly by: 'sum' | 'count'
  readonly kind: 'percentage' | 'fix'
  /** From the lowest up. */
  readonly steps: readonly { readonly from: number; readonly value: number }[]
}

export type Promotion = {
  readonly id: string
  /** Epoch milliseconds; null: open on that side. */
  readonly lifetime: { readonly start: number | null; readonly finish: number | null }
  readonly sets: readonly string[]
  readonly discount: Discount | { readonly levels: Ladder }
}

export type PricedTicket = { readonly set: string; readonly price: number }

export function promotionsInForce<P extends Pick<Promotion, 'lifetime'>>(
  promotions: readonly P[],
  now: number,
): P[] {
  return promotions.filter(({ lifetime }) => holdsAt(lifetime, now))
}

export function holdsAt({ start, finish }: Promotion['lifetime'], now: number): boolean {
  return (start === null || start <= now) && (finish === null || now < finish)
}

/** What the promotion gives to an order of these tickets; undefined below the first step of its ladder. */
export function offerOf(promotion: Promotion, tickets: readonly PricedTicket[]): Offer | undefined {
  const { sets, discount } = promotion
  if (!('levels' in discount)) return { promocode: null, sets, discount }
  const { by, kind, steps } = discount.levels
  const covered = tickets.filter(({ set }) => covers(promotion, set))
  const reached = by === 'count' ? covered.length : covered.reduce((sum, { price }) => sum + price, 0)
  const step = steps.findLast(({ from }) => from <= reached)
  if (step === undefined) return undefined
  return {
    promocode: null,
    sets,
    discount: kind === 'fix' ? { fix: step.value } : { percentage: step.value },
  }
}
