import { randomBytes } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { createDb, type Db } from '../../src/platform/db/db.ts'
import { runSql, urlOfDatabase } from './sql.ts'

export type TestDatabase = {
  readonly url: string
  readonly db: Db
  /** One statement, for looking at rows and for planting states no operation makes. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

/**
 * A database of this test file's own, migrated and empty: a clone of the run's template. Called at the top of a file
 * or of a `describe`; dropped after the last test there.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('server')
  const name = `${server.template}_${randomBytes(4).toString('hex')}`
  await clone(server, name)
  const url = urlOfDatabase(server.url, name)
  // A connection that breaks fails the statement on it, and so the test.
  const db = createDb({ target: { connectionString: url }, pool_size: 4, onError: () => {} })
  afterAll(async () => {
    await db.close()
    await runSql(server.url, `DROP DATABASE ${name} WITH (FORCE)`)
  })
  return { url, db, sql: (text, values = []) => db.query({ name: '', text }, values) }
}

/** A template cannot be copied while autovacuum, say, is connected to it. */
async function clone({ url, template }: { url: string; template: string }, name: string): Promise<void> {
  for (let attempts_left = 20; ; attempts_left--) {
    try {
      await runSql(url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
      return
    } catch (error) {
      const in_use = (error as { code?: string }).code === '55006'
      if (!in_use || attempts_left === 0) throw error
    }
  }
}
