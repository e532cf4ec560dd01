/** First half of a command: whether the order's state and the command's fields allow it, and what tickets it needs. */
import { dealFor } from '../deals/who-may-sell.ts'
import type { EventEntry } from '../events/event-entry.ts'
import { DomainError } from '../kernel/domain-error.ts'
import { createdAt, newId } from '../kernel/ids.ts'
import type { Caller } from '../partners/caller.ts'
import type { PossibleSale } from '../partners/ledger.ts'
import type { ChangeOrder, CreateOrder, Order, OrderActions, OrderTicket, Payment } from './commands.ts'
import { InvalidFields, orderError } from './order-errors.ts'
import { stateFault, statusAt } from './rules/order-state.ts'
import { neededCount, reserveRandom, reserveTickets } from './rules/reservation.ts'
import type { Reservation } from './rules/reservation.ts'

/** What a request may ask for besides a move of the order's status. */
const ACTIONS = [
  'tickets',
  'random',
  'deal',
  'promocodes',
  'promokey',
  'settings',
  'vendor_data',
  'custom_fields',
  'expired_after',
] as const

/** What a command will do to its order if the tickets it needs are granted. */
export type OrderPlan = {
  /** The order as it was; a new one is empty. */
  readonly before: Order
  /** The same on the terms of sale the command asks for. */
  readonly order: Order
  readonly event: EventEntry
  readonly reservation: Reservation<OrderTicket>
  readonly all_or_nothing: boolean
  readonly next: 'unchanged' | 'open' | 'in_progress' | 'done' | 'cancelled' | 'expired'
  /** What else the command asks for, and who asks; undefined when nobody does. */
  readonly asked: { readonly actions: OrderActions; readonly caller: Caller } | undefined
  /** What is wrong with the tickets of a command that names a promokey, which is judged first. */
  readonly refusal?: Error
  /** The payment the command is about, as it was; `is_late`: its tickets are to be taken again. */
  readonly payment?: { readonly found: Payment | undefined; readonly is_late: boolean }
}

/** `now` is epoch milliseconds of the database's clock; `number` is the new order's. */
export type PlanTime = { readonly now: number; readonly number: number }

/** Throws DomainError<OrderErrorCode>. */
export function planCreate(command: CreateOrder, { now, number }: PlanTime): OrderPlan {
  const { caller, event } = command
  if (caller.events !== null && !caller.events.includes(event.id))
    throw orderError('event_not_found', { event: event.id })
  requireOnSale(event, now)
  if (command.faults.length > 0) throw new InvalidFields(command.faults)
  if (command.status !== undefined && command.status !== 'done') throw orderError('status_not_allowed')
  const id = newId(event.shard, now)
  const order: Order = {
    shard: event.shard,
    id,
    event: event.id,
    number,
    org: event.org.id,
    vendor: caller.partner.id,
    origin: caller.origin,
    status: 'executed',
    ...termsOfSale(event, caller.partner.id, command.deal, now),
    currency: event.currency,
    tickets: [],
    price: 0,
    discount: 0,
    nominal: 0,
    extra: 0,
    charge: 0,
    expired_after: createdAt(id) + event.order_lifetime_s * 1000,
    done_at: null,
    code: null,
    promocodes: [],
    promokey: null,
    settings: {},
    vendor_data: {},
    custom_fields: null,
    payment_till: null,
  }
  return planActions(command, { before: order, order, event })
}

/** `order` is locked; throws DomainError<OrderErrorCode>. */
export function planChange(command: ChangeOrder, order: Order, event: EventEntry, now: number): OrderPlan {
  const { caller, status } = command
  if (caller.events !== null && !caller.events.includes(event.id)) throw orderError('order_not_found')
  const state = statusAt(order, now)
  const alone = ACTIONS.every((name) => command[name] === undefined) && command.faults.length === 0
  const fault = stateFault(state, { status, alone })
  if (fault !== undefined) throw orderError(fault, { status: state })
  if (command.faults.length > 0) throw new InvalidFields(command.faults)
  if (status === 'cancelled')
    return { ...planEnd(order, event, 'cancelled'), asked: { actions: command, caller } }
  requireOnSale(event, now)
  const terms = command.deal === undefined ? {} : termsOfSale(event, caller.partner.id, command.deal, now)
  return planActions(command, { before: order, order: { ...order, ...terms }, event })
}

