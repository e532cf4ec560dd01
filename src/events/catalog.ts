import { isObjectId } from '../kernel/ids.ts'
import type { Db } from '../platform/db/db.ts'
import { listen } from '../platform/db/listen.ts'
import type { Log } from '../platform/log.ts'
import { createRefreshingCache } from '../platform/refreshing-cache.ts'
import type { Catalog, EventEntry, Partner } from './event-entry.ts'
import { loadEvents, loadPartners } from './load-entries.ts'

/** Whoever changes the catalog notifies this channel: the id of the event that changed, or '' for anything else. */
const CATALOG_CHANNEL = 'catalog'

/** How old an entry may be while notifications are missed: the catalog promises a second, and listings are kept for half of one. */
const UNNOTIFIED_MS = 500

export type CatalogOptions = {
  db: Db
  log?: Log
  /** An entry of this age is read again while it is served, one of three times this age is waited for. */
  ttl_ms?: number
  max_events?: number
  max_partners?: number
}

/** The catalog in memory. Entries are dropped when the database notifies a change, and read again after `ttl_ms` anyway. */
export function createCatalog(options: CatalogOptions): Catalog & { close(): Promise<void> } {
  const { db, log, ttl_ms = 3000, max_events = 5000, max_partners = 5000 } = options
  const ages = () =>
    listener.isListening()
      ? { fresh_ms: ttl_ms, usable_ms: 3 * ttl_ms }
      : { fresh_ms: Math.min(ttl_ms, UNNOTIFIED_MS), usable_ms: Math.min(ttl_ms, UNNOTIFIED_MS) }
  const onRefreshError = (error: unknown) => log?.warn({ err: error }, 'the catalog could not be read again')

  const events = createRefreshingCache<EventEntry>({
    load: (ids) => loadEvents(db, ids),
    max: max_events,
    ages,
    onRefreshError,
  })
  const partners = createRefreshingCache<Partner>({
    load: (ids) => loadPartners(db, ids),
    max: max_partners,
    ages,
    onRefreshError,
  })

  function drop(event?: string): void {
    events.drop(event)
    if (event === undefined) partners.drop()
  }
  const listener = listen({
    db,
    channel: CATALOG_CHANNEL,
    onNotify: (payload) => drop(payload === '' ? undefined : payload),
    onListening: () => drop(),
    log,
  })

  return {
    event: async (id) => (isObjectId(id) ? events.get(id) : undefined),
    events: async (ids) => {
      const entries = await Promise.all(ids.map((id) => events.get(id)))
      return entries.filter((entry) => entry !== undefined)
    },
    partner: (id) => partners.get(id),
    close: () => listener.close(),
  }
}
