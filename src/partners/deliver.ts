/**
 * Delivers notifications to webhooks, at least once. A delivery is claimed by moving its next attempt behind the end of
 * this one, so one that a crash cut off is made again by whoever finds it then; nothing is locked while a receiver is
 * being waited for.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/log.ts'
import type { Outcome, Send } from '../platform/webhooks/send.ts'
import { signatureHeaders } from '../platform/webhooks/sign.ts'
import { statements, type ClaimedDelivery } from './deliver-rows.ts'
import type { NotificationType } from './notifications.ts'
import { BACK_OFF, waitAfter, type BackOff } from './rules/back-off.ts'

/** The `data` of a notification, as the API shows the record; `at` is when it happened, epoch milliseconds. */
export type PresentNotification = (notification: {
  type: NotificationType
  record: unknown
  at: number
}) => Promise<unknown>

export type DeliverOptions = {
  readonly db: Db
  readonly log: Log
  readonly send: Send
  readonly present: PresentNotification
  /** How often due deliveries are looked for, at least. */
  readonly interval_ms?: number
  /** Longer than an attempt takes. */
  readonly lease_ms?: number
  readonly back_off?: BackOff
}

/** Attempts in flight of a process, and of them to one webhook: however slow one is, the others get on. */
const IN_FLIGHT = 128
const IN_FLIGHT_TO_ONE = 8

const GONE = 410

/** Any number of processes may run it. `stop` waits for the attempts in flight. */
export function startDeliveries(options: DeliverOptions): { stop(): Promise<void> } {
  const { db, log, interval_ms = 500, lease_ms = 30_000 } = options
  const in_flight = new Map<string, number>()
  const attempts = new Set<Promise<void>>()
  let one_ended = Promise.withResolvers<void>()
  const stopping = new AbortController()

  /** Begins attempts; answers how many. */
  async function begin(): Promise<number> {
    if (attempts.size >= IN_FLIGHT) await one_ended.promise
    const claimed = await db.query<ClaimedDelivery>(statements.claim_deliveries, [
      [...in_flight.keys()],
      [...in_flight.values()],
      IN_FLIGHT_TO_ONE,
      IN_FLIGHT - attempts.size,
      lease_ms,
    ])
    for (const delivery of claimed) {
      const { webhook } = delivery
      in_flight.set(webhook, (in_flight.get(webhook) ?? 0) + 1)
      const begun = deliver(delivery, options)
        .catch((error: unknown) => log.error({ err: error, webhook }, 'a delivery could not be recorded'))
        .finally(() => {
          attempts.delete(begun)
          const left = in_flight.get(webhook)! - 1
          if (left === 0) in_flight.delete(webhook)
          else in_flight.set(webhook, left)
          one_ended.resolve()
        })
      attempts.add(begun)
    }
    return claimed.length
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      one_ended = Promise.withResolvers()
      const begun = await begin().catch((error: unknown) => {
        log.error({ err: error }, 'deliveries could not be looked for')
        return 0
      })
      const pause = sleep(interval_ms, undefined, { signal: stopping.signal }).catch(() => {})
      // Where there was something there may be more, as soon as there is room for it.
      await (begun > 0 ? Promise.race([pause, one_ended.promise]) : pause)
    }
    await Promise.all(attempts)
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function deliver(delivery: ClaimedDelivery, options: DeliverOptions): Promise<void> {
  const { db, log, back_off = BACK_OFF } = options
  const { notification, webhook, attempts } = delivery
  const outcome = await attempt(delivery, options)
  const status = 'status' in outcome ? outcome.status : null
  if (status !== null && status >= 200 && status < 300) {
    await db.execute(statements.set_delivered, [notification, webhook, status])
    return
  }
  if (status === GONE) {
    await disable(db, webhook)
    log.info({ webhook }, 'a webhook is gone and was disabled')
    return
  }
  const reason = 'error' in outcome ? outcome.error : `answered ${status}`
  const wait_ms = waitAfter(attempts, Math.random(), back_off) ?? null
  await db.execute(statements.set_not_delivered, [notification, webhook, attempts, status, reason, wait_ms])
  log.debug({ webhook, notification, attempts, reason, wait_ms }, 'a notification was not delivered')
}

async function attempt(delivery: ClaimedDelivery, { log, send, present }: DeliverOptions): Promise<Outcome> {
  const { notification, type, created_at, record, url, secret } = delivery
  let data: unknown
  try {
    data = await present({ type, record, at: created_at })
  } catch (error) {
    log.error({ err: error, notification, type }, 'a notification could not be presented')
    return { error: 'internal error' }
  }
  const body = JSON.stringify({ type, timestamp: new Date(created_at).toISOString(), data })
  return send({
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Parterre',
      ...signatureHeaders({ id: notification, at: Date.now(), body }, secret),
    },
    body,
  })
}

/** By the answer 410 the receiver says that it is not to be sent anything any more. */
async function disable(db: Db, webhook: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(statements.disable_webhook, [webhook])
    await tx.execute(statements.fail_pending, [webhook, GONE, 'answered 410, which disabled the webhook'])
  })
}
