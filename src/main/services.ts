import { join } from 'node:path'
import { createCatalog } from '../events/catalog.ts'
import { createDesk } from '../orders/desk.ts'
import { EXPORT_ORDERS, startForgettingExports } from '../orders/export/exports.ts'
import { createMakeExport } from '../orders/export/make-export.ts'
import { startLapse } from '../orders/lapse-orders.ts'
import { createMailTickets, MAIL_TICKETS } from '../orders/tickets-mail/mail-tickets.ts'
import { createRenderer } from '../orders/tickets-mail/renderer.ts'
import { startDeliveries } from '../partners/deliver.ts'
import { startForgettingAnswers } from '../partners/idempotent-answers.ts'
import { createSubscriptions, startForgetting } from '../partners/notifications.ts'
import { startJobs } from '../platform/jobs/jobs.ts'
import { createMailer } from '../platform/mail/mailer.ts'
import { createMetrics } from '../platform/metrics.ts'
import type { Tls } from '../platform/tls.ts'
import { createSender } from '../platform/webhooks/send.ts'
import { createApi } from './api.ts'
import type { Addresses } from './api.ts'
import { createHealth } from './health.ts'
import type { Core, ServicesOptions } from './parts.ts'
import { createPresentNotification } from './present-notification.ts'

/** How soon after its end an unpaid order is looked for; it has lapsed within about two of these. */
const LAPSE_INTERVAL_MS = 500

const JOBS_AT_A_TIME = 4

/** Where the API is; without it, where health and metrics are. */
export type Started = { api: Addresses } | { health_url: string }

export type Services = {
  /** Starts what was asked for; answers where it is on this machine. */
  start(): Promise<Started>
  /** New connections to the API get this certificate; for services that were made with one. */
  renewTls(tls: Tls): void
  /** Everything goes on, but the API is not ready from now on. */
  withdraw(): void
  /** The API takes no new connections, and each open one ends with its next answer. Resolves when none is left. */
  stopListening(): Promise<void>
  /** Requests in flight are answered, jobs finish their round; not ready from the first moment on. */
  close(): Promise<void>
}

/** Wires the modules together, with api.ts and nowhere else; `db` stays the caller's to close. */
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
      wait_max_ms: config.desk_wait_max_ms,
    })
    const api = parts.includes('api') ? await createApi(options, { metrics, catalog, desk }) : undefined
    const health = api ? undefined : await createHealth({ config, db, metrics })
    let background: { stop(): Promise<unknown> } | undefined
    return {
      async start() {
        if (parts.includes('jobs')) background = startBackground(options, { catalog, desk })
        return api ? { api: await api.listen() } : { health_url: await health!.listen() }
      },
      renewTls: (tls) => api?.renewTls(tls),
      withdraw: () => api?.withdraw(),
      stopListening: async () => api?.stopListening(),
      async close() {
        health?.withdraw()
        await Promise.all([api?.close(), background?.stop()])
        await health?.close()
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
    present: createPresentNotification({ db, catalog }),
  })
  const forgetting = [startForgetting, startForgettingAnswers, startForgettingExports].map((start) =>
    start({ db, log }),
  )
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
