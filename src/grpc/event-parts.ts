import { eventParts } from './present-event.ts'
import type { EventParts, StreamedEvent } from './present-event.ts'

/** The encoded parts of events, kept as long as the catalog keeps the entry. */
export function createEventParts() {
  const current = new WeakMap<StreamedEvent, EventParts>()
  const older = new WeakMap<StreamedEvent, EventParts>()

  /** `is_older`: as a caller of an older name of the service has them. */
  return (entry: StreamedEvent, options: { is_older: boolean }): EventParts => {
    const kept = options.is_older ? older : current
    const found = kept.get(entry)
    if (found !== undefined) return found
    const parts = eventParts(entry, options)
    kept.set(entry, parts)
    return parts
  }
}
