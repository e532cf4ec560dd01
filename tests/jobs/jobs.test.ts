import { pino } from 'pino'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { migrateJobs } from '../../src/platform/jobs/migrate-jobs.ts'
import { enqueueJobs, type Job } from '../../src/platform/jobs/enqueue-jobs.ts'
import { startJobs, type Jobs, type JobsOptions, type Task } from '../../src/platform/jobs/jobs.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait.ts'

const { db, sql } = await createTestDatabase()
afterEach(() => sql('DELETE FROM graphile_worker._private_jobs'))

function makeLog() {
  const lines: { level: number; msg: string; [field: string]: unknown }[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number])
  return { lines, log: pino({ level: 'warn' }, { write }) }
}

/** Runs until the end of the test. */
function start(task: Task, options: Partial<JobsOptions> = {}): Jobs {
  const jobs = startJobs({ db, log: makeLog().log, tasks: { work: task }, concurrency: 2, ...options })
  onTestFinished(() => jobs.stop())
  return jobs
}

const work = (number: number, fields: Partial<Job> = {}): Job => ({
  task: 'work',
  payload: { number },
  ...fields,
})

const add = (...jobs: Job[]) => Promise.all(enqueueJobs(db, jobs))

const countJobs = async () => (await sql('SELECT count(*) FROM graphile_worker.jobs'))[0]!['count']

/** As if the jobs that run had begun a while ago. */
const makeOld = () =>
  sql(
    "UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '1 minute' WHERE locked_at IS NOT NULL",
  )

test('the schema is that of the graphile-worker installed', async () => {
  const [newest] = await sql('SELECT max(id) AS id FROM graphile_worker.migrations')
  await sql('DELETE FROM graphile_worker.migrations WHERE id = $1', [newest!['id']])
  // Its last migration replaces functions, so it may run again.
  expect(await migrateJobs(db)).toEqual([`graphile_worker_${String(newest!['id'])}`])
  expect(await migrateJobs(db)).toEqual([])
})

test('a committed job runs with its payload, a rolled back one never', async () => {
  const seen: unknown[] = []
  start(async (payload) => void seen.push(payload))
  const rolled_back = db.transaction(async (tx) => {
    await Promise.all(enqueueJobs(tx, [work(1)]))
    throw new Error('no')
  })
  await expect(rolled_back).rejects.toThrow('no')
  await db.transaction(async (tx) => {
    await Promise.all(enqueueJobs(tx, [work(2), work(3)]))
    expect(seen).toEqual([])
  })
  await waitUntil(async () => (await countJobs()) === 0 && seen.length === 2)
  expect(seen).toEqual(expect.arrayContaining([{ number: 2 }, { number: 3 }]))
})

test('no job is no statement; a key keeps one job, run_at its time', async () => {
  expect(enqueueJobs(db, [])).toEqual([])
  await add(work(1, { job_key: 'one' }), work(2))
  await add(work(3, { job_key: 'one', run_at: Date.now() + 3_600_000 }))
  const seen: unknown[] = []
  start(async (payload) => void seen.push(payload))
  await waitUntil(() => seen.length === 1)
  expect(seen).toEqual([{ number: 2 }])
  expect(await sql('SELECT key FROM graphile_worker.jobs WHERE run_at > now()')).toEqual([{ key: 'one' }])
})

test('a job that fails is tried again later; its last failure is an error in the log', async () => {
  const { lines, log } = makeLog()
  let attempts = 0
  start(
    async () => {
      attempts++
      throw new Error('not today')
    },
    { log },
  )
  await add(work(1))
  await waitUntil(() => lines.length === 1)
  expect(lines[0]).toMatchObject({ level: 40, task: 'work', attempts: 1, max_attempts: 25 })
  const later = await waitUntil(async () => {
    const rows = await sql('SELECT run_at > now() AS later FROM graphile_worker.jobs WHERE locked_at IS NULL')
    return rows[0]
  })
  expect(later).toEqual({ later: true })
  await sql('UPDATE graphile_worker._private_jobs SET run_at = now(), attempts = 24')
  await waitUntil(() => lines.length === 2)
  expect(lines[1]).toMatchObject({ level: 50, msg: 'a job failed for the last time', attempts: 25 })
  expect(attempts).toBe(2)
})

