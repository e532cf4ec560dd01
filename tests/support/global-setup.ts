import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { createDb } from '../../src/platform/db/db.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { startEmbedded } from '../../src/platform/embedded/start-embedded.ts'
import { runSql, urlOfDatabase } from './sql.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `url`: any database of the server; `template`: the name of the migrated one that tests clone. */
    server: { url: string; template: string }
  }
}

/**
 * One PostgreSQL for the whole run: that of TEST_DATABASE_URL (its user may create databases), or an embedded one in a
 * folder of its own, not durable. Every test file clones the template database made here.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await openServer()
  const template = `parterre_test_${randomBytes(4).toString('hex')}`
  await runSql(url, `CREATE DATABASE ${template}`)
  const db = createDb({
    target: { connectionString: urlOfDatabase(url, template) },
    pool_size: 1,
    onError: (error) => console.error(error),
  })
  await migrate(db, () => {})
  await db.close()
  project.provide('server', { url, template })
  return async () => {
    // Clones are named after their template; a file that was cut short leaves its own behind.
    const rows = await runSql(url, `SELECT datname FROM pg_database WHERE datname LIKE '${template}%'`)
    for (const { datname } of rows)
      await runSql(url, `DROP DATABASE IF EXISTS ${String(datname)} WITH (FORCE)`)
    await stop()
  }
}

async function openServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env['TEST_DATABASE_URL']
  if (given) return { url: given, stop: async () => {} }
  const data_dir = mkdtempSync(join(tmpdir(), 'parterre-tests-'))
  const embedded = await startEmbedded({ data_dir, durable: false })
  return {
    url: embedded.url,
    stop: async () => {
      await embedded.stop()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}
