/**
 * What one ticket costs (decisions, 2): `nominal` is the price less the discount and never below zero, so a discount
 * counts only as far as the price; the fee `extra` is the deal's share of the nominal, rounded half to even, per ticket.
 */
import { shareOf } from '../../kernel/money.ts'
import type { Percentage } from '../../kernel/money.ts'

export type TicketValues = { price: number; discount: number; nominal: number; extra: number }

type Terms = { readonly price: number; readonly discount: number; readonly extra_share: Percentage }

export function ticketValues(terms: Terms): TicketValues {
  const discount = Math.min(terms.discount, terms.price)
  const nominal = terms.price - discount
  return { price: terms.price, discount, nominal, extra: shareOf(nominal, terms.extra_share) }
}
