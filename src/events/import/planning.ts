import { newId, NO_SHARD } from '../../kernel/ids.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { CatalogDocument } from './document.ts'
import { identify, type Claims, type Identity, type Named } from './identify.ts'
import type { FaultList } from './import-faults.ts'
import type { OrderLimits } from '../order-limits.ts'
import type { LayoutRow } from '../rules/place-seats.ts'
import { emptyRows, sql, type Rows, type Stored } from './import-rows.ts'

/** A kind of record that others name by id or ref. */
export type Kind = 'partners' | 'venues' | 'maps' | 'groups' | 'events'
const SINGULAR: Record<Kind, string> = {
  partners: 'partner',
  venues: 'venue',
  maps: 'map',
  groups: 'group',
  events: 'event',
}

/** `owner` is the organizer of an event or a group, the venue of a map; undefined when that was not found. */
export type Known = { id: string; owner: string | null | undefined }

export type Sector = { id: string; ref: string | null; with_seats: boolean; rows: readonly LayoutRow[] }

/**
 * An import while it is planned: what is read and found wrong, and the rows it comes to. Nothing is written before
 * all of the document is planned and no fault was found.
 */
export type Planning = {
  readonly tx: Queryable
  /** Epoch milliseconds. */
  readonly now: number
  readonly faults: FaultList
  readonly rows: Rows
  readonly document: CatalogDocument
  /** Of events that do not say. */
  readonly limits: OrderLimits
  /** Records by id and by ref, those of the document and those that are stored. */
  readonly directory: { readonly [kind in Kind]: Map<string, Known> }
  /** By map: those of the document, then those that are only stored. */
  readonly sectors: Map<string, Sector[]>
  /** The ids of the document's records by ref; a ref that two kinds share is `<kind>:<ref>` for the later one. */
  readonly ids: Map<string, string>
  readonly claims: Map<string, Claims>
}

export function startPlanning(
  options: Pick<Planning, 'tx' | 'now' | 'faults' | 'document' | 'limits'>,
): Planning {
  const directory = {
    partners: new Map(),
    venues: new Map(),
    maps: new Map(),
    groups: new Map(),
    events: new Map(),
  }
  return { ...options, rows: emptyRows(), directory, sectors: new Map(), ids: new Map(), claims: new Map() }
}

export function claimsOf({ claims }: Planning, kind: string): Claims {
  const known = claims.get(kind) ?? new Map<string, string>()
  claims.set(kind, known)
  return known
}

/** The answer's name for a record with a ref. */
export function answerId(
  { ids }: Planning,
  kind: string,
  { id, ref }: { id: string; ref: string | null },
): void {
  if (ref !== null) ids.set(ids.has(ref) ? `${kind}:${ref}` : ref, id)
}

/** The record a text names, or undefined after a fault at `path`. */
export function resolve(planning: Planning, kind: Kind, text: string, path: string): Known | undefined {
  const known = planning.directory[kind].get(text)
  if (!known) planning.faults.add(path, `no ${SINGULAR[kind]} has this id or ref`)
  return known
}

export type SectionOptions<R> = {
  kind: Kind | 'deals'
  records: readonly R[]
  /** What other sections name of this kind. */
  named: readonly (string | undefined)[]
  /** The name it is looked up by when it has neither id nor ref, and the record it belongs to. */
  nameOf: (record: R) => string
  ownerOf?: (record: R, path: string) => Known | undefined
  /** More of what it is known by, beside owner and name. */
  moreOf?: (record: R) => number
  newId?: () => Promise<string>
}

/** Tells who the records of a section are and enters them, and what is stored and named, into the directory. */
export async function identifySection<R extends Named, S extends Stored & { start?: number }>(
  planning: Planning,
  { kind, records, named, nameOf, ownerOf, moreOf, newId: makeId }: SectionOptions<R>,
): Promise<(Identity<S> & { owner: string | undefined })[]> {
  const texts = [...named, ...records.flatMap(({ id, ref }) => [id, ref])].filter(
    (text) => text !== undefined,
  )
  const stored = await planning.tx.query<S>(sql[`find_${kind}`], [[...new Set(texts)], records.map(nameOf)])
  const owners = new Map(
    records.map((record, index) => [record, ownerOf?.(record, `$.${kind}[${index}]`)?.id]),
  )
  const identities = await identify<R, S>({
    path: `$.${kind}`,
    records,
    stored,
    keyOf: (record) => [owners.get(record), nameOf(record), moreOf?.(record)].join('\n'),
    storedKeyOf: ({ owner, name, start }) => [owner, name, start].join('\n'),
    newId: makeId ?? (() => newId(NO_SHARD, planning.now)),
    claims: claimsOf(planning, kind),
    faults: planning.faults,
  })
  if (kind !== 'deals') {
    for (const one of stored) enter(planning.directory[kind], one, one.owner)
    for (const [index, one] of identities.entries())
      enter(planning.directory[kind], one, owners.get(records[index]!))
  }
  for (const identity of identities) answerId(planning, kind, identity)
  return identities.map((identity, index) => ({ ...identity, owner: owners.get(records[index]!) }))
}

function enter(
  known: Map<string, Known>,
  { id, ref }: { id: string; ref: string | null },
  owner: Known['owner'],
) {
  known.set(id, { id, owner })
  if (ref !== null) known.set(ref, { id, owner })
}

export function makePlainId({ now }: Planning): string {
  return newId(NO_SHARD, now)
}
