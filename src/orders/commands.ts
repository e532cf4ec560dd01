/** The operations on orders, as the transports hand them to the desk, and what they get back. */
import type { EventEntry } from '../events/event-entry.ts'
import type { HeldTicket } from '../inventory/tickets.ts'
import type { Caller } from '../partners/caller.ts'
import type { Answer, OnceId } from '../partners/idempotent-answers.ts'
import type { Promocode, PromocodeFault } from '../promo/promocodes.ts'

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
  /** Codes, as sent: the whole wanted list. */
  promocodes?: readonly string[]
  promokey?: string
  settings?: SettingsChange
  vendor_data?: VendorData
  custom_fields?: CustomFields
  /** Epoch milliseconds. */
  expired_after?: number
  /**
   * What is wrong with the fields, in the contract's texts. They are reported in their place in the order of checks,
   * after the order was found and its state allows a change.
   */
  faults: readonly string[]
}

export type CreateOrder = OrderActions & { kind: 'create'; caller: Caller; event: EventEntry; once?: Once }
export type ChangeOrder = OrderActions & {
  kind: 'change'
  caller: Caller
  order: string
  /** An outside payment for the order is begun or answered; then nothing else is asked. */
  payment?: PaymentStep
  once?: Once
}

export type PaymentStep =
  | { readonly step: 'begin' }
  | { readonly step: 'confirmed' | 'failed'; /** Id of the payment. */ readonly id: string }

export type PaymentStatus = 'pending' | 'confirmed' | 'failed' | 'expired'

/** An outside payment for an order; times are epoch milliseconds. */
export type Payment = {
  readonly shard: number
  readonly id: string
  readonly order: string
  readonly event: string
  readonly status: PaymentStatus
  /** The order's when the payment began. */
  readonly tickets: readonly OrderTicket[]
  readonly created_at: number
  readonly finished_at: number | null
}

/** The request is to have its effect once: its answer is kept with it. */
export type Once = { readonly id: OnceId; readonly render: (result: OrderResult) => Answer }

/** The end of an unpaid order whose lifetime is over; no one's request, so nobody is answered. */
export type LapseOrder = { kind: 'lapse'; order: string }
export type OrderRequest = CreateOrder | ChangeOrder
export type OrderCommand = OrderRequest | LapseOrder

export const ORDER_STATUSES = ['executed', 'in_progress', 'done', 'cancelled', 'expired'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** A ticket inside an order, at the price it was reserved for; money in minor units. */
export type OrderTicket = HeldTicket

export type Customer = {
  readonly name?: string
  readonly email?: string
  readonly phone?: string
  readonly lang?: 'en' | 'ru'
}

/** What is not set is absent; the three that are always shown are false then. */
export type OrderSettings = {
  readonly invitation?: boolean
  readonly send_tickets?: boolean
  readonly courier?: boolean
  readonly subscribe_agree?: boolean
  readonly smart_tickets?: boolean
  readonly customer?: Customer
}

/** Merged over what is set, `customer` field by field. */
export type SettingsChange = OrderSettings

/** The vendor's own words about an order, kept as they are. */
export type VendorData = {
  readonly order_id?: string
  readonly raw?: Readonly<Record<string, string | number | boolean>>
}

export type FieldValue = { readonly id: string; readonly value: unknown }

/** Values of the event's custom fields, for the order and for its tickets. */
export type CustomFields = {
  readonly order?: readonly FieldValue[]
  readonly tickets?: readonly { readonly ticket: string; readonly fields: readonly FieldValue[] }[]
}

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
  /** Ids of the promocodes applied. */
  readonly promocodes: readonly string[]
  /** Id of the promokey held. */
  readonly promokey: string | null
  readonly settings: OrderSettings
  readonly vendor_data: VendorData
  /** null: none was ever set. */
  readonly custom_fields: CustomFields | null
  /** Until when an outside payment may be confirmed; null unless one is running. */
  readonly payment_till: number | null
}

/** `now` is the database's clock, epoch milliseconds, that the operation was judged by. */
export type OrderResult = {
  order: Order
  event: EventEntry
  now: number
  /** The promocodes the order has; absent: none. */
  promocodes?: readonly Promocode[]
  /** Why promocodes that were sent do not apply; that does not fail the request. */
  faults?: readonly PromocodeFault[]
  /** The payment that was begun or answered. */
  payment?: Payment
}

export type OrderErrorCode =
  | 'order_not_found'
  | 'order_busy'
  | 'event_not_found'
  | 'deal_not_found'
  | 'promocode_under_promotion'
  | 'promocode_used_up'
  | 'promokey_not_found'
  | 'promokey_expired'
  | 'promokey_fully_reserved'
  | 'promokey_already_reserved'
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
  | 'payment_not_found'
  | 'payment_too_late'
  | 'payment_ended'
  | 'status_not_allowed'
  | 'order_not_cancellable'
  | 'desk_full'
  | 'expired_after_fixed'
  | 'expired_after_too_late'
  | 'invitation_not_by_org'
  | 'invitation_from_elsewhere'
  | 'courier_from_elsewhere'
  | 'smart_tickets_disabled'
  | 'smart_tickets_only'

/** Changes orders. Every operation is durable when its promise resolves; throws DomainError<OrderErrorCode>. */
export type Desk = {
  submit(command: OrderRequest): Promise<OrderResult>
  /**
   * Ends those of the orders that are still unpaid and past their lifetime; answers how many it ended. One on which a request runs is
   * passed over.
   */
  lapse(orders: readonly string[]): Promise<number>
  /** Waits until all that was submitted is done, then closes the desk's connections. */
  close(): Promise<void>
}
