/** Promokeys: reading them, and what they open. */
import type { EventEntry } from '../events/event-entry.ts'
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './promo-rows.ts'
import type { PromokeyRow } from './promo-rows.ts'
import * as rules from './rules/promokey.ts'
import type { KeyWish } from './rules/promokey.ts'

export type Promokey = rules.Promokey
export type PromokeyFault = rules.PromokeyFault
export type AccessFault = rules.AccessFault

/** The event's key of this code, in any case. */
export async function findPromokey(
  db: Queryable,
  { shard, id }: Pick<EventEntry, 'shard' | 'id'>,
  code: string,
): Promise<Promokey | undefined> {
  const [row] = await db.query<PromokeyRow>(statements.find_promokey, [shard, id, code])
  return row && promokeyOf(row)
}

/** Why the order may not have the key, undefined when no key of the event has the code, for the tickets it wishes. */
export function promokeyFault(key: Promokey | undefined, wish: KeyWish): PromokeyFault | undefined {
  return rules.promokeyFault(key, wish)
}

/**
 * Whether an order under `key` (undefined: without one) may be made on the event and have tickets of `sets` (ids) added. `sets`
 * may be empty: a closed event takes no order without a key.
 */
export function accessFault(
  event: Pick<EventEntry, 'promokey_required' | 'sets'>,
  key: Pick<Promokey, 'sets'> | undefined,
  sets: Iterable<string>,
): AccessFault | undefined {
  const closed_sets = new Set(event.sets.filter((set) => set.promokey_required).map((set) => set.id))
  return rules.accessFault({ event_closed: event.promokey_required, closed_sets, key, sets })
}

/** How many of the tickets count against the key's limit: those of the sets it opens. */
export function ticketsUnderKey(
  key: Pick<Promokey, 'sets'>,
  tickets: readonly { readonly set: string }[],
): number {
  return rules.ticketsUnderKey(
    key,
    tickets.map((ticket) => ticket.set),
  )
}

/** A row as the rules know it. */
export function promokeyOf({ start, finish, ...row }: PromokeyRow): Promokey {
  return { ...row, lifetime: { start, finish } }
}
