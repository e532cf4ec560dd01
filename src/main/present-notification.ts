import assert from 'node:assert/strict'
import type { Catalog } from '../events/event-entry.ts'
import { presentEvent } from '../http/v2/present-event.ts'
import { presentOrder } from '../http/v2/present-order.ts'
import { presentRefundRequest } from '../http/v2/present-refund-request.ts'
import type { Order } from '../orders/commands.ts'
import type { PresentNotification } from '../partners/deliver.ts'
import type { NotificationType } from '../partners/notifications.ts'
import type { Queryable } from '../platform/db/db.ts'
import { loadPromocodes } from '../promo/promocodes.ts'
import type { RefundRequest } from '../refunds/refund-request.ts'

type Present = (record: unknown, at: number) => Promise<unknown>

/**
 * The `data` of notifications: records as version 2 of the API shows them. Orders and refund requests are as they were at
 * the time; of an event the notification has the id alone, and it is shown as it is now.
 */
export function createPresentNotification({
  db,
  catalog,
}: {
  db: Queryable
  catalog: Catalog
}): PresentNotification {
  const order: Present = async (record, at) => {
    const stored = record as Order
    const [event, vendor, promocodes] = await Promise.all([
      catalog.event(stored.event),
      catalog.partner(stored.vendor),
      loadPromocodes(db, stored.shard, stored.promocodes),
    ])
    assert(event !== undefined && vendor !== undefined, 'an order has an event and a vendor')
    const result = { order: stored, event, now: at, promocodes }
    const answer = JSON.parse(presentOrder(result, vendor).toString()) as { data: unknown }
    return answer.data
  }
  const refundRequest: Present = async (record) => presentRefundRequest(record as RefundRequest)
  const event: Present = async (record) => {
    const found = await catalog.event((record as { id: string }).id)
    assert(found !== undefined, 'events are not deleted')
    return presentEvent(found)
  }
  const presenters: Readonly<Record<NotificationType, Present>> = {
    order_created: order,
    order_in_progress: order,
    order_done: order,
    order_cancelled: order,
    order_expired: order,
    refund_request_created: refundRequest,
    refund_request_approved: refundRequest,
    refund_request_rejected: refundRequest,
    event_updated: event,
  }
  return ({ type, record, at }) => presenters[type](record, at)
}
