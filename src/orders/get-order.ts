import type { Catalog } from '../events/event-entry.ts'
import { ticketsOfOrders } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import type { Caller } from '../partners/caller.ts'
import { loadPromocodes } from '../promo/promocodes.ts'
import type { Db } from '../platform/db/db.ts'
import type { OrderResult } from './commands.ts'
import type { OrderRow } from './desk-rows.ts'
import { orderOf } from './load-batch.ts'
import { orderError } from './order-errors.ts'
import { statements } from './orders-rows.ts'

export type GetOrder = (caller: Caller, id: string) => Promise<OrderResult>

/**
 * Reads an order for the vendor that sold it or the organizer of its event; for anybody else there is no such order.
 * Throws DomainError<OrderErrorCode>.
 */
export function createGetOrder({ db, catalog }: { db: Db; catalog: Catalog }): GetOrder {
  return async (caller, id) => {
    const shard = shardOf(id)
    const found = await db.transaction(async (tx) => {
      const [row] = await tx.query<OrderRow & { now: number }>(statements.order_of_partner, [
        shard,
        id,
        caller.partner.id,
      ])
      if (row === undefined) return undefined
      const promocodes = await loadPromocodes(tx, shard, row.promocodes)
      return { row, tickets: await ticketsOfOrders(tx, [id]), promocodes }
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const event = found && (await catalog.event(found.row.event))
    if (found === undefined || event === undefined) throw orderError('order_not_found')
    if (caller.events !== null && !caller.events.includes(event.id)) throw orderError('order_not_found')
    const { now, ...row } = found.row
    const { tickets, promocodes } = found
    return { order: orderOf(row, tickets), event, now, promocodes, faults: [] }
  }
}
