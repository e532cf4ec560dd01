import { writeNotifications } from '../partners/notifications.ts'
import type { NotificationType } from '../partners/notifications.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { RefundRequest } from './refund-request.ts'

type RefundNotification = Extract<NotificationType, `refund_request_${string}`>

/** Tells the vendor and the organizer, each once; the record is the request. `at` is epoch milliseconds. */
export async function notify(
  tx: Queryable,
  type: RefundNotification,
  { request, at }: { request: RefundRequest; at: number },
): Promise<void> {
  const partners = [...new Set([request.vendor, request.org])]
  await Promise.all(
    writeNotifications(
      tx,
      partners.map((partner) => ({ partner, type, at, record: request })),
    ),
  )
}
