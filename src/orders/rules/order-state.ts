/**
 * Which changes an order's state allows (contract, States and transitions; decisions 4, order of checks 3 and 4). A
 * status other than `done` and `cancelled` is refused in every state. An ended order (done, cancelled, expired) allows
 * nothing, and what it answers depends on what was asked. While an outside payment runs (in_progress) only a plain
 * cancellation is allowed. An unpaid order whose lifetime is over, and one whose payment was not confirmed in time, is
 * expired, whether it was swept yet or not.
 */

type Status = 'executed' | 'in_progress' | 'done' | 'cancelled' | 'expired'

export type StateFault =
  | 'status_not_allowed'
  | 'order_not_cancellable'
  | 'update_not_allowed'
  | 'only_cancel_allowed'

/** The status by the clock; times are epoch milliseconds. */
export function statusAt(
  order: { readonly status: Status; readonly expired_after: number; readonly payment_till: number | null },
  now: number,
): Status {
  const till = order.status === 'in_progress' ? order.payment_till : order.expired_after
  const is_open = order.status === 'executed' || order.status === 'in_progress'
  return is_open && till !== null && till <= now ? 'expired' : order.status
}

/** What forbids the change, or undefined. `status` is what the request sends for it, `alone` that it sends nothing else. */
export function stateFault(
  state: Status,
  change: { readonly status: unknown; readonly alone: boolean },
): StateFault | undefined {
  const { status, alone } = change
  if (status !== undefined && status !== 'done' && status !== 'cancelled') return 'status_not_allowed'
  if (state === 'executed') return undefined
  if (state === 'in_progress') return status === 'cancelled' && alone ? undefined : 'only_cancel_allowed'
  if (status === 'cancelled') return 'order_not_cancellable'
  return status === 'done' ? 'status_not_allowed' : 'update_not_allowed'
}
