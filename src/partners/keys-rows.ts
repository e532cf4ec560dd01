import { loadStatements } from '../platform/db/sql-file.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Origin, Permission } from './caller.ts'

const sql = loadStatements(new URL('./keys-rows.sql', import.meta.url), [
  'load_by_hash',
  'insert',
  'missing_events',
  'list',
  'find',
  'revoke',
])

/** A key as it is stored; times are epoch milliseconds, null events mean all of the partner's. */
export type KeyRow = {
  id: string
  partner: string
  partner_name: string
  origin: Origin
  permissions: Permission[]
  events: string[] | null
  expires_at: number | null
  revoked_at: number | null
}

export type ListedKey = KeyRow & { name: string; hint: string; created_at: number }

export async function loadKeyByHash(db: Queryable, hash: Buffer): Promise<KeyRow | undefined> {
  const [row] = await db.query<KeyRow>(sql.load_by_hash, [hash])
  return row
}

export type NewKey = {
  id: string
  name: string
  partner: string
  hash: Buffer
  hint: string
  origin: Origin
  permissions: readonly Permission[]
  events: readonly string[] | null
  expires_at: number | null
  created_at: number
}

/** False when the partner has a key of this name. */
export async function insertKey(db: Queryable, key: NewKey): Promise<boolean> {
  const rows = await db.query(sql.insert, [
    key.id,
    key.name,
    key.partner,
    key.hash,
    key.hint,
    key.origin,
    key.permissions,
    key.events,
    key.expires_at,
    key.created_at,
  ])
  return rows.length > 0
}

/** Those of `events` (ids and the shards inside them) that do not exist. */
export async function missingEvents(
  db: Queryable,
  events: readonly string[],
  shards: readonly number[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql.missing_events, [events, shards])
  return rows.map((row) => row.id)
}

export function listKeyRows(db: Queryable, partner: string | null): Promise<ListedKey[]> {
  return db.query<ListedKey>(sql.list, [partner])
}

export function findKeys(
  db: Queryable,
  id_or_name: string,
  partner: string | null,
): Promise<{ id: string; name: string }[]> {
  return db.query(sql.find, [id_or_name, partner])
}

/** The time the key was revoked at: now, or before. */
export async function revokeKeyRow(db: Queryable, id: string, now: number): Promise<number> {
  const [row] = await db.query<{ revoked_at: number }>(sql.revoke, [id, now])
  return row!.revoked_at
}
