/** Done orders, from which a refund takes tickets. The desk changes an order until it is done, and never after. */
import assert from 'node:assert/strict'
import { ticketsOfOrders } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import { shareOf } from '../kernel/money.ts'
import type { Percentage } from '../kernel/money.ts'
import type { Caller } from '../partners/caller.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { CustomFields, OrderStatus, OrderTicket } from './commands.ts'
import { orderError } from './order-errors.ts'
import { mergeCustomFields } from './rules/custom-fields.ts'
import { statusAt } from './rules/order-state.ts'
import { statements } from './sold-orders-rows.ts'
import type { LockedOrderRow } from './sold-orders-rows.ts'

/** An order that the transaction at hand has locked. Times are epoch milliseconds. */
export type LockedOrder = {
  readonly shard: number
  readonly id: string
  readonly event: string
  readonly org: string
  readonly vendor: string
  /** By the clock: an unpaid order past its lifetime is expired. */
  readonly status: OrderStatus
  readonly org_share: Percentage
  readonly tickets: readonly OrderTicket[]
  readonly done_at: number | null
  /** Id of the promokey held. */
  readonly promokey: string | null
  readonly custom_fields: CustomFields | null
  /** The database's clock. */
  readonly now: number
}

/**
 * Locks an order for the vendor that sold it or the organizer of its event; undefined when it is neither's, or of an event
 * that the caller's key is kept from. Like the desk it does not wait: DomainError `order_busy` when another transaction has
 * the order.
 */
export async function lockOrder(tx: Queryable, id: string, caller: Caller): Promise<LockedOrder | undefined> {
  const shard = shardOf(id)
  const values = [shard, id, caller.partner.id]
  const mayTouch = ({ event }: { event: string }) => caller.events === null || caller.events.includes(event)
  const [row] = await tx.query<LockedOrderRow>(statements.lock_order, values)
  if (row === undefined) {
    const [other] = await tx.query<{ event: string }>(statements.event_of_order, values)
    if (other !== undefined && mayTouch(other)) throw orderError('order_busy')
    return undefined
  }
  if (!mayTouch(row)) return undefined
  const { expired_after, payment_till, tickets, ...order } = row
  const by_id = await ticketsOfOrders(tx, [id])
  return {
    ...order,
    status: statusAt({ status: row.status, expired_after, payment_till }, row.now),
    tickets: tickets.map((ticket) => {
      const held = by_id.get(ticket)
      assert(held, `ticket ${ticket} of order ${id} does not exist`)
      return held
    }),
  }
}

/**
 * Takes tickets out of a done order that is locked: its list, its totals, its charge and its custom fields are those of the
 * tickets left. The tickets themselves, and their places under the promokey, stay the caller's to give back.
 */
export async function takeOutTickets(
  tx: Queryable,
  order: LockedOrder,
  tickets: readonly string[],
): Promise<void> {
  const gone = new Set(tickets)
  const left = order.tickets.filter(({ id }) => !gone.has(id))
  const fields =
    order.custom_fields &&
    mergeCustomFields(
      order.custom_fields,
      {},
      left.map(({ id }) => id),
    )
  const sum = (of: (ticket: OrderTicket) => number) => left.reduce((total, ticket) => total + of(ticket), 0)
  const changed = await tx.execute(statements.take_out_tickets, [
    order.shard,
    order.id,
    tickets,
    sum(({ price }) => price),
    sum(({ discount }) => discount),
    sum(({ nominal }) => nominal),
    sum(({ extra }) => extra),
    sum(({ nominal }) => shareOf(nominal, order.org_share)),
    fields && JSON.stringify(fields),
  ])
  assert.equal(changed, 1, 'an order changed under its lock')
}
