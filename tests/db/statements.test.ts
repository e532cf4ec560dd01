import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { parseStatements } from '../../src/platform/db/sql-file.ts'
import { createTestDatabase } from '../support/database.ts'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

const { db } = await createTestDatabase()
// One session for all files: two blocks of one name would meet in it, as they would in a session of the pool.
const client = await db.connect({ name: 'statements test' })
afterAll(() => client.end())

test.each(globSync('**/*-rows.sql', { cwd: SRC }).toSorted())('every block of %s prepares', async (file) => {
  const blocks = parseStatements(readFileSync(SRC + file, 'utf8'), SRC + file)
  expect(blocks).not.toEqual([])
  for (const { name, text } of blocks) {
    // PostgreSQL cuts longer names, which could make two of them one.
    expect(name.length, name).toBeLessThanOrEqual(63)
    await expect(client.query(`PREPARE ${name} AS ${text}`), name).resolves.toBeDefined()
  }
})
