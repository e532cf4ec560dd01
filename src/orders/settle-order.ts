/** Second half of a command: what it ends with, once it is known which of the tickets it needs are its own. */
import { randomInt } from 'node:crypto'
import { BARCODE_RANDOM_BELOW, formatBarcode } from '../inventory/barcode.ts'
import type { EventEntry } from '../events/event-entry.ts'
import type { VacantTicket } from '../inventory/tickets.ts'
import { createdAt } from '../kernel/ids.ts'
import { shareOf } from '../kernel/money.ts'
import type { Transfer } from '../partners/ledger.ts'
import { promotionsInForce } from '../promo/offers.ts'
import { judgePromocodes } from '../promo/promocodes.ts'
import type { Promocode, PromocodeFault } from '../promo/promocodes.ts'
import { priceInForce, quoteTicket } from '../pricing/quote.ts'
import { applyFields, completeFields } from './apply-fields.ts'
import type { Order, OrderTicket } from './commands.ts'
import type { OrderPromo } from './load-promo.ts'
import { orderError } from './order-errors.ts'
import type { OrderPlan } from './plan-order.ts'
import { vendorAccount } from './plan-order.ts'
import { judgeOwnPromocodes, priceOrder, promocodesUsed, termsOfOrder, totals } from './price-order.ts'
import { orderCode } from './rules/order-code.ts'
import { neededCount } from './rules/reservation.ts'

export type Settlement = {
  /** The order as it is from now on. */
  readonly order: Order
  /** The vacant tickets it now holds or has sold, at their price. */
  readonly granted: readonly OrderTicket[]
  /** The tickets it held before and still has, whose price or end of reservation changed. */
  readonly rewritten: readonly OrderTicket[]
  readonly released: readonly OrderTicket[]
  /** What completion charges the vendor. */
  readonly transfer: Transfer | undefined
  /** The promocodes the order has. */
  readonly promocodes: readonly Promocode[]
  /** Why promocodes that were sent do not apply. */
  readonly faults: readonly PromocodeFault[]
  /** Ids of the promocodes of which completion takes a use. */
  readonly uses: readonly string[]
}

export type SettleOptions = {
  /** Epoch milliseconds of the database's clock. */
  readonly now: number
  /** The secret of `orderCode`. */
  readonly code_key: string
  /** Whether the account may pay so much. */
  readonly canPay: (account: string, amount: number) => boolean
  /** Whether a promocode has a use left. */
  readonly hasUseLeft: (promocode: string) => boolean
  readonly promo: OrderPromo
}

/** `granted` are the vacant tickets the plan asked for and got, locked. Throws DomainError<OrderErrorCode>. */
export function settleOrder(
  plan: OrderPlan,
  granted: readonly VacantTicket[],
  options: SettleOptions,
): Settlement {
  const { before, reservation, asked } = plan
  if (plan.next === 'unchanged') return settled(before, { promocodes: options.promo.own })
  if (plan.all_or_nothing && granted.length < neededCount(reservation))
    return settled(before, { promocodes: options.promo.own })
  if (plan.payment?.is_late && granted.length < neededCount(reservation)) throw orderError('payment_too_late')
  const is_over = plan.next === 'cancelled' || plan.next === 'expired'
  const added = is_over ? [] : granted.map((ticket) => priced(ticket, plan, options.now))
  const holding: Order = {
    ...plan.order,
    promokey: options.promo.key_sent ?? plan.order.promokey,
    tickets: [...reservation.keep, ...added],
  }
  const changed =
    asked === undefined
      ? holding
      : applyFields(holding, asked.actions, {
          event: plan.event,
          origin: asked.caller.origin,
          now: options.now,
        })
  if (plan.next === 'cancelled' || plan.next === 'expired')
    return settled(
      { ...changed, ...totals([]), status: plan.next, payment_till: null },
      { released: before.tickets, promocodes: options.promo.own },
    )

  const quoted = priceChanged(plan, changed, options)
  const { order } = quoted
  const is_moved = order.expired_after !== before.expired_after
  const parts = {
    ...quoted,
    granted: order.tickets.slice(reservation.keep.length),
    rewritten: order.tickets
      .slice(0, reservation.keep.length)
      .filter((ticket, index) => is_moved || ticket !== reservation.keep[index]),
    released: reservation.release,
  }
  if (plan.next === 'done') return complete(plan, parts, options)
  return settled(plan.next === 'in_progress' ? awaitPayment(plan, order) : order, parts)
}

/** How much longer a hold lasts while an outside payment runs (contract, decisions 4, in_progress). */
const PAYMENT_MS = 30 * 60_000

