import { shardOf } from '../../kernel/ids.ts'
import { writeNotifications } from '../../partners/notifications.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { sql } from './import-rows.ts'

/**
 * Writes `event_updated` for events that were made or changed, to their organizers and to the vendors with a deal. The
 * record is `{id}`: what is told is the event as it is when it is sent. `at` is epoch milliseconds.
 */
export async function notifyOfEvents(tx: Queryable, events: readonly string[], at: number): Promise<void> {
  if (events.length === 0) return
  const told = await tx.query<{ event: string; partner: string }>(sql.partners_to_notify, [
    events.map(shardOf),
    events,
  ])
  await Promise.all(
    writeNotifications(
      tx,
      told.map(({ event, partner }) => ({ partner, type: 'event_updated', at, record: { id: event } })),
    ),
  )
}
