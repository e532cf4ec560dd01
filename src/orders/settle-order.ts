/** Second half of a command: what it ends with, once it is known which of the tickets it needs are its own. */
import { randomInt } from 'node:crypto'
import { BARCODE_RANDOM_BELOW, formatBarcode } from '../inventory/barcode.ts'
import type { VacantTicket } from '../inventory/tickets.ts'
import { shareOf } from '../kernel/money.ts'
import type { Transfer } from '../partners/ledger.ts'
import { priceInForce, quoteTicket } from '../pricing/quote.ts'
import type { Order, OrderTicket } from './commands.ts'
import { orderError } from './order-errors.ts'
import type { OrderPlan } from './plan-order.ts'
import { vendorAccount } from './plan-order.ts'
import { orderCode } from './rules/order-code.ts'
import { neededCount } from './rules/reservation.ts'

export type Settlement = {
  /** The order as it is from now on. */
  readonly order: Order
  /** The vacant tickets it now holds or has sold, at their price. */
  readonly granted: readonly OrderTicket[]
  /** The tickets it held before and still has, whose price changed. */
  readonly repriced: readonly OrderTicket[]
  readonly released: readonly OrderTicket[]
  /** What completion charges the vendor. */
  readonly transfer: Transfer | undefined
}

export type SettleOptions = {
  /** Epoch milliseconds of the database's clock. */
  readonly now: number
  /** The secret of `orderCode`. */
  readonly code_key: string
  /** Whether the account may pay so much. */
  readonly canPay: (account: string, amount: number) => boolean
}

/** `granted` are the vacant tickets the plan asked for and got, locked. Throws DomainError<OrderErrorCode>. */
export function settleOrder(
  plan: OrderPlan,
  granted: readonly VacantTicket[],
  options: SettleOptions,
): Settlement {
  const { order, reservation } = plan
  if (plan.next === 'cancelled' || plan.next === 'expired')
    return settled({ ...order, ...totals([]), status: plan.next, tickets: [] }, { released: order.tickets })

  if (plan.all_or_nothing && granted.length < neededCount(reservation)) return settled(plan.before, {})

  const kept = reservation.keep.map((ticket) => reprice(ticket, order))
  const added = granted.map((ticket) => price(ticket, plan, options.now))
  const tickets = [...kept, ...added]
  const open = { ...order, ...totals(tickets), tickets }
  const parts = {
    granted: added,
    repriced: kept.filter((ticket, index) => ticket !== reservation.keep[index]),
    released: reservation.release,
  }
  return plan.next === 'done' ? complete(plan, open, parts, options) : settled(open, parts)
}

type Parts = Partial<Omit<Settlement, 'order'>>

function settled(order: Order, parts: Parts): Settlement {
  return { order, granted: [], repriced: [], released: [], transfer: undefined, ...parts }
}

function complete(plan: OrderPlan, open: Order, parts: Parts, options: SettleOptions): Settlement {
  const { event } = plan
  if (open.tickets.length === 0) throw orderError('no_tickets_in_order')
  const charge = open.tickets.reduce((sum, ticket) => sum + shareOf(ticket.nominal, open.org_share), 0)
  const account = vendorAccount(open, event)
  if (charge > 0 && !(account !== null && options.canPay(account, charge)))
    throw orderError('not_enough_money', { vendor: plan.vendor_name })
  const order: Order = {
    ...open,
    status: 'done',
    charge,
    done_at: options.now,
    code: orderCode(open.number, options.code_key),
    tickets: open.tickets.map((ticket) => ({
      ...ticket,
      barcode: formatBarcode(open.shard, randomInt(BARCODE_RANDOM_BELOW)),
    })),
  }
  const transfer =
    charge > 0 && account !== null
      ? { debit_account: account, credit_account: event.org_account, ref: order.id, amount: charge }
      : undefined
  return settled(order, { ...parts, transfer })
}

function price(ticket: VacantTicket, { event, order }: OrderPlan, now: number): OrderTicket {
  const { event: _, ...identity } = ticket
  const set = event.sets.find(({ id }) => id === ticket.set)
  // A set imported a moment ago, which the catalog in memory does not know yet.
  if (set === undefined) throw orderError('ticket_of_another_event', { id: ticket.id })
  return {
    ...identity,
    ...quoteTicket({ price: priceInForce(set, now), discount: 0, extra_share: order.extra_share }),
    barcode: null,
  }
}

/** The price of a held ticket does not move, but the fee on it follows the order's deal. */
function reprice(ticket: OrderTicket, order: Order): OrderTicket {
  const values = quoteTicket({
    price: ticket.price,
    discount: ticket.discount,
    extra_share: order.extra_share,
  })
  return values.extra === ticket.extra ? ticket : { ...ticket, ...values }
}

function totals(tickets: readonly OrderTicket[]): Pick<Order, 'price' | 'discount' | 'nominal' | 'extra'> {
  const sums = { price: 0, discount: 0, nominal: 0, extra: 0 }
  for (const ticket of tickets) {
    sums.price += ticket.price
    sums.discount += ticket.discount
    sums.nominal += ticket.nominal
    sums.extra += ticket.extra
  }
  return sums
}
