/**
 * Promokeys: what is closed, and whether a key opens it (decisions, 4). An event may be closed, which closes all its sets, or
 * some of its sets. A key opens the sets it names, or, naming none, all. Its ticket limit counts the tickets of these sets in
 * the live and done orders that hold it. A key for one order at a time is held by its live order until that ends or is done.
 */
import { covers } from './discounts.ts'
import { holdsAt } from './promotion.ts'

export type Promokey = {
  readonly id: string
  readonly event: string
  readonly code: string
  /** Ids of sets; none: all of the event. */
  readonly sets: readonly string[]
  /** Epoch milliseconds; null: open on that side. */
  readonly lifetime: { readonly start: number | null; readonly finish: number | null }
  readonly tickets_limit: number | null
  readonly single_order: boolean
  /** Tickets of all orders that count against the limit. */
  readonly taken: number
  /** The live order that has a key for one order at a time. */
  readonly holder: string | null
}

export type PromokeyFault =
  | 'promokey_not_found'
  | 'promokey_expired'
  | 'promokey_already_reserved'
  | 'promokey_fully_reserved'

/** Of the order that wants the key: its id, and the tickets under the key that it had and is to have. */
export type KeyWish = {
  readonly order: string
  readonly before: number
  readonly after: number
  /** The order has held the key already: what it has it keeps, and may go on within the period and limit. */
  readonly held: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/** Why the order may not have the key for so many tickets; `key` is undefined when no key of the event has the code. */
export function promokeyFault(
  key: Promokey | undefined,
  { order, before, after, held, now }: KeyWish,
): PromokeyFault | undefined {
  if (key === undefined) return 'promokey_not_found'
  const more = after - before
  if (held && more <= 0) return undefined
  if (!holdsAt(key.lifetime, now)) return 'promokey_expired'
  if (key.single_order && key.holder !== null && key.holder !== order) return 'promokey_already_reserved'
  // A key that is new to an order must be good for a ticket, though the order asks for none yet.
  const needed = held ? more : Math.max(more, 1)
  if (key.tickets_limit !== null && key.taken + needed > key.tickets_limit) return 'promokey_fully_reserved'
  return undefined
}

export type AccessFault = 'promokey_needed' | 'promokey_needed_for_tickets'

/**
 * Whether tickets of `sets` may be added under the key: `event_closed` by the event, `closed_sets` by themselves. A closed event
 * takes no order without a key, not even an empty one.
 */
export function accessFault(access: {
  readonly event_closed: boolean
  readonly closed_sets: ReadonlySet<string>
  readonly key: Pick<Promokey, 'sets'> | undefined
  readonly sets: Iterable<string>
}): AccessFault | undefined {
  const { event_closed, closed_sets, key, sets } = access
  if (event_closed && key === undefined) return 'promokey_needed'
  for (const set of sets)
    if ((event_closed || closed_sets.has(set)) && (key === undefined || !covers(key, set)))
      return 'promokey_needed_for_tickets'
  return undefined
}

/** How many of the sets, one for each ticket, count against the key's limit. */
export function ticketsUnderKey(key: Pick<Promokey, 'sets'>, sets: readonly string[]): number {
  return sets.filter((set) => covers(key, set)).length
}
