import type { Queryable } from '../db/db.ts'
import { statements } from './jobs-rows.ts'

/** A piece of work for later. */
export type Job = {
  /** The name of its task (see `createJobs`). */
  readonly task: string
  readonly payload: Readonly<Record<string, unknown>>
  /** At most one job that has not begun has this key: a later one takes its place. */
  readonly job_key?: string
  /** Not before this time, epoch milliseconds; now when left out. */
  readonly run_at?: number
  /** Jobs of a queue run one at a time, on whatever process. */
  readonly queue?: string
}

/**
 * Adds jobs in the caller's transaction: they run when it commits, and never when it does not. One statement, sent at once;
 * keys must differ. It belongs at the end of the transaction: the first job ever of a task waits for any other transaction
 * that has just added one of that task, which must not wait for this one.
 */
export function enqueueJobs(tx: Queryable, jobs: readonly Job[]): Promise<unknown>[] {
  if (jobs.length === 0) return []
  return [
    tx.query(statements.add_jobs, [
      jobs.map(({ task }) => task),
      jobs.map(({ payload }) => JSON.stringify(payload)),
      jobs.map(({ run_at }) => (run_at === undefined ? null : new Date(run_at).toISOString())),
      jobs.map(({ job_key }) => job_key ?? null),
      jobs.map(({ queue }) => queue ?? null),
    ]),
  ]
}
