/** What a promocode must make of an order. */
import { minor, same, sameMoney, sameTexts, shareOf } from './checks.ts'
import type { Discount, Order, OrderAnswer, Promocode } from './document.ts'
import type { ListedEvent } from './listing.ts'

/** A promocode as its check described it. */
export type Offer = { code: string } & Promocode

/** The promocode is applied to the order: to its tickets, its categories, and described in `refs`. */
export function checkDiscounted({ data, refs }: OrderAnswer, offer: Offer): string[] {
  const applied = Object.values(refs.promocodes)
  const [id = 'none'] = data.promocodes
  return [
    ...sameTexts(
      'the codes of refs.promocodes',
      applied.map(({ code }) => code),
      [offer.code],
    ),
    ...applied.flatMap(({ discount }) =>
      same(`refs.promocodes.${id}.discount`, JSON.stringify(discount), JSON.stringify(offer.discount)),
    ),
    ...sameTexts(
      'data.promocodes',
      data.promocodes,
      applied.map((promocode) => promocode.id),
    ),
    ...checkTickets(data, offer),
    ...Object.values(data.values.sets_values).flatMap(({ id: set, price, discount, promocode }) => {
      const is_for = offer.sets.includes(set)
      const place = `data.values.sets_values.${set}`
      return [
        ...same(`${place}.promocode`, promocode, is_for ? id : null),
        ...sameMoney(`${place}.discount`, discount, is_for ? discountOn(price, offer.discount) : 0n),
      ]
    }),
  ]
}

/** Each ticket is sold under the promocode, where it is for the ticket's category. */
function checkTickets({ tickets }: Order, offer: Offer): string[] {
  return tickets.flatMap(({ set, price, discount }, index) =>
    sameMoney(
      `data.tickets[${index}].discount`,
      discount,
      offer.sets.includes(set) ? discountOn(price, offer.discount) : 0n,
    ),
  )
}

/** No promocode is applied. */
export function checkUndiscounted({ data, refs }: OrderAnswer): string[] {
  const { discount, sets_values } = data.values
  return [
    ...sameTexts('data.promocodes', data.promocodes, []),
    ...sameTexts('refs.promocodes', Object.keys(refs.promocodes), []),
    ...sameMoney('data.values.discount', discount, 0n),
    ...Object.values(sets_values).flatMap(({ id, promocode }) =>
      same(`data.values.sets_values.${id}.promocode`, promocode, null),
    ),
  ]
}

/** What a promocode's check describes fits the event it was asked for. */
export function checkOffer(
  { discount, sets, tickets_count }: Promocode,
  wanted: { event: ListedEvent; discount: Discount; min: number },
): string[] {
  const known = new Set(wanted.event.sets.map(({ id }) => id))
  return [
    ...same('data.discount', JSON.stringify(discount), JSON.stringify(wanted.discount)),
    ...same('data.tickets_count.min', tickets_count.min, wanted.min),
    ...sets.filter((set) => !known.has(set)).map((set) => `data.sets has ${set}, no category of the event`),
  ]
}

/** Hundredths off one ticket, never more than its price. */
function discountOn(price: string, discount: Discount): bigint {
  const whole = minor(price)
  if ('percentage' in discount) return shareOf(whole, discount.percentage)
  const off = minor(discount.fix)
  return off < whole ? off : whole
}
