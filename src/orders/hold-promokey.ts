/** The promokey of an order: whether it may have it, what it opens, and what its holding becomes. */
import { accessFault, promokeyFault, ticketsUnderKey } from '../promo/promokeys.ts'
import type { Promokey } from '../promo/promokeys.ts'
import type { KeyMove, PromoUses } from '../promo/promo-uses.ts'
import type { Order } from './commands.ts'
import type { OrderPromo } from './load-promo.ts'
import { orderError } from './order-errors.ts'
import type { OrderPlan } from './plan-order.ts'

type Ticket = { readonly set: string }

type Wish = {
  readonly promo: OrderPromo
  readonly uses: PromoUses
  /** What the order would add. */
  readonly granted: readonly Ticket[]
  readonly now: number
}

/** The key the order is to have, or undefined. Throws DomainError<OrderErrorCode> when it may not have it. */
export function promokeyOfOrder(plan: OrderPlan, { promo, uses, granted, now }: Wish): Promokey | undefined {
  const { before, reservation } = plan
  const id = promo.key_sent === undefined ? before.promokey : promo.key_sent
  if (id === null && promo.key_sent === undefined) return undefined
  const key = id === null ? undefined : uses.promokey(id)
  const held = key !== undefined && key.id === before.promokey
  const fault = promokeyFault(key, {
    order: before.id,
    before: held ? ticketsUnderKey(key, before.tickets) : 0,
    after: key === undefined ? 0 : ticketsUnderKey(key, [...reservation.keep, ...granted]),
    held,
    now,
  })
  if (fault !== undefined) throw orderError(fault)
  return key
}

type Access = {
  readonly key: Promokey | undefined
  readonly uses: PromoUses
  /** Of the tickets that are asked for. */
  readonly sets: readonly string[]
}

/** Throws when the event, or a set of tickets that are asked for or come from another key, is closed to the key. */
export function requireAccess(plan: OrderPlan, { key, uses, sets }: Access): void {
  const fault = accessFault(plan.event, key, [...sets, ...setsOfReplaced(plan, key, uses)])
  if (fault !== undefined) throw orderError(fault)
}

/** The sets of what is kept under a key that `key` replaces. Else an order could leave the limit of a key and keep its tickets. */
function setsOfReplaced(
  { before, reservation }: OrderPlan,
  key: Promokey | undefined,
  uses: PromoUses,
): string[] {
  if (before.promokey === null || before.promokey === key?.id) return []
  const replaced = uses.promokey(before.promokey)
  return reservation.keep
    .filter((ticket) => replaced !== undefined && ticketsUnderKey(replaced, [ticket]) > 0)
    .map((ticket) => ticket.set)
}

/** How the holding of keys moves from the order as it was to what it is. */
export function promokeyMoves(before: Order, after: Order, uses: PromoUses): KeyMove[] {
  const is_live = after.status === 'executed' || after.status === 'in_progress'
  const keys = [...new Set([before.promokey, after.promokey])].filter((id) => id !== null)
  return keys.map((id) => ({
    key: id,
    order: after.id,
    tickets: countedBy(after, id, uses) - countedBy(before, id, uses),
    holds: is_live && after.promokey === id,
  }))
}

function countedBy(order: Order, key_id: string, uses: PromoUses): number {
  const key = uses.promokey(key_id)
  return key === undefined || order.promokey !== key_id ? 0 : ticketsUnderKey(key, order.tickets)
}
