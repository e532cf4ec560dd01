import { expect, test } from 'vitest'
import { createAuthenticate } from '../../src/partners/authenticate.ts'
import { createKey, makeKey, revokeKey } from '../../src/partners/keys.ts'
import type { Queryable } from '../../src/platform/db/db.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const { db } = database
const PARTNER = '5f0000000000000000000001'
await database.sql(`INSERT INTO partners (id, name) VALUES ($1, 'Box office')`, [PARTNER])

function keyNamed(name: string, options: { expires_at?: number } = {}) {
  return createKey({ db, partner: PARTNER, name, now: Date.now(), ...options })
}

/** The database, counting the statements it is asked. */
function counting(): Queryable & { count: number } {
  const counted: Queryable & { count: number } = {
    count: 0,
    execute: (statement, values) => db.execute(statement, values),
    query: (statement, values) => {
      counted.count++
      return db.query(statement, values)
    },
  }
  return counted
}

test('a key tells partner, origin and permissions', async () => {
  const { id, key } = await createKey({
    db,
    partner: 'Box office',
    name: 'till',
    origin: 'salespoint',
    permissions: ['orders'],
    now: Date.now(),
  })
  expect(await createAuthenticate({ db })(`key ${key}`)).toEqual({
    key_id: id,
    partner: { id: PARTNER, name: 'Box office' },
    origin: 'salespoint',
    permissions: ['orders'],
    events: null,
  })
})

test.each(['key', 'Key', 'KEY'])(
  'the scheme word %s, and blanks around the key, do not matter',
  async (scheme) => {
    const { key } = await keyNamed(`scheme ${scheme}`)
    const authenticate = createAuthenticate({ db })
    await expect(authenticate(`${scheme} ${key}`)).resolves.toBeDefined()
    await expect(authenticate(`${scheme}  \t${key} `)).resolves.toBeDefined()
  },
)

const stranger = makeKey().key
test.each([
  ['no header', undefined, 'key_missing'],
  ['an empty header', '', 'key_missing'],
  ['another scheme', `Bearer ${stranger}`, 'key_bad'],
  ['the scheme alone', 'key', 'key_bad'],
  ['the bare key', stranger, 'key_bad'],
  ['something after the key', `key ${stranger} more`, 'key_bad'],
  ['a malformed key', 'key ptk_short', 'key_bad'],
  ['an unknown key', `key ${stranger}`, 'key_bad'],
  ['a name of Object.prototype', 'key __proto__', 'key_bad'],
  ['a header of 10,000 characters', `key ${' '.repeat(10_000)}${stranger}`, 'key_bad'],
])('%s is refused', async (_name, header, code) => {
  await expect(createAuthenticate({ db })(header)).rejects.toMatchObject({ code })
})

test('a revoked key is refused within a second by one who knows it', async () => {
  const { id, key } = await keyNamed('to revoke')
  const authenticate = createAuthenticate({ db })
  await authenticate(`key ${key}`)
  await revokeKey({ db, key: id, now: Date.now() })
  await waitUntil(
    () =>
      authenticate(`key ${key}`).then(
        () => false,
        () => true,
      ),
    { timeout_ms: 1000 },
  )
  await expect(authenticate(`key ${key}`)).rejects.toMatchObject({ code: 'key_bad' })
})

test('a key ends at its time, although it is known', async () => {
  const expires_at = Date.now() + 60_000
  const { key } = await keyNamed('to expire', { expires_at })
  let at = expires_at - 1
  const authenticate = createAuthenticate({ db, now: () => at })
  await expect(authenticate(`key ${key}`)).resolves.toBeDefined()
  at = expires_at
  await expect(authenticate(`key ${key}`)).rejects.toMatchObject({ code: 'key_bad' })
})

test('many requests at once, and those that follow, read the key once', async () => {
  const { key } = await keyNamed('busy')
  const counted = counting()
  const authenticate = createAuthenticate({ db: counted })
  await Promise.all(Array.from({ length: 50 }, () => authenticate(`key ${key}`)))
  await authenticate(`key ${key}`)
  expect(counted.count).toBe(1)
})

test('a key made after it was refused is taken within a second', async () => {
  const { key, hash } = makeKey()
  const counted = counting()
  const authenticate = createAuthenticate({ db: counted })
  const isTaken = () =>
    authenticate(`key ${key}`).then(
      () => true,
      () => false,
    )
  expect([await isTaken(), await isTaken()]).toEqual([false, false])
  expect(counted.count).toBe(1)
  await database.sql(
    `INSERT INTO api_keys (id, name, partner, hash, hint, origin, permissions)
     VALUES ('5f00000000000000000000aa', 'late', $1, $2, 'ptk_', 'api', '{orders}')`,
    [PARTNER, hash],
  )
  await waitUntil(isTaken, { timeout_ms: 1000 })
})

test('a store that is away is no bad key, and is asked again', async () => {
  const { key } = await keyNamed('while away')
  let is_away = true
  const authenticate = createAuthenticate({
    db: {
      execute: (statement, values) => db.execute(statement, values),
      query: (statement, values) =>
        is_away ? Promise.reject(new Error('away')) : db.query(statement, values),
    },
  })
  await expect(authenticate(`key ${key}`)).rejects.toThrow('away')
  is_away = false
  await expect(authenticate(`key ${key}`)).resolves.toBeDefined()
})
