import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { importCatalog } from '../../src/events/import/import-catalog.ts'
import { verify } from '../../src/main/verify/verify.ts'
import { makeKey } from '../../src/partners/keys.ts'
import { createDb } from '../../src/platform/db/db.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()

/** The driver waits for an answer for five seconds longer than a statement may take. */
const LONGER_THAN_AN_ANSWER_MS = 5500

// Operators may limit the statements of all connections to the database; those of long transactions are not meant.
await database.sql(`DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET statement_timeout = 200', current_database());
END $$`)

test('an import waits for another, and verify reads, for as long as it takes', async () => {
  const db = createDb({
    target: { connectionString: database.url },
    pool_size: 2,
    onError: () => {},
    statement_timeout_ms: 200,
  })
  const works = await database.db.transaction(async (tx) => {
    await tx.query({ name: '', text: "SELECT pg_advisory_xact_lock(hashtext('parterre import'))" })
    await tx.query({ name: '', text: 'LOCK TABLE transfers IN ACCESS EXCLUSIVE MODE' })
    const begun = [importCatalog({ db, document: {}, now: Date.now, makeKey }), verify(db)]
    const ended = Promise.allSettled(begun)
    await sleep(LONGER_THAN_AN_ANSWER_MS)
    return { ended }
  })
  expect(await works.ended).toEqual([
    { status: 'fulfilled', value: { ids: {}, keys: {} } },
    { status: 'fulfilled', value: [] },
  ])
  await db.close()
})
