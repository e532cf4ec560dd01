/** What the tickets of an order cost together, since a discount may depend on all of them. All money is minor units. */
import type { Percentage } from '../kernel/money.ts'
import { bestOffer, discountOf, offersFor } from '../promo/offers.ts'
import type { OfferTerms } from '../promo/offers.ts'
import { ticketValues } from './rules/ticket-values.ts'
import type { TicketValues } from './rules/ticket-values.ts'

/** A ticket at the set price it was reserved for. */
type PricedTicket = { readonly set: string; readonly price: number }

export type OrderQuote = {
  /** In the order of the tickets. */
  readonly values: readonly TicketValues[]
  /** Ids of the promocodes that take something off a ticket, in the order they were sent. */
  readonly promocodes: readonly string[]
}

/** The values of each ticket; `extra_share` is the fee under the deal (0 without one). */
export function quoteOrder(
  tickets: readonly PricedTicket[],
  terms: OfferTerms & { readonly extra_share: Percentage },
): OrderQuote {
  const offers = offersFor(terms, tickets)
  const by_set = new Map(
    [...pricesBySet(tickets)].map(([set, prices]) => [set, bestOffer(offers, set, prices)]),
  )
  const applied = new Set<string>()
  const values = tickets.map(({ set, price }) => {
    const offer = by_set.get(set)
    const discount = discountOf(price, offer)
    if (offer?.promocode && discount > 0) applied.add(offer.promocode)
    return ticketValues({ price, discount, extra_share: terms.extra_share })
  })
  return { values, promocodes: terms.promocodes.map(({ id }) => id).filter((id) => applied.has(id)) }
}

export type SetQuote = {
  readonly price: number
  readonly nominal: number
  readonly discount: number
  /** Id of the promocode the discount comes from. */
  readonly promocode: string | null
}

/**
 * What one more ticket of each set costs at the set's `price` of today, with the discount that an order of `tickets` has now. The
 * promocode of a set is the one that applies to the tickets the order has of it.
 */
export function quoteSets(
  sets: readonly { readonly id: string; readonly price: number }[],
  tickets: readonly PricedTicket[],
  terms: OfferTerms,
): Map<string, SetQuote> {
  const offers = offersFor(terms, tickets)
  const prices = pricesBySet(tickets)
  return new Map(
    sets.map(({ id, price }) => {
      const offer = bestOffer(offers, id, prices.get(id) ?? [price])
      const discount = discountOf(price, offer)
      return [id, { price, nominal: price - discount, discount, promocode: offer?.promocode ?? null }]
    }),
  )
}

function pricesBySet(tickets: readonly PricedTicket[]): Map<string, number[]> {
  const prices = new Map<string, number[]>()
  for (const { set, price } of tickets) {
    const of_set = prices.get(set)
    if (of_set === undefined) prices.set(set, [price])
    else of_set.push(price)
  }
  return prices
}
