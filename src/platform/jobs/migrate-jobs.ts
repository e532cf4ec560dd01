import pg from 'pg'
import type { Db } from '../db/db.ts'

/** The newest migration of graphile-worker that this version of it brings; a test holds them together. */
const NEWEST = 20

/** Any number no one else locks. */
const LOCK = 7_016_996_765_293_437

/**
 * Brings the job queue's own schema, `graphile_worker`, up to date. Several processes may do it at once; one waits for the
 * other. Returns what ran. An up-to-date one costs a query, and graphile-worker is not loaded.
 */
export async function migrateJobs(db: Db): Promise<string[]> {
  if (await isUpToDate(db)) return []
  const client = await db.connect({ name: 'migrate jobs' })
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`)
    if (await isUpToDate(db)) return []
    const { runMigrations } = await import('graphile-worker')
    const pool = new pg.Pool({ ...db.target, max: 2 })
    const report = () => {}
    pool.on('error', report)
    pool.on('connect', (connection) => connection.on('error', report))
    try {
      await runMigrations({ pgPool: pool, logger: await quietLogger() })
    } finally {
      await pool.end()
    }
    return [`graphile_worker_${NEWEST}`]
  } finally {
    await client.end()
  }
}

async function isUpToDate(db: Db): Promise<boolean> {
  const [schema] = await db.query<{ exists: boolean }>({
    name: 'jobs_schema_exists',
    text: `SELECT to_regclass('graphile_worker.migrations') IS NOT NULL AS exists`,
  })
  if (!schema?.exists) return false
  const [newest] = await db.query<{ id: number | null }>({
    name: 'jobs_newest_migration',
    text: 'SELECT max(id) AS id FROM graphile_worker.migrations',
  })
  return (newest?.id ?? 0) >= NEWEST
}

/** Its errors are thrown besides. */
async function quietLogger() {
  const { Logger } = await import('graphile-worker')
  return new Logger(() => () => {})
}
