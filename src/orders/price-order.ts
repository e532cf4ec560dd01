/**
 * The prices of an order's tickets. A ticket's price is that of its set when it was reserved; what is taken off follows the
 * order as it is: an invitation, else the promotions that held when the order was made, which it keeps while it lives, else
 * its promocodes (contract, decisions 2 and 4).
 */
import type { EventEntry } from '../events/event-entry.ts'
import { createdAt } from '../kernel/ids.ts'
import { promotionsInForce } from '../promo/offers.ts'
import type { OfferTerms } from '../promo/offers.ts'
import { judgePromocodes } from '../promo/promocodes.ts'
import type { Promocode } from '../promo/promocodes.ts'
import { quoteOrder } from '../pricing/quote-order.ts'
import type { Order, OrderTicket, Totals } from './commands.ts'

/** On what terms the order is priced, with these of its promocodes. */
export function termsOfOrder(
  order: Pick<Order, 'id' | 'settings'>,
  event: Pick<EventEntry, 'promotions'>,
  promocodes: readonly Promocode[],
): OfferTerms {
  return {
    invitation: order.settings.invitation === true,
    promotions: promotionsInForce(event, createdAt(order.id)),
    promocodes,
  }
}

/**
 * Those of the order's promocodes that it still has the tickets for. They are judged by the time the order was made, as its
 * promotions are, and not by the uses left: that is for completion to say.
 */
export function judgeOwnPromocodes(
  order: Pick<Order, 'id' | 'tickets'>,
  own: readonly Promocode[],
): ReturnType<typeof judgePromocodes> {
  const found = own.map((promocode) => ({
    code: promocode.code,
    promocode: { ...promocode, use_limit: null },
  }))
  return judgePromocodes(found, { now: createdAt(order.id), tickets_count: order.tickets.length })
}

/** The order with its tickets at the terms, and its totals; a ticket whose price stays is the same object. */
export function priceOrder(order: Order, terms: OfferTerms): Order {
  const { values } = quoteOrder(order.tickets, { ...terms, extra_share: order.extra_share })
  const tickets = order.tickets.map((ticket, index) => {
    const quoted = values[index]
    const is_same = quoted?.discount === ticket.discount && quoted.extra === ticket.extra
    return is_same ? ticket : { ...ticket, ...quoted }
  })
  return { ...order, ...totals(tickets), tickets }
}

/** Ids of the promocodes that take something off a ticket of the order. */
export function promocodesUsed(order: Order, terms: OfferTerms): readonly string[] {
  return quoteOrder(order.tickets, { ...terms, extra_share: order.extra_share }).promocodes
}

export function totals(tickets: readonly OrderTicket[]): Totals {
  const sums = { price: 0, discount: 0, nominal: 0, extra: 0 }
  for (const ticket of tickets) {
    sums.price += ticket.price
    sums.discount += ticket.discount
    sums.nominal += ticket.nominal
    sums.extra += ticket.extra
  }
  return sums
}
