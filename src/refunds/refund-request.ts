/** Refund requests, as the transports hand them over and get them back. Money is minor units, times are epoch milliseconds. */
import { DomainError } from '../kernel/domain-error.ts'
import type { OrderTicket } from '../orders/commands.ts'
import type { Culprit, RefundFault } from './rules/refund-amount.ts'

export type { Culprit } from './rules/refund-amount.ts'

export const CULPRITS: readonly Culprit[] = ['user', 'org']

export const REFUND_STATUSES = ['new', 'in_progress', 'approved', 'rejected'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]

/** A ticket as it was sold; `refunded` is what is paid back of its nominal. */
export type RefundTicket = OrderTicket & { readonly refunded: number }

export type RefundRequest = {
  readonly id: string
  readonly event: string
  readonly org: string
  readonly vendor: string
  readonly order: string
  readonly order_number: number
  readonly order_code: string
  readonly status: RefundStatus
  readonly culprit: Culprit
  /** The policy of the event at the time: `general`, `law_ru_193`, or `schedule` for one of its own. */
  readonly policy: string
  /** In the order of the order. */
  readonly tickets: readonly string[]
  readonly ticket_records: readonly RefundTicket[]
  readonly refund_nominal: number
  /** What the buyer gets. */
  readonly customer_money: number
  /** What approval moves from the organizer's account to the vendor's. */
  readonly share: number
  readonly created_at: number
  /** When the buyer asked. */
  readonly requested_at: number
  readonly finished_at: number | null
}

export type RefundErrorCode =
  | RefundFault
  | 'refund_order_not_found'
  | 'refund_order_status'
  | 'refund_nothing_left'
  | 'refund_bad_tickets'
  | 'refund_tickets_in_use'
  | 'refund_request_not_found'
  | 'refund_decision_not_allowed'
  | 'refund_request_ended'
  | 'refund_event_finished'

/** `details` fill the text that the transports have for the code. */
export function refundError(
  code: RefundErrorCode,
  details?: DomainError['details'],
): DomainError<RefundErrorCode> {
  return new DomainError<RefundErrorCode>(code, details)
}
