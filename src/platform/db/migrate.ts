import { fileURLToPath } from 'node:url'
import { migrateJobs } from '../jobs/migrate-jobs.ts'
import type { Db } from './db.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../db/migrations', import.meta.url))

/**
 * Brings the schema up to date: plain SQL files, forward only, each in its transaction, then the schema of the job queue.
 * Several processes may do it at once; one waits for the other. Returns the names of the migrations that ran.
 */
export async function migrate(db: Db, log: (message: string) => void): Promise<string[]> {
  const { runner } = await import('node-pg-migrate')
  const client = await db.connect({ name: 'migrate' })
  try {
    const ran = await runner({
      dbClient: client,
      dir: MIGRATIONS,
      direction: 'up',
      migrationsTable: 'migrations',
      advisoryLockMode: 'wait',
      logger: { debug: () => {}, info: log, warn: log, error: log },
    })
    return [...ran.map((migration) => migration.name), ...(await migrateJobs(db))]
  } finally {
    await client.end()
  }
}
