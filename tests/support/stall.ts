import type { TestDatabase } from './database.ts'
import { waitUntil } from './wait.ts'

/**
 * Holds the row locks of a `SELECT ... FOR UPDATE` while `work` runs, so that a race stops at a known place. `work` gets
 * a function that waits until so many of the database's connections wait for a lock.
 */
export async function stalledBy<T>(
  { db, sql }: TestDatabase,
  [text, values]: [text: string, values: unknown[]],
  work: (untilWaiting: (connections: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query({ name: '', text }, values)
    return work(async (connections) => {
      await waitUntil(async () => {
        const [row] = await sql(
          `SELECT count(*)::integer AS n FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return Number(row?.['n']) >= connections
      })
    })
  })
}
