import assert from 'node:assert/strict'
import type { EventEntry } from '../../events/event-entry.ts'
import { seatsOfSets } from '../../inventory/set-stock.ts'
import type { SetAmounts } from '../../inventory/set-stock.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { eventParts } from './present-event.ts'
import type { EventParts } from './present-event.ts'

type Amounts = ReadonlyMap<string, SetAmounts>

/**
 * The written parts of events, kept as long as the catalog keeps the entry. Seats are only ever added to a set, so they are
 * read again when the set's amount has changed.
 */
export function createEventParts({ db, public_url }: { db: Queryable; public_url: string }) {
  const kept = new WeakMap<EventEntry, { seated: string; parts: Promise<EventParts> }>()

  function keepParts(entries: readonly EventEntry[], amounts: Amounts): void {
    const with_seats = entries.filter((entry) => entry.sets.some((set) => set.with_seats))
    const reading = with_seats.length === 0 ? Promise.resolve(new Map()) : seatsOfSets(db, with_seats)
    for (const entry of entries) {
      const parts = reading.then((seats) => eventParts(entry, seats, public_url))
      kept.set(entry, { seated: seatedAmounts(entry, amounts), parts })
      parts.catch(() => kept.delete(entry))
    }
  }

  /** The parts of each entry, in their order; `amounts` are those of this moment. */
  return async (entries: readonly EventEntry[], amounts: Amounts): Promise<EventParts[]> => {
    const missing = entries.filter((entry) => kept.get(entry)?.seated !== seatedAmounts(entry, amounts))
    if (missing.length > 0) keepParts(missing, amounts)
    return Promise.all(
      entries.map((entry) => {
        const found = kept.get(entry)
        assert(found)
        return found.parts
      }),
    )
  }
}

/** How many tickets each seated set has. */
function seatedAmounts(entry: EventEntry, amounts: Amounts): string {
  return entry.sets.map((set) => (set.with_seats ? amounts.get(set.id)?.amount : '')).join()
}
