import assert from 'node:assert/strict'
import manifest from '../../package.json' with { type: 'json' }
import { createCatalog } from '../events/catalog.ts'
import { createHttpServer } from '../http/server.ts'
import { placesOfTickets } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import type { Desk } from '../orders/commands.ts'
import { createDesk } from '../orders/desk.ts'
import { createGetOrder } from '../orders/get-order.ts'
import { startLapse } from '../orders/lapse-orders.ts'
import { createAuthenticate } from '../partners/authenticate.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
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

type Core = { metrics: Metrics; catalog: ReturnType<typeof createCatalog>; desk: Desk }

/** The only place that wires the modules together; `db` stays the caller's to close. */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const { config, db, log, parts } = options
  const metrics = createMetrics()
  const catalog = createCatalog({ db, log })
  try {
    const desk = await createDesk({
      db,
      catalog,
      metrics,
      log,
      lanes: config.desk_lanes,
      batch_max: config.desk_batch_max,
      queue_max: config.desk_queue_max,
    })
    const api = parts.includes('api') ? await createApi(options, { metrics, catalog, desk }) : undefined
    let lapse: { stop(): Promise<void> } | undefined
    return {
      async start() {
        if (parts.includes('jobs')) lapse = startLapse({ db, desk, log, interval_ms: LAPSE_INTERVAL_MS })
        return api?.listen()
      },
      async close() {
        await api?.close()
        await lapse?.stop()
        await desk.close()
        await catalog.close()
      },
    }
  } catch (error) {
    await catalog.close()
    throw error
  }
}

async function createApi({ config, db, log }: ServicesOptions, { metrics, catalog, desk }: Core) {
  const { port, url } = await chooseAddress(config)
  let is_closing = false
  const app = await createHttpServer({
    log,
    db,
    metrics,
    isReady: async () => !is_closing && (await answers(db)),
    authenticate: createAuthenticate({ db }),
    rate_limit: config.rate_limit,
    public_url: config.public_url?.replace(/\/$/, '') ?? url,
    version: manifest.version,
    catalog,
    desk,
    getOrder: createGetOrder({ db, catalog }),
    partnerName: async (id) => {
      const partner = await catalog.partner(id)
      assert(partner, 'an order has a vendor that is no partner')
      return partner.name
    },
    findEventOfTicket: async (ticket) =>
      (await placesOfTickets(db, shardOf(ticket), [ticket])).get(ticket)?.event,
  })
  return {
    async listen(): Promise<string> {
      await app.listen({ host: config.host, port })
      return url
    },
    async close(): Promise<void> {
      is_closing = true
      // Closing ends the connections that are idle then; those with a request in flight are idle after its answer.
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS)
      const limit = setTimeout(() => app.server.closeAllConnections(), DRAIN_LIMIT_MS)
      await app.close()
      clearInterval(sweep)
      clearTimeout(limit)
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
