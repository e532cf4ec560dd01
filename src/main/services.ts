import assert from 'node:assert/strict'
import manifest from '../../package.json' with { type: 'json' }
import { createCatalog } from '../events/catalog.ts'
import { createHttpServer } from '../http/server.ts'
import { eventsOfTickets } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import { createDesk } from '../orders/desk.ts'
import { createGetOrder } from '../orders/get-order.ts'
import { startLapse } from '../orders/lapse-orders.ts'
import { createAuthenticate } from '../partners/authenticate.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { chooseAddress } from './address.ts'
import type { Config } from './config.ts'

/** How soon after its end an unpaid order is looked for; it has lapsed within about two of these. */
const LAPSE_INTERVAL_MS = 500

/** Longer than any request takes: what is open then is a client that does not end its request. */
const DRAIN_LIMIT_MS = 20_000
const SWEEP_INTERVAL_MS = 50

export type Part = 'api' | 'jobs'

export type Services = {
  /** Starts what was asked for; answers the address of the API on this machine, or undefined without it. */
  start(): Promise<string | undefined>
  /** Requests in flight are answered, jobs finish their round; not ready from the first moment on. */
  close(): Promise<void>
}

export type ServicesOptions = { config: Config; db: Db; log: Log; parts: readonly Part[] }

/** The only place that wires the modules together; `db` stays the caller's to close. */
export async function createServices({ config, db, log, parts }: ServicesOptions): Promise<Services> {
  const metrics = createMetrics()
  const { port, url } = await chooseAddress(config)
  const catalog = createCatalog({ db, log })
  const desk = await createDesk({
    db,
    catalog,
    metrics,
    log,
    lanes: config.desk_lanes,
    batch_max: config.desk_batch_max,
    queue_max: config.desk_queue_max,
  })
  let is_closing = false
  const isReady = async () => !is_closing && (await answers(db))
  const partnerName = async (id: string) => {
    const partner = await catalog.partner(id)
    assert(partner, 'an order has a vendor that is no partner')
    return partner.name
  }
  const app = await createHttpServer({
    log,
    db,
    metrics,
    isReady,
    authenticate: createAuthenticate({ db }),
    rate_limit: config.rate_limit,
    public_url: config.public_url?.replace(/\/$/, '') ?? url,
    version: manifest.version,
    catalog,
    desk,
    getOrder: createGetOrder({ db, catalog }),
    partnerName,
    findEventOfTicket: async (ticket) => (await eventsOfTickets(db, shardOf(ticket), [ticket])).get(ticket),
  })
  let lapse: { stop(): Promise<void> } | undefined
  return {
    async start() {
      if (parts.includes('jobs')) lapse = startLapse({ db, desk, log, interval_ms: LAPSE_INTERVAL_MS })
      if (!parts.includes('api')) return undefined
      await app.listen({ host: config.host, port })
      return url
    },
    async close() {
      is_closing = true
      // Closing ends the connections that are idle then; those with a request in flight are idle after its answer.
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS)
      const limit = setTimeout(() => app.server.closeAllConnections(), DRAIN_LIMIT_MS)
      await app.close()
      clearInterval(sweep)
      clearTimeout(limit)
      await lapse?.stop()
      await desk.close()
      await catalog.close()
    },
  }
}

async function answers(db: Db): Promise<boolean> {
  try {
    await db.query({ name: 'main_ping', text: 'SELECT' })
    return true
  } catch {
    return false
  }
}
