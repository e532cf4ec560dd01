import type { Queryable } from '../platform/db/db.ts'
import { statements } from './list-labels-rows.ts'
import { listableValues } from './listable.ts'
import type { Listable } from './listable.ts'

export type ListLabelsOptions = Listable & {
  /** The field of an event that has them. */
  readonly kind: 'tags' | 'category' | 'artists'
  /** The only labels listed; undefined: any. */
  readonly labels: readonly string[] | undefined
}

/** The texts that the events that may be listed have as tags, categories or artists, each once, in alphabetical order. */
export async function listLabels(
  db: Queryable,
  { kind, labels, ...listable }: ListLabelsOptions,
): Promise<string[]> {
  const rows = await db.query<{ label: string }>(statements.list_labels, [
    ...listableValues(listable),
    kind,
    labels,
  ])
  return rows.map(({ label }) => label)
}
