/** What partners are told by webhooks (contract, decisions 8), written in the transaction of what it tells. */
import { newId, NO_SHARD } from '../kernel/ids.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import { listen } from '../platform/db/listen.ts'
import { startForgettingOld } from '../platform/forget-old.ts'
import type { Log } from '../platform/log.ts'
import { repeat } from '../platform/repeat.ts'
import { statements, type SubscriptionRow } from './notifications-rows.ts'

export const NOTIFICATION_TYPES = [
  'order_created',
  'order_in_progress',
  'order_done',
  'order_cancelled',
  'order_expired',
  'refund_request_created',
  'refund_request_approved',
  'refund_request_rejected',
  'event_updated',
] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

export type NewNotification = {
  /** Who is told: the id of a partner. */
  readonly partner: string
  readonly type: NotificationType
  /** When it happened, epoch milliseconds. */
  readonly at: number
  /** From which the data are presented when it is sent; JSON. */
  readonly record: unknown
}

/**
 * Writes notifications, and a delivery for each enabled webhook of the partner that takes the type; what no webhook takes
 * is not kept. The statements are sent at once, and answered by the promises.
 */
export function writeNotifications(
  tx: Queryable,
  notifications: readonly NewNotification[],
): Promise<unknown>[] {
  if (notifications.length === 0) return []
  return [
    tx.execute(statements.write_notifications, [
      notifications.map(({ at }) => newId(NO_SHARD, at)),
      notifications.map(({ partner }) => partner),
      notifications.map(({ type }) => type),
      notifications.map(({ at }) => at),
      notifications.map(({ record }) => JSON.stringify(record)),
    ]),
  ]
}

export type Subscriptions = {
  /** Whether a webhook of the partner takes the type, as far as this process knows. */
  has(partner: string, type: NotificationType): boolean
}

const REFRESH_MS = 1000

/**
 * Who has webhooks, in memory, so that a sale nobody is told of pays nothing for notifications. Read again as an import
 * notifies the channel `catalog`, and every second. What happens in the moment before a process knows of a new webhook is
 * not told to it; a webhook that is gone costs a statement that writes nothing.
 */
export async function createSubscriptions({
  db,
  log,
}: {
  db: Db
  log: Log
}): Promise<Subscriptions & { close(): Promise<void> }> {
  let types_of = new Map<string, ReadonlySet<string> | 'all'>()
  let reads = 0

  async function refresh(): Promise<void> {
    const read = ++reads
    const rows = await db.query<SubscriptionRow>(statements.load_subscriptions)
    // One that was begun later knows more.
    if (read === reads) types_of = group(rows)
  }

  const onError = (error: unknown) => log.warn({ err: error }, 'the webhooks could not be read again')
  await refresh()
  const refreshing = repeat(refresh, { interval_ms: REFRESH_MS, onError })
  const refreshNow = () => void refresh().catch(onError)
  const listener = listen({ db, channel: 'catalog', onNotify: refreshNow, onListening: refreshNow, log })
  return {
    has(partner, type) {
      const types = types_of.get(partner)
      return types === 'all' || types?.has(type) === true
    },
    async close() {
      await Promise.all([listener.close(), refreshing.stop()])
    },
  }
}

function group(rows: readonly SubscriptionRow[]): Map<string, ReadonlySet<string> | 'all'> {
  const grouped = new Map<string, Set<string> | 'all'>()
  for (const { partner, types } of rows) {
    const known = grouped.get(partner) ?? new Set()
    if (types.length === 0 || known === 'all') grouped.set(partner, 'all')
    else grouped.set(partner, new Set([...known, ...types]))
  }
  return grouped
}

const KEPT_DAYS = 30

/** Deletes notifications that are older than 30 days, with their deliveries. Any number of processes may run it. */
export function startForgetting({ db, log }: { db: Db; log: Log }): { stop(): Promise<void> } {
  const statement = statements.forget_notifications
  return startForgettingOld({ db, log, what: 'notifications', statement, kept_days: KEPT_DAYS })
}
