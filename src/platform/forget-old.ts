/** Rows that are kept for a time, deleted when it is over. */
import { firstIdOf } from '../kernel/ids.ts'
import type { Db } from './db/db.ts'
import type { Statement } from './db/sql-file.ts'
import type { Log } from './log.ts'
import { repeat } from './repeat.ts'

export type ForgetOptions = {
  db: Db
  log: Log
  /** What the rows are called in the log. */
  what: string
  /** Deletes rows whose ids are below $1, a time as ids begin with it: the oldest, $2 at most. */
  statement: Statement
  kept_days: number
}

const DAY_S = 86_400
const FORGET_INTERVAL_MS = 10 * 60_000
const FORGET_AT_ONCE = 1000

/** Deletes the rows made more than `kept_days` ago, in portions. Any number of processes may run it. */
export function startForgettingOld({ db, log, what, statement, kept_days }: ForgetOptions): {
  stop(): Promise<void>
} {
  async function forget(): Promise<void> {
    const oldest_kept = firstIdOf(Math.floor(Date.now() / 1000) - kept_days * DAY_S)
    for (;;) {
      const forgotten = await db.execute(statement, [oldest_kept, FORGET_AT_ONCE])
      if (forgotten > 0) log.debug({ [what]: forgotten }, `old ${what} deleted`)
      if (forgotten < FORGET_AT_ONCE) return
    }
  }
  return repeat(forget, {
    interval_ms: FORGET_INTERVAL_MS,
    onError: (error) => log.error({ err: error }, `deleting old ${what} failed`),
  })
}
