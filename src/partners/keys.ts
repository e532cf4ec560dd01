/**
 * API keys: `ptk_`, 32 random characters of [0-9A-Za-z], and 6 that are the CRC-32 of all before them. The prefix and the
 * checksum let a scanner recognise a leaked key, and let the service refuse a mistyped one without looking it up.
 * A key is shown once; what is stored is its SHA-256.
 */
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DomainError } from '../kernel/domain-error.ts'
import { isObjectId, newId, NO_SHARD, shardOf } from '../kernel/ids.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import { PERMISSIONS, type Origin, type Permission } from './caller.ts'
import { findKeys, insertKey, listKeyRows, missingEvents, revokeKeyRow, type ListedKey } from './keys-rows.ts'
import type { PartnerAdminErrorCode } from './partner-errors.ts'
import { findPartner } from './partners-rows.ts'

const PREFIX = 'ptk_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = 10
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** `hint` is the visible beginning, by which people tell keys apart. */
export type MadeKey = { key: string; hash: Buffer; hint: string }

export function makeKey(): MadeKey {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const key = PREFIX + random + checksum(PREFIX + random)
  return { key, hash: hashKey(key), hint: key.slice(0, HINT_LENGTH) }
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** True when the text has the form of a key and its checksum fits. */
export function isWellFormedKey(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

export type CreateKeyOptions = {
  db: Db
  /** Id, ref or whole name. */
  partner: string
  /** Unique for the partner. */
  name: string
  origin?: Origin | undefined
  /** Default: all but `admin`. */
  permissions?: readonly Permission[] | undefined
  /** The only events it may touch; default: all its partner may. */
  events?: readonly string[] | undefined
  /** Epoch milliseconds. */
  expires_at?: number | undefined
  now: number
}

/**
 * Makes a key; `key` is not to be had again. DomainError `partner_not_found`, `partner_ambiguous`, `event_not_found`,
 * `key_name_taken`.
 */
export async function createKey(options: CreateKeyOptions): Promise<{ id: string; key: string }> {
  const { db, name, now, events } = options
  return db.transaction(async (tx) => {
    const partner = await findPartner(tx, options.partner)
    const missing = events?.find((event) => !isObjectId(event)) ?? (await firstMissing(tx, events ?? []))
    if (missing !== undefined) {
      throw new DomainError<PartnerAdminErrorCode>('event_not_found', { event: missing })
    }
    const { key, hash, hint } = makeKey()
    const id = newId(NO_SHARD, now)
    const is_new = await insertKey(tx, {
      id,
      name,
      partner: partner.id,
      hash,
      hint,
      origin: options.origin ?? 'api',
      permissions: options.permissions ?? PERMISSIONS.filter((permission) => permission !== 'admin'),
      events: events ?? null,
      expires_at: options.expires_at ?? null,
      created_at: now,
    })
    if (!is_new)
      throw new DomainError<PartnerAdminErrorCode>('key_name_taken', { name, partner: partner.name })
    return { id, key }
  })
}

async function firstMissing(db: Queryable, events: readonly string[]): Promise<string | undefined> {
  const [missing] = await missingEvents(db, events, events.map(shardOf))
  return missing
}

/** The keys of one partner (id, ref or whole name) or of all, without what opens anything. */
export async function listKeys(db: Db, partner?: string): Promise<ListedKey[]> {
  return listKeyRows(db, partner === undefined ? null : (await findPartner(db, partner)).id)
}

/**
 * Revokes a key by its id or name, at every process within a second; one that is revoked already stays so, with its time
 * (epoch milliseconds). DomainError `key_not_found`; `key_ambiguous` when partners share the name and none is given.
 */
export async function revokeKey(options: {
  db: Db
  key: string
  partner?: string | undefined
  now: number
}): Promise<{ id: string; name: string; revoked_at: number }> {
  const { db, key, now } = options
  const partner = options.partner === undefined ? null : (await findPartner(db, options.partner)).id
  const [found, ...others] = await findKeys(db, key, partner)
  if (!found) throw new DomainError<PartnerAdminErrorCode>('key_not_found', { key })
  if (others.length > 0) throw new DomainError<PartnerAdminErrorCode>('key_ambiguous', { key })
  return { ...found, revoked_at: await revokeKeyRow(db, found.id, now) }
}
