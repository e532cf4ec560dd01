/** What is taken off the tickets of an order: by an invitation, by the event's promotions, or by promocodes. */
import type { EventEntry } from '../events/event-entry.ts'
import { WHOLE } from '../kernel/money.ts'
import * as discounts from './rules/discounts.ts'
import type { Offer } from './rules/discounts.ts'
import type { Promocode } from './rules/promocode.ts'
import * as promotion from './rules/promotion.ts'
import type { PricedTicket, Promotion } from './rules/promotion.ts'

/** On what terms an order is priced. With promotions in force there are no promocodes. */
export type OfferTerms = {
  /** Every ticket is free, whatever else holds. */
  readonly invitation: boolean
  /** Those in force. */
  readonly promotions: readonly Promotion[]
  /** Those the order has, in the order they were sent. */
  readonly promocodes: readonly Pick<Promocode, 'id' | 'sets' | 'discount'>[]
}

const FREE: Offer = { promocode: null, sets: [], discount: { percentage: WHOLE } }

/** The event's promotions that hold at `now` (epoch milliseconds); while there is one, promocodes are refused. */
export function promotionsInForce(event: Pick<EventEntry, 'promotions'>, now: number): Promotion[] {
  return promotion.promotionsInForce(event.promotions, now)
}

/** The offers an order of these tickets (prices in minor units) has under the terms. */
export function offersFor(terms: OfferTerms, tickets: readonly PricedTicket[]): Offer[] {
  if (terms.invitation) return [FREE]
  return [
    ...terms.promotions
      .map((each) => promotion.offerOf(each, tickets))
      .filter((offer) => offer !== undefined),
    ...terms.promocodes.map(({ id, sets, discount }) => ({ promocode: id, sets, discount })),
  ]
}

/** The offer that applies to the set: the best for a buyer of tickets at these prices, at least one. */
export function bestOffer(
  offers: readonly Offer[],
  set: string,
  prices: readonly number[],
): Offer | undefined {
  return discounts.bestOffer(offers, set, prices)
}

/** What the offer takes off a ticket at this price; minor units, at most the price. */
export function discountOf(price: number, offer: Pick<Offer, 'discount'> | undefined): number {
  return offer === undefined ? 0 : discounts.discountOf(price, offer.discount)
}
