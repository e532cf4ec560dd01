import type { EventEntry } from '../../events/event-entry.ts'
import { formatV2Time } from '../../kernel/iso-time.ts'

/** An event as `refs.events` shows it (contract, `refs`). */
export function presentEvent(event: EventEntry) {
  const { id, lifetime, org, status, venue, title, age_rating } = event
  return {
    id,
    lifetime: { start: formatV2Time(lifetime.start), finish: formatV2Time(lifetime.finish) },
    org: org.id,
    status,
    timezone: venue.city.timezone,
    title: { desc: title.desc, text: title.text },
    venue: venue.id,
    age_rating,
  }
}