/** An order that could not be completed is not to be paid for. */
function awaitPayment({ event }: OrderPlan, order: Order): Order {
  if (order.tickets.length === 0) throw orderError('no_tickets_in_order')
  completeFields(order, event)
  return { ...order, status: 'in_progress', payment_till: order.expired_after + PAYMENT_MS }
}

type Parts = Partial<Omit<Settlement, 'order'>>

function settled(order: Order, parts: Parts): Settlement {
  return {
    granted: [],
    rewritten: [],
    released: [],
    transfer: undefined,
    promocodes: [],
    faults: [],
    uses: [],
    ...parts,
    order,
  }
}

type Priced = Pick<Settlement, 'order' | 'promocodes' | 'faults'> & {
  /** Those of the promocodes that may take something off. */
  readonly usable: readonly Promocode[]
}

/** Discounts follow what the command changes; without such a change every price stays as it is. */
function priceChanged(
  { before, event, reservation, payment }: OrderPlan,
  order: Order,
  { now, promo }: SettleOptions,
): Priced {
  const { sent, own } = promo
  if (sent !== undefined && sent.length > 0 && hasPromotion(order, event, now))
    throw orderError('promocode_under_promotion')
  const { usable, faults } =
    sent === undefined
      ? judgeOwnPromocodes(order, own)
      : judgePromocodes(sent, { now, tickets_count: order.tickets.length })
  const promocodes = sent === undefined ? own : usable
  const is_same =
    sent === undefined &&
    order.tickets.length === reservation.keep.length &&
    reservation.release.length === 0 &&
    order.extra_share === before.extra_share &&
    order.settings.invitation === before.settings.invitation
  if (is_same) return { order, promocodes, usable, faults }
  // What was paid is the price, whatever has become of the discounts since.
  if (payment?.is_late) return { order: { ...order, ...totals(order.tickets) }, promocodes, usable, faults }
  const quoted = priceOrder(order, termsOfOrder(order, event, usable))
  return {
    order: { ...quoted, promocodes: promocodes.map(({ id }) => id) },
    promocodes,
    usable,
    faults,
  }
}

/** Whether a promotion holds now, or the order has one from when it was made. */
function hasPromotion(order: Order, event: EventEntry, now: number): boolean {
  return [now, createdAt(order.id)].some((at) => promotionsInForce(event, at).length > 0)
}

function complete(plan: OrderPlan, parts: Parts & Priced, options: SettleOptions): Settlement {
  const { event } = plan
  const { order: open } = parts
  if (open.tickets.length === 0) throw orderError('no_tickets_in_order')
  completeFields(open, event)
  const used = usedPromocodes(parts, plan)
  if (used.some(({ id }) => !options.hasUseLeft(id))) throw orderError('promocode_used_up')
  const charge = open.tickets.reduce((sum, ticket) => sum + shareOf(ticket.nominal, open.org_share), 0)
  const account = vendorAccount(open, event)
  if (charge > 0 && !(account !== null && options.canPay(account, charge)))
    throw orderError('not_enough_money', { vendor: plan.asked?.caller.partner.name ?? '' })
  const order: Order = {
    ...open,
    status: 'done',
    payment_till: null,
    charge,
    done_at: options.now,
    code: orderCode(open.number, options.code_key),
    promocodes: used.map(({ id }) => id),
    tickets: open.tickets.map((ticket) => ({
      ...ticket,
      barcode: formatBarcode(open.shard, randomInt(BARCODE_RANDOM_BELOW)),
    })),
  }
  const transfer =
    charge > 0 && account !== null
      ? { debit_account: account, credit_account: event.org_account, ref: order.id, amount: charge }
      : undefined
  return settled(order, { ...parts, transfer, promocodes: used, uses: order.promocodes })
}

/** Those that take something off a ticket; the others are dropped when the order is completed. */
function usedPromocodes({ order, promocodes, usable }: Priced, { event }: OrderPlan): Promocode[] {
  if (promocodes.length === 0) return []
  const used = promocodesUsed(order, termsOfOrder(order, event, usable))
  return promocodes.filter(({ id }) => used.includes(id))
}

/** At the price in force, or, when a late payment takes it again, at the one that was paid. */
function priced(ticket: VacantTicket, { event, order, payment }: OrderPlan, now: number): OrderTicket {
  const { id, set: set_id, serial, number, seat } = ticket
  const paid = payment?.is_late ? payment.found?.tickets.find((one) => one.id === id) : undefined
  if (paid !== undefined) return { ...paid, barcode: null }
  const set = event.sets.find((one) => one.id === set_id)
  // A set imported a moment ago, which the catalog in memory does not know yet.
  if (set === undefined) throw orderError('ticket_of_another_event', { id })
  return {
    id,
    set: set_id,
    serial,
    number,
    seat,
    ...quoteTicket({ price: priceInForce(set, now), discount: 0, extra_share: order.extra_share }),
    barcode: null,
  }
}
