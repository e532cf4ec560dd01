/** What a command changes about an order beside its tickets, its promocodes and its state. */
import type { EventEntry } from '../events/event-entry.ts'
import { createdAt } from '../kernel/ids.ts'
import { formatV2Time } from '../kernel/iso-time.ts'
import type { CustomFields, Order, OrderActions } from './commands.ts'
import { createMatcher } from './match-pattern.ts'
import { InvalidFields, orderError } from './order-errors.ts'
import { fieldFaults, mergeCustomFields, missingRequired } from './rules/custom-fields.ts'
import { expiredAfterFault } from './rules/expired-after.ts'
import { mergeSettings, settingsFault } from './rules/order-settings.ts'

type Context = { readonly event: EventEntry; readonly origin: Order['origin']; readonly now: number }

/** `order` has the tickets it is to have. Throws DomainError<OrderErrorCode>. `now` is epoch milliseconds, `origin` that of the key of the request. */
export function applyFields(order: Order, actions: OrderActions, context: Context): Order {
  const { settings, vendor_data, expired_after } = actions
  let changed = order
  if (settings !== undefined) changed = { ...changed, settings: applySettings(changed, settings, context) }
  if (expired_after !== undefined)
    changed = { ...changed, expired_after: applyExpiredAfter(changed, expired_after, context) }
  if (vendor_data !== undefined) changed = { ...changed, vendor_data }
  if (order.custom_fields !== null || actions.custom_fields !== undefined)
    changed = {
      ...changed,
      custom_fields: applyCustomFields(changed, actions.custom_fields ?? {}, context.event),
    }
  return changed
}

/** Throws InvalidFields when a required custom field is empty. */
export function completeFields(order: Order, event: EventEntry): void {
  if (event.custom_fields.length === 0) return
  const faults = missingRequired(event.custom_fields, order.custom_fields, idsOf(order))
  if (faults.length > 0) throw new InvalidFields(faults)
}

function applyCustomFields(order: Order, sent: CustomFields, event: EventEntry): CustomFields {
  const tickets = idsOf(order)
  const faults = fieldFaults(sent, { fields: event.custom_fields, tickets, matches: createMatcher() })
  if (faults.length > 0) throw new InvalidFields(faults)
  return mergeCustomFields(order.custom_fields, sent, tickets)
}

function idsOf(order: Order): string[] {
  return order.tickets.map((ticket) => ticket.id)
}

function applySettings(
  order: Order,
  change: Order['settings'],
  { event: { smart_tickets }, origin }: Context,
): Order['settings'] {
  const fault = settingsFault(change, { origin, is_org: order.vendor === order.org, smart_tickets })
  if (fault !== undefined) throw orderError(fault, smart_tickets === null ? {} : { name: smart_tickets.name })
  return mergeSettings(order.settings, change)
}

function applyExpiredAfter(order: Order, wanted: number, { event, origin, now }: Context): number {
  const max = createdAt(order.id) + event.order_lifetime_s * 1000
  const fault = expiredAfterFault(wanted, { origin, now, max })
  if (fault !== undefined) throw orderError(fault, { max: formatV2Time(max) })
  return wanted
}
