import type { Catalog } from '../events/event-entry.ts'
import type { Desk } from '../orders/commands.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Tls } from '../platform/tls.ts'
import type { Config } from './config.ts'

/** `api`: REST and gRPC. `jobs`: what goes on by itself. */
export type Part = 'api' | 'jobs'

/** With `tls` the API is served encrypted, and only so. */
export type ServicesOptions = {
  config: Config
  db: Db
  log: Log
  parts: readonly Part[]
  tls?: Tls | undefined
}

/** What all parts work with. */
export type Core = { metrics: Metrics; catalog: Catalog; desk: Desk }
