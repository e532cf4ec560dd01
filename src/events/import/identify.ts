import { childPath, type FaultList } from './import-faults.ts'
import type { Stored } from './import-rows.ts'

/**
 * What a record in the document may say about who it is; with exactly these it is known again in the next import.
 */
export type Named = { id?: string; ref?: string }

/** `stored` is the record as it is in the database, undefined when it is new. */
export type Identity<S> = { id: string; ref: string | null; stored: S | undefined; path: string }

/** Who has an id or a ref already, by JSON path; one for all records of a kind. */
export type Claims = Map<string, string>

export type IdentifyOptions<R, S> = {
  path: string
  /** The place of the first of the records in the list at `path`; 0 when left out. */
  first?: number
  records: readonly R[]
  /** Every stored record that one of these could be. */
  stored: readonly S[]
  /** The key by which a record without id and ref is known, of a document's record and of a stored one. */
  keyOf: (record: R) => string
  storedKeyOf: (stored: S) => string
  /** True where two records with one key cannot be, whatever their ids. */
  unique_key?: string
  newId: () => string | Promise<string>
  claims: Claims
  faults: FaultList
}

/**
 * Tells for each record which stored one it is: by its id, else by its ref, else the one without a ref that has
 * the same key. A record that is none of them is new, under its own id or a new one. A ref that is left out stays
 * as it is.
 */
export async function identify<R extends Named, S extends Pick<Stored, 'id' | 'ref'>>(
  options: IdentifyOptions<R, S>,
): Promise<Identity<S>[]> {
  const { path, first = 0, records, faults, claims } = options
  const byId = new Map(options.stored.map((stored) => [stored.id, stored]))
  const byRef = new Map(options.stored.map((stored) => [stored.ref, stored]))
  const byKey = Map.groupBy(options.stored, options.storedKeyOf)
  const identities: Identity<S>[] = []
  for (const [index, record] of records.entries()) {
    const at = childPath(path, first + index)
    const claim = (token: string, where: string) => {
      const holder = claims.get(token)
      if (holder !== undefined) faults.add(where, `is the same as at ${holder}`)
      else claims.set(token, where)
    }
    const key = options.keyOf(record)
    const withRef = record.ref === undefined ? undefined : byRef.get(record.ref)
    let stored = record.id === undefined ? withRef : byId.get(record.id)
    if (withRef && record.id !== undefined && withRef.id !== record.id)
      faults.add(`${at}.ref`, `is the ref of ${withRef.id}`)
    if (record.ref !== undefined) claim(`ref ${record.ref}`, `${at}.ref`)
    else if (record.id === undefined) {
      const same = (byKey.get(key) ?? []).filter((one) => one.ref === null)
      if (same.length > 1)
        faults.add(at, `could be any of ${same.map((one) => one.id).join(', ')}: give its id or ref`)
      stored = same[0]
    }
    const id = record.id ?? stored?.id ?? (await options.newId())
    claim(`id ${id}`, record.id === undefined ? at : `${at}.id`)
    if (options.unique_key !== undefined) {
      const other = (byKey.get(key) ?? []).find((one) => one.id !== id)
      if (other) faults.add(childPath(at, options.unique_key), `is that of ${other.id}`)
      claim(`key ${key}`, childPath(at, options.unique_key))
    } else if (record.id === undefined && record.ref === undefined) claim(`key ${key}`, at)
    identities.push({ id, ref: record.ref ?? stored?.ref ?? null, stored, path: at })
  }
  return identities
}
