/**
 * First half of a command about an outside payment: what its order's state and its own allow. Beginning makes an executed order
 * in_progress; a confirmation completes it as `done` would, a failure cancels it, and saying again what was said changes
 * nothing. A confirmation that comes after the hold has ended takes the same tickets again, or none.
 */
import type { EventEntry } from '../events/event-entry.ts'
import type { ChangeOrder, Order, Payment, PaymentStep } from './commands.ts'
import { orderError } from './order-errors.ts'
import { planEnd, requireOnSale } from './plan-order.ts'
import type { OrderPlan } from './plan-order.ts'
import { statusAt } from './rules/order-state.ts'

/** `order` is locked, and with it its payments; `now` is epoch milliseconds. Throws DomainError<OrderErrorCode>. */
export function planPayment(
  command: ChangeOrder & { payment: PaymentStep },
  { order, event, found }: { order: Order; event: EventEntry; found: Payment | undefined },
  now: number,
): OrderPlan {
  const { caller, payment } = command
  if (caller.events !== null && !caller.events.includes(event.id)) throw orderError('order_not_found')
  const unchanged: OrderPlan = {
    before: order,
    order,
    event,
    reservation: { keep: order.tickets, release: [], needs: { ids: [], counts: new Map() } },
    all_or_nothing: false,
    next: 'unchanged',
    asked: { actions: { faults: [] }, caller },
    payment: { found, is_late: false },
  }
  if (payment.step === 'begin') return planBegin(unchanged, now)
  if (found === undefined) throw orderError('payment_not_found')
  if (found.status === payment.step || (found.status === 'expired' && payment.step === 'failed'))
    return unchanged
  if (found.status === 'pending')
    return payment.step === 'confirmed'
      ? { ...unchanged, next: 'done' }
      : { ...unchanged, ...planEnd(order, event, 'cancelled'), payment: { found, is_late: false } }
  if (found.status !== 'expired') throw orderError('payment_ended', { status: found.status })
  const ids = found.tickets.map((ticket) => ticket.id)
  return {
    ...unchanged,
    reservation: { keep: [], release: [], needs: { ids, counts: new Map() } },
    next: 'done',
    payment: { found, is_late: true },
  }
}

function planBegin(unchanged: OrderPlan, now: number): OrderPlan {
  const { order, event } = unchanged
  const state = statusAt(order, now)
  if (state === 'in_progress') return unchanged
  if (state !== 'executed') throw orderError('update_not_allowed', { status: state })
  requireOnSale(event, now)
  return { ...unchanged, next: 'in_progress' }
}
