/** Background jobs: kept in the database by graphile-worker, run at least once, again with growing pauses when they fail. */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger as WorkerLogger, WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { Db } from '../db/db.ts'
import type { Log } from '../log.ts'
import { statements } from './jobs-rows.ts'

const RESTART_WAIT_MS = 1000
const RELEASE_INTERVAL_MS = 5000

/**
 * Does a job; it may have been done before. When it throws it is tried again, 25 times over about three days. `signal` tells
 * it to give up, because the process ends.
 */
export type Task = (payload: unknown, context: { signal: AbortSignal }) => Promise<void>

export type JobsOptions = {
  db: Db
  log: Log
  tasks: Readonly<Record<string, Task>>
  /** Jobs at a time in this process. */
  concurrency: number
  /** Half of it running jobs have to end by themselves, then they are told to, then they are given back to be run again. */
  stop_limit_ms?: number
}

export type Jobs = {
  /** Jobs that run are finished within the limit, or given back. */
  stop(): Promise<void>
}

/**
 * Runs the jobs of the named tasks until it is stopped, on connections of its own; those are made again when they break. Any
 * number of processes may do so. The jobs of a process that died are given to others within 20 seconds.
 */
export function startJobs(options: JobsOptions): Jobs {
  const { db, log, tasks, concurrency, stop_limit_ms = 10_000 } = options
  const grace_ms = stop_limit_ms / 2
  const stopping = new AbortController()

  async function run(): Promise<void> {
    const pool = createPool({ db, log, concurrency })
    const lease = await db.connect({ name: 'jobs' })
    try {
      const worker = await import('graphile-worker')
      const events = watchJobs(log)
      events.on('pool:create', ({ workerPool: { id } }) => {
        lease.query({ ...statements.lock_runner, values: [id] }).catch(() => lease.end())
      })
      const runner = await worker.run({
        pgPool: pool,
        taskList: Object.fromEntries(
          Object.entries(tasks).map(([name, task]) => [
            name,
            (payload, { abortSignal: signal }) => runTask(task, payload, { signal, grace_ms }),
          ]),
        ),
        concurrency,
        parsedCronItems: [],
        noHandleSignals: true,
        gracefulShutdownAbortTimeout: grace_ms,
        // A connection that breaks while the end of a job is written: in a batch, if only of those that end in one turn, it
        // ends the runner; otherwise it would be a rejection that nobody handles, and the end of the process.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
        logger: toWorkerLogger(worker.Logger, log),
        events,
      })
      const end = () => void runner.stop().catch(() => {})
      lease.once('end', end)
      stopping.signal.addEventListener('abort', end)
      if (stopping.signal.aborted) end()
      const releasing = setInterval(() => void releaseAbandoned(db, log), RELEASE_INTERVAL_MS)
      await releaseAbandoned(db, log)
      await runner.promise.finally(() => {
        clearInterval(releasing)
        lease.off('end', end)
        stopping.signal.removeEventListener('abort', end)
      })
    } finally {
      await lease.end()
      await pool.end()
    }
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      await run().catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error }, 'jobs cannot run')
      })
      await sleep(RESTART_WAIT_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = keepRunning()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

function createPool({ db, log, concurrency }: Pick<JobsOptions, 'db' | 'log' | 'concurrency'>): pg.Pool {
  // One for each job that begins or ends, one to listen.
  const pool = new pg.Pool({ ...db.target, max: concurrency + 1, application_name: 'parterre jobs' })
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'a connection of the jobs broke')),
  )
  pool.on('error', () => {})
  return pool
}

/** Does the job; when it has not ended `grace_ms` after it was told to, it counts as failed, to be run again. */
async function runTask(
  task: Task,
  payload: unknown,
  { signal, grace_ms }: { signal: AbortSignal; grace_ms: number },
): Promise<void> {
  const given_up = Promise.withResolvers<never>()
  let limit: NodeJS.Timeout | undefined
  const onAbort = () => {
    limit = setTimeout(() => given_up.reject(new Error('the process ended before the job')), grace_ms)
  }
  signal.addEventListener('abort', onAbort)
  try {
    await Promise.race([task(payload, { signal }), given_up.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(limit)
  }
}

/** A process that dies keeps its jobs locked; graphile-worker alone would leave them so for four hours. */
async function releaseAbandoned(db: Db, log: Log): Promise<void> {
  try {
    const [released] = await db.query<{ runners: number }>(statements.release_abandoned)
    if (released) log.warn({ processes: released.runners }, 'jobs of processes that died will be run again')
  } catch (error) {
    log.warn({ err: error }, 'jobs of processes that died cannot be looked for')
  }
}

function watchJobs(log: Log): WorkerEvents {
  const events: WorkerEvents = new EventEmitter()
  events.on('job:error', ({ job, error }) => {
    const { id, task_identifier: task, attempts, max_attempts } = job
    const is_last = attempts >= max_attempts
    log[is_last ? 'error' : 'warn'](
      { err: error, job: id, task, attempts, max_attempts },
      is_last ? 'a job failed for the last time' : 'a job failed and will be tried again',
    )
  })
  return events
}

/** What it says of jobs that fail is said by `watchJobs`; the rest is for whoever looks for a fault of its own. */
function toWorkerLogger(Logger: typeof WorkerLogger, log: Log): WorkerLogger {
  return new Logger((scope) => (level, message, meta) => {
    if (meta?.['failure'] === true) return
    const { job: _job, error, ...fields } = { ...scope, ...meta } as Record<string, unknown>
    const severity = level === 'error' ? 'error' : level === 'warning' ? 'warn' : 'debug'
    log[severity]({ err: error, worker: fields['workerId'] }, message)
  })
}
