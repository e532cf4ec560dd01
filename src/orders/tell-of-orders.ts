/** Whom a batch tells of what it did, in its own transaction: partners by webhooks, customers by mail. */
import { writeNotifications } from '../partners/notifications.ts'
import type { NewNotification, NotificationType, Subscriptions } from '../partners/notifications.ts'
import type { Queryable } from '../platform/db/db.ts'
import { enqueueJobs } from '../platform/jobs/enqueue-jobs.ts'
import type { Order, OrderStatus } from './commands.ts'
import { ticketMailJobs } from './tickets-mail/mail-tickets.ts'

/** An order as the transaction leaves it. */
type Told = { readonly order: Order; readonly is_new: boolean }

const TYPES: Readonly<Record<Exclude<OrderStatus, 'executed'>, NotificationType>> = {
  in_progress: 'order_in_progress',
  done: 'order_done',
  cancelled: 'order_cancelled',
  expired: 'order_expired',
}

/** The statements are sent at once, last in the transaction. `now` is epoch milliseconds. */
export function tellOfOrders(
  tx: Queryable,
  told: readonly Told[],
  { subscriptions, now }: { subscriptions: Subscriptions; now: number },
): Promise<unknown>[] {
  const done = told.filter(({ order }) => order.status === 'done')
  return [
    ...writeNotifications(
      tx,
      told.flatMap((one) => notificationsOf(one, subscriptions, now)),
    ),
    ...enqueueJobs(
      tx,
      done.flatMap(({ order }) => ticketMailJobs(order)),
    ),
  ]
}

/** The vendor and the organizer are told, each once, of what their webhooks take. */
function notificationsOf(
  { order, is_new }: Told,
  subscriptions: Subscriptions,
  at: number,
): NewNotification[] {
  const types: NotificationType[] = is_new ? ['order_created'] : []
  if (order.status !== 'executed') types.push(TYPES[order.status])
  const partners = [...new Set([order.vendor, order.org])]
  return types.flatMap((type) =>
    partners
      .filter((partner) => subscriptions.has(partner, type))
      .map((partner) => ({ partner, type, at, record: order })),
  )
}