test('stopping waits for a running job', async () => {
  let [is_running, is_done] = [false, false]
  const gate = Promise.withResolvers<void>()
  const jobs = start(async () => {
    is_running = true
    await gate.promise
    is_done = true
  })
  await add(work(1))
  await waitUntil(() => is_running)
  const stopped = jobs.stop()
  gate.resolve()
  await stopped
  expect([is_done, await countJobs()]).toEqual([true, 0])
})

test('a job that does not end is told to, then given back, and runs again', async () => {
  const signals: AbortSignal[] = []
  const task: Task = (_payload, { signal }) => {
    signals.push(signal)
    return new Promise(() => {})
  }
  const jobs = start(task, { stop_limit_ms: 200 })
  await add(work(1))
  await waitUntil(() => signals.length === 1)
  await jobs.stop()
  expect(signals[0]!.aborted).toBe(true)
  expect(await sql('SELECT locked_by FROM graphile_worker.jobs')).toEqual([{ locked_by: null }])
  await sql('UPDATE graphile_worker._private_jobs SET run_at = now()')
  let is_done = false
  start(async () => void (is_done = true))
  await waitUntil(() => is_done)
})

test('the job of a process that died runs elsewhere; that of a living one does not', async () => {
  const gate = Promise.withResolvers<void>()
  const begun: unknown[] = []
  start(
    async (payload) => {
      begun.push(payload)
      await gate.promise
    },
    { concurrency: 1 },
  )
  await add(work(1))
  await waitUntil(() => begun.length === 1)
  await makeOld()
  const { log, lines } = makeLog()
  const elsewhere: unknown[] = []
  // Locked by nobody that lives.
  await add(work(2, { run_at: Date.now() + 3_600_000 }))
  await sql(
    "UPDATE graphile_worker._private_jobs SET run_at = now(), locked_at = now() - interval '1 minute', locked_by = 'pool-dead' WHERE locked_at IS NULL",
  )
  start(async (payload) => void elsewhere.push(payload), { log })
  await waitUntil(() => elsewhere.length === 1)
  expect(elsewhere).toEqual([{ number: 2 }])
  expect(lines).toMatchObject([{ msg: 'jobs of processes that died will be run again', processes: 1 }])
  gate.resolve()
  await waitUntil(async () => (await countJobs()) === 0)
  expect(begun).toEqual([{ number: 1 }])
})

test('connections come back; a job whose end could not be written runs again', async () => {
  const seen: unknown[] = []
  const unlocked = Promise.withResolvers<void>()
  start(async (payload) => {
    seen.push(payload)
    if (seen.length > 1) return
    const locked = Promise.withResolvers<void>()
    db.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT FROM graphile_worker._private_jobs FOR UPDATE' })
      locked.resolve()
      await unlocked.promise
    }).catch(locked.reject)
    await locked.promise
  })
  await add(work(1))
  const broken = await waitUntil(async () => {
    const rows = await sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'parterre jobs' AND datname = current_database()
         AND EXISTS (SELECT FROM pg_stat_activity waiting
                     WHERE waiting.application_name = 'parterre jobs' AND waiting.datname = current_database()
                       AND waiting.wait_event_type = 'Lock')`,
    )
    return rows.length
  })
  expect(broken).toBeGreaterThan(0)
  unlocked.resolve()
  await makeOld()
  await waitUntil(async () => (await countJobs()) === 0, { timeout_ms: 15_000 })
  expect(seen).toEqual([{ number: 1 }, { number: 1 }])
})
