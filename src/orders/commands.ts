/** The operations on orders, as the transports hand them to the desk, and what they get back. */
import type { EventEntry } from '../events/event-entry.ts'
import type { HeldTicket } from '../inventory/tickets.ts'
import type { Caller } from '../partners/caller.ts'

/** What a POST and a PATCH have in common (contract, Endpoints). */
export type OrderActions = {
  /** Ids of tickets: the whole wanted list. */
  tickets?: readonly string[]
  /** Set id -> count: the whole wanted count per set. */
  random?: Readonly<Record<string, number>>
  all_or_nothing?: boolean
  /** Any text: what it may be is a rule of the order's state. */
  status?: unknown
  deal?: string
  /**
   * What is wrong with the fields, in the contract's texts. They are reported in their place in the order of checks,
   * after the order was found and its state allows a change.
   */
  faults: readonly string[]
}

export type CreateOrder = OrderActions & { kind: 'create'; caller: Caller; event: EventEntry }
export type ChangeOrder = OrderActions & { kind: 'change'; caller: Caller; order: string }
/** The end of an unpaid order whose lifetime is over; no one's request, so nobody is answered. */
export type LapseOrder = { kind: 'lapse'; order: string }
export type OrderCommand = CreateOrder | ChangeOrder | LapseOrder

export type OrderStatus = 'executed' | 'in_progress' | 'done' | 'cancelled' | 'expired'

/** A ticket inside an order, at the price it was reserved for; money in minor units. */
export type OrderTicket = HeldTicket

export type Totals = { price: number; discount: number; nominal: number; extra: number }

/** An order as it is after an operation. Times are epoch milliseconds. */
export type Order = Totals & {
  readonly shard: number
  readonly id: string
  readonly event: string
  readonly number: number
  readonly org: string
  readonly vendor: string
  readonly origin: Caller['origin']
  readonly status: OrderStatus
  readonly deal: string | null
  readonly org_share: number
  readonly extra_share: number
  readonly currency: string
  /** In the order they were reserved. */
  readonly tickets: readonly OrderTicket[]
  readonly charge: number
  readonly expired_after: number
  readonly done_at: number | null
  readonly code: string | null
}

/** `now` is the database's clock, epoch milliseconds, that the operation was judged by. */
export type OrderResult = { order: Order; event: EventEntry; now: number }

export type OrderErrorCode =
  | 'order_not_found'
  | 'order_busy'
  | 'event_not_found'
  | 'deal_not_found'
  | 'promokey_needed'
  | 'promokey_needed_for_tickets'
  | 'invalid_fields'
  | 'update_not_allowed'
  | 'only_cancel_allowed'
  | 'ticket_of_another_event'
  | 'set_of_another_event'
  | 'too_many_tickets'
  | 'not_enough_money'
  | 'no_tickets_in_order'
  | 'status_not_allowed'
  | 'order_not_cancellable'
  | 'desk_full'

/** Changes orders. Every operation is durable when its promise resolves; throws DomainError<OrderErrorCode>. */
export type Desk = {
  submit(command: CreateOrder | ChangeOrder): Promise<OrderResult>
  /** Ends those of the orders that are still unpaid and past their lifetime; answers how many it ended. */
  lapse(orders: readonly string[]): Promise<number>
  /** Waits until all that was submitted is done, then closes the desk's connections. */
  close(): Promise<void>
}
