import { DomainError } from '../kernel/domain-error.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { Caller } from './caller.ts'
import { hashKey, isWellFormedKey } from './keys.ts'
import { loadKeyByHash } from './keys-rows.ts'
import type { PartnerErrorCode } from './partner-errors.ts'

/** RFC 9110, 11.4: a scheme, matched without case, then spaces, then the credentials. */
const HEADER = /^key[ \t]+([!-~]+)[ \t]*$/i
const LONGEST_HEADER = 100
const KNOWN_MAX = 10_000
const REFUSED_MAX = 1_000

/** `expires_at` is epoch milliseconds; `read_at` is of the clock that is never set back. */
type Known = { caller: Caller; expires_at: number; read_at: number }

export type Authenticate = (header: string | undefined) => Promise<Caller>

/**
 * Tells who sends a request by its `Authorization: key <KEY>`. What the store says about a key is believed for `ttl_ms`, so
 * that a revoked key is refused within a second everywhere; expiry is judged by `now` (epoch milliseconds) every time.
 * Throws DomainError `key_missing`, or `key_bad` for whatever else is wrong with it.
 */
export function createAuthenticate({
  db,
  now = Date.now,
  ttl_ms = 800,
}: {
  db: Queryable
  now?: () => number
  ttl_ms?: number
}): Authenticate {
  // By the whole header, so that a request costs no hash. Keys that nobody has are remembered apart: however many are
  // tried, they push out none that is in use.
  const known = new Map<string, Known>()
  const refused = new Map<string, number>()
  const loading = new Map<string, Promise<Known | undefined>>()

  async function load(header: string): Promise<Known | undefined> {
    const read_at = performance.now()
    const row = await loadKeyByHash(db, hashKey(keyIn(header)))
    if (!row || row.revoked_at !== null) {
      known.delete(header)
      remember(refused, header, { value: read_at, max: REFUSED_MAX })
      return undefined
    }
    const caller: Caller = {
      key_id: row.id,
      partner: { id: row.partner, name: row.partner_name },
      origin: row.origin,
      permissions: row.permissions,
      events: row.events,
    }
    const entry = { caller, expires_at: row.expires_at ?? Infinity, read_at }
    remember(known, header, { value: entry, max: KNOWN_MAX })
    return entry
  }

  function loadOnce(header: string): Promise<Known | undefined> {
    const running = loading.get(header)
    if (running) return running
    const started = load(header).finally(() => loading.delete(header))
    loading.set(header, started)
    return started
  }

  return async (header) => {
    if (header === undefined || header === '') throw new DomainError<PartnerErrorCode>('key_missing')
    const at = performance.now()
    let entry = known.get(header)
    if (!entry || at - entry.read_at >= ttl_ms) {
      if (at - (refused.get(header) ?? -Infinity) < ttl_ms) throw new DomainError<PartnerErrorCode>('key_bad')
      entry = await loadOnce(header)
    }
    if (!entry || entry.expires_at <= now()) throw new DomainError<PartnerErrorCode>('key_bad')
    return entry.caller
  }
}

function keyIn(header: string): string {
  const key = header.length > LONGEST_HEADER ? undefined : HEADER.exec(header)?.[1]
  if (key === undefined || !isWellFormedKey(key)) throw new DomainError<PartnerErrorCode>('key_bad')
  return key
}

/** Keeps at most `max` entries: the one that was set longest ago goes. */
function remember<Value>(
  cache: Map<string, Value>,
  name: string,
  { value, max }: { value: Value; max: number },
): void {
  cache.delete(name)
  if (cache.size >= max) cache.delete(cache.keys().next().value as string)
  cache.set(name, value)
}