/** The end of an order: all it holds is released. */
export function planEnd(order: Order, event: EventEntry, next: 'cancelled' | 'expired'): OrderPlan {
  const reservation = reserveTickets(order.tickets, [])
  return { before: order, order, event, reservation, all_or_nothing: false, next, asked: undefined }
}

function planActions(
  command: OrderActions & { caller: CreateOrder['caller'] },
  { before, order, event }: Pick<OrderPlan, 'before' | 'order' | 'event'>,
): OrderPlan {
  const { reservation, refusal } = reserveAfterKey(command, order.tickets, event)
  return {
    before,
    order,
    event,
    reservation,
    ...(refusal && { refusal }),
    all_or_nothing: command.all_or_nothing === true,
    next: command.status === 'done' ? 'done' : 'open',
    asked: { actions: command, caller: command.caller },
  }
}

/** The same as `reserve`, but under a promokey that is sent what it throws is put off until that is judged. */
function reserveAfterKey(
  actions: OrderActions,
  held: readonly OrderTicket[],
  event: EventEntry,
): Pick<OrderPlan, 'reservation' | 'refusal'> {
  try {
    return { reservation: reserve(actions, held, event) }
  } catch (error) {
    if (actions.promokey === undefined || !(error instanceof DomainError)) throw error
    return { reservation: reserve({ faults: [] }, held, event), refusal: error }
  }
}

/** What an order that holds these tickets is to keep, release and need more. Throws DomainError<OrderErrorCode>. */
export function reserve(
  { tickets, random }: OrderActions,
  held: readonly OrderTicket[],
  event: EventEntry,
): Reservation<OrderTicket> {
  let reservation: Reservation<OrderTicket> = {
    keep: held,
    release: [],
    needs: { ids: [], counts: new Map() },
  }
  if (tickets !== undefined) reservation = reserveTickets(held, tickets)
  if (random !== undefined) {
    const sets = new Set(event.sets.map((set) => set.id))
    const foreign = Object.keys(random).find((id) => !sets.has(id))
    if (foreign !== undefined) throw orderError('set_of_another_event', { id: foreign })
    reservation = reserveRandom(held, random)
  }
  const needed = neededCount(reservation)
  // An order that has more, because the limit has come down since, may be completed and may shrink.
  if (needed > 0 && reservation.keep.length + needed > event.max_tickets_per_order)
    throw orderError('too_many_tickets', { max: event.max_tickets_per_order })
  return reservation
}

/** What completion would move between accounts; undefined where nobody is charged. */
export function possibleSale({
  next,
  order,
  event,
  reservation,
  payment,
}: OrderPlan): PossibleSale | undefined {
  const debit_account = vendorAccount(order, event)
  if (next !== 'done' || order.org_share === 0 || debit_account === null) return undefined
  const kept = reservation.keep.reduce((sum, ticket) => sum + ticket.price, 0)
  const needed = neededCount(reservation) * highestPrice(event)
  // What a late payment takes again costs what it cost then.
  const again = payment?.found?.tickets.reduce((sum, ticket) => sum + ticket.price, 0) ?? 0
  return { debit_account, credit_account: event.org_account, at_most: kept + needed + again }
}

function highestPrice({ sets }: EventEntry): number {
  return Math.max(...sets.flatMap(({ price, rules }) => [price, ...rules.map((rule) => rule.price)]))
}

/** The vendor's prepaid account in the event's currency, or null. */
export function vendorAccount(order: Pick<Order, 'vendor'>, event: EventEntry): string | null {
  return event.deals.find((deal) => deal.vendor === order.vendor)?.account ?? null
}

export function requireOnSale(event: EventEntry, now: number): void {
  if (event.status !== 'public' || event.lifetime.finish <= now)
    throw orderError('event_not_found', { event: event.id })
}

/** An organizer sells its own events without a deal: no commission, no charge (contract, decisions 3). */
function termsOfSale(
  event: EventEntry,
  vendor: string,
  wanted: string | undefined,
  now: number,
): Pick<Order, 'deal' | 'org_share' | 'extra_share'> {
  if (vendor === event.org.id && wanted === undefined) return { deal: null, org_share: 0, extra_share: 0 }
  const deal = dealFor(event, vendor, wanted, now)
  if (deal === undefined) throw orderError('deal_not_found')
  return { deal: deal.id, org_share: deal.org_share, extra_share: deal.extra }
}
