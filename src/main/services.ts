import assert from 'node:assert/strict'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { createCatalog } from '../events/catalog.ts'
import { createHttpServer } from '../http/server.ts'
import { placesOfTickets } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import type { Desk } from '../orders/commands.ts'
import { createDesk } from '../orders/desk.ts'
import { EXPORT_ORDERS } from '../orders/export/exports.ts'
import { createMakeExport } from '../orders/export/make-export.ts'
import { createGetOrder } from '../orders/get-order.ts'
import { createListOrders } from '../orders/list-orders.ts'
import { startLapse } from '../orders/lapse-orders.ts'
import { createMailTickets, MAIL_TICKETS } from '../orders/tickets-mail/mail-tickets.ts'
import { createRenderer } from '../orders/tickets-mail/renderer.ts'
import { createAuthenticate } from '../partners/authenticate.ts'
import { startDeliveries } from '../partners/deliver.ts'
import { startForgettingAnswers } from '../partners/idempotent-answers.ts'
import { createSubscriptions, startForgetting } from '../partners/notifications.ts'
import type { Db } from '../platform/db/db.ts'
import { startJobs } from '../platform/jobs/jobs.ts'
import type { Log } from '../platform/log.ts'
import { createMailer } from '../platform/mail/mailer.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { createSender } from '../platform/webhooks/send.ts'
import { createChangeRefundRequest } from '../refunds/change-refund-request.ts'
import { createCreateRefundRequest } from '../refunds/create-refund-request.ts'
import { createListRefundRequests } from '../refunds/list-refund-requests.ts'
import { chooseAddress } from './address.ts'
import type { Config } from './config.ts'
import { createPresentNotification } from './present-notification.ts'

/** How soon after its end an unpaid order is looked for; it has lapsed within about two of these. */
const LAPSE_INTERVAL_MS = 500

const JOBS_AT_A_TIME = 4

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
  const subscriptions = createSubscriptions({ db, log })
  const closeReaders = () => Promise.all([catalog.close(), subscriptions.then((one) => one.close())])
  try {
    const desk = await createDesk({
      db,
      catalog,
      metrics,
      log,
      subscriptions: await subscriptions,
      lanes: config.desk_lanes,
      batch_max: config.desk_batch_max,
      queue_max: config.desk_queue_max,
    })
    const api = parts.includes('api') ? await createApi(options, { metrics, catalog, desk }) : undefined
    let background: { stop(): Promise<unknown> } | undefined
    return {
      async start() {
        if (parts.includes('jobs')) background = startBackground(options, { catalog, desk })
        return api?.listen()
      },
      async close() {
        await Promise.all([api?.close(), background?.stop()])
        await desk.close()
        await closeReaders()
      },
    }
  } catch (error) {
    await closeReaders().catch(() => {})
    throw error
  }
}

/** What the part `jobs` does. */
function startBackground({ config, db, log }: ServicesOptions, { catalog, desk }: Omit<Core, 'metrics'>) {
  const { smtp_url, mail_from } = config
  const mailer = createMailer({ smtp_url, outbox_dir: join(config.data_dir, 'outbox'), from: mail_from, log })
  const renderer = createRenderer()
  const jobs = startJobs({
    db,
    log,
    tasks: {
      [MAIL_TICKETS]: createMailTickets({ db, catalog, mailer, renderer, log }),
      [EXPORT_ORDERS]: createMakeExport({ db, mailer, log, exports_dir: join(config.data_dir, 'exports') }),
    },
    concurrency: JOBS_AT_A_TIME,
  })
  const lapse = startLapse({ db, desk, log, interval_ms: LAPSE_INTERVAL_MS })
  const deliveries = startDeliveries({
    db,
    log,
    send: createSender({ allow_private: config.webhooks_allow_private === 'on' }),
    present: createPresentNotification(catalog),
  })
  const forgetting = [startForgetting({ db, log }), startForgettingAnswers({ db, log })]
  return {
    stop: () =>
      Promise.all([
        jobs.stop().then(() => renderer.close()),
        lapse.stop(),
        deliveries.stop(),
        ...forgetting.map((one) => one.stop()),
      ]),
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
    listOrders: createListOrders({ db, catalog }),
    createRefundRequest: createCreateRefundRequest({ db }),
    changeRefundRequest: createChangeRefundRequest({ db }),
    listRefundRequests: createListRefundRequests({ db }),
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
