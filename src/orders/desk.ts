/**
 * The order desk: every change of an order goes through it. Commands wait in the queue of a lane and run in batches, a
 * transaction each; what arrives while one is begun waits for the next. When a batch has sent its writes the next one may begin.
 * An answer leaves only after its batch has committed. A batch that the database refuses as a whole is run again command by
 * command, so that one bad command hurts no other. The ends of unpaid orders have batches of their own (desk-lapses.ts). Two
 * requests on one order at a time are refused (contract, PATCH rule 8).
 */
import type { Logger } from 'pino'
import type { Catalog } from '../events/event-entry.ts'
import { shardOf } from '../kernel/ids.ts'
import { createVacancy } from '../inventory/vacancy.ts'
import type { Subscriptions } from '../partners/notifications.ts'
import type { Db } from '../platform/db/db.ts'
import { createExpressSession, createSession } from '../platform/db/session.ts'
import type { ExpressSession, Session, SessionOptions } from '../platform/db/session.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Desk, OrderRequest, OrderResult } from './commands.ts'
import { createGathering } from './desk-gathering.ts'
import type { Gathering } from './desk-gathering.ts'
import { createDeskLapses } from './desk-lapses.ts'
import { createDeskMemory } from './desk-memory.ts'
import { createOptimism } from './desk-optimism.ts'
import type { Optimism } from './desk-optimism.ts'
import { createDeskQueue, orderOf } from './desk-queue.ts'
import type { DeskQueue, Waiting } from './desk-queue.ts'
import { statements } from './desk-rows.ts'
import { orderError } from './order-errors.ts'
import { createRunBatch } from './run-batch.ts'
import type { BatchRun } from './run-batch.ts'

export type DeskOptions = {
  readonly db: Db
  readonly catalog: Catalog
  readonly metrics: Metrics
  readonly log: Logger
  readonly subscriptions: Subscriptions
  /** Lanes that events are spread over; an event's commands go through one. */
  readonly lanes: number
  /** Commands in a batch at most. With 1 there is nothing to gather, so a command takes any free lane. */
  readonly batch_max: number
  /** Commands waiting in one lane at most; more are refused with `desk_full`. */
  readonly queue_max: number
  /** Milliseconds that a command waits for its batch at most; then it is refused with `desk_full`. */
  readonly wait_max_ms: number
}

/**
 * The desk's statements find their rows by one index lookup after the other, or by their places, and join what they write by
 * hash (ARCHITECTURE.md, Plans are pinned). What the planner would choose instead depends on statistics that are wrong in the
 * first minutes of a sale: a nested loop over the parameters for each row, or a scan of all orders of the event.
 */
export const SESSION_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_nestloop: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  lock_timeout: '5000',
  statement_timeout: '15000',
}

/** For a server that has stopped answering, and so does not end the statement itself. */
const ANSWER_LIMIT_MS = 20_000

/** Events whose vacant tickets are kept in memory, and seats of them all: 120 MB. Who sells more at once reads halls again and again. */
const VACANCIES_MAX = 2000
const SEATS_MAX = 1_000_000

type Lane = {
  readonly queue: DeskQueue
  readonly gathering: Gathering
  readonly sessions: number
  /** Those without a batch. */
  readonly idle: Session[]
  /** One beside them for batches that ask nothing, or the only one. */
  readonly express: ExpressSession
  readonly optimism: Optimism
  /** A batch has begun and has not sent its writes yet, so no other may begin. */
  is_beginning: boolean
}

/** One that the database works on, and one that begins meanwhile. */
const BATCHES_OF_LANE = 2

/**
 * Commands that make a batch worth beginning, also beside another one: for so many the database does as much work for the
 * commands as for their being a batch. Fewer wait for the batch in flight, or for clients that are about to come again.
 */
const WORTHWHILE = 16

/**
 * A batch leaves half of what waits for the next one, which begins as soon as this one has sent its writes; so the database works
 * on one while the requests of the other are read and answered. When one batch took all, all clients would wait for it, then it
 * for all of them, in turns. So many are not divided.
 */
const UNDIVIDED_MAX = 32

/** Of unpaid orders that end: one that the database works on, and one that the service does. */
const BATCHES_OF_LAPSES = 2

export async function createDesk(options: DeskOptions): Promise<Desk> {
  const { db, catalog, metrics, batch_max } = options
  const [setting] = await db.query<{ value: string }>(statements.read_order_code_key)
  if (setting === undefined) throw new Error('the database has no key for order codes')
  const vacancy = createVacancy({ events_max: VACANCIES_MAX, seats_max: SEATS_MAX })
  const { subscriptions } = options
  const deps = { db, catalog, vacancy, memory: createDeskMemory(), subscriptions, code_key: setting.value }
  const { runRequests, runLapses } = createRunBatch(deps, options)

  const shared_queue = batch_max === 1 ? createDeskQueue(options) : undefined
  const sessions: ExpressSession[] = []
  const open = <T extends ExpressSession>(create: (of: Db, options: SessionOptions) => T): T => {
    const session = create(db, {
      name: 'desk',
      settings: SESSION_SETTINGS,
      answer_limit_ms: ANSWER_LIMIT_MS,
    })
    sessions.push(session)
    return session
  }
  const lanes = Array.from({ length: options.lanes }, (): Lane => {
    const idle = Array.from({ length: shared_queue === undefined ? BATCHES_OF_LANE : 1 }, () =>
      open(createSession),
    )
    const [only] = idle as [Session]
    const express = shared_queue === undefined ? open(createExpressSession) : only
    const queue = shared_queue ?? createDeskQueue(options)
    const gathering = createGathering({
      enough_max: Math.min(WORTHWHILE, batch_max, options.queue_max),
      onOver: () => begin(lane),
    })
    const lane: Lane = {
      queue,
      gathering,
      sessions: idle.length,
      idle,
      express,
      optimism: createOptimism(),
      is_beginning: false,
    }
    return lane
  })
  /** The orders of the batches in flight. */
  const in_flight = new Set<string>()
  const lapses = createDeskLapses({
    sessions: Array.from({ length: BATCHES_OF_LAPSES }, () => open(createSession)),
    runLapses,
    in_flight,
    batch_max,
    onEnded() {
      for (const lane of lanes) begin(lane)
      reportIdle()
    },
  })
  let running = 0
  /** Who has a request on which order: the answer to a second one must not tell others that the order exists. */
  const busy = new Set<string>()
  let on_idle: (() => void) | undefined

  function enqueue(command: OrderRequest): Promise<OrderResult> {
    const shard = command.kind === 'create' ? command.event.shard : shardOf(command.order)
    const lane = laneFor(shard)
    return new Promise((resolve, reject) => {
      lane.queue.push({ command, since: performance.now(), resolve, reject })
      begin(lane)
    })
  }

  function laneFor(shard: number): Lane {
    const free = shared_queue && lanes.find(mayBegin)
    return free ?? (lanes[(shard & 0xffff) % lanes.length] as Lane)
  }

  /** Begins a batch of what waits, if one may begin, once the requests that came in with this one are read. */
  function begin(lane: Lane): void {
    if (!mayBegin(lane) || !isWorthwhile(lane, batch_max)) return
    lane.gathering.end()
    lane.is_beginning = true
    setImmediate(() => void runNext(lane))
  }

  async function runNext(lane: Lane): Promise<void> {
    const half = Math.ceil(lane.queue.size() / 2)
    const waiting = lane.queue.take(Math.min(batch_max, Math.max(half, UNDIVIDED_MAX)), in_flight)
    const session = waiting.length > 0 ? lane.idle.pop() : undefined
    if (session === undefined) {
      lane.is_beginning = false
      return reportIdle()
    }
    running++
    const orders = waiting.map(({ command }) => orderOf(command)).filter((order) => order !== undefined)
    for (const order of orders) in_flight.add(order)
    const begun_at = performance.now()
    let is_beginning = true
    const next = () => {
      if (is_beginning) lane.is_beginning = is_beginning = false
      begin(lane)
    }
    const { express, optimism } = lane
    await runWaiting(waiting, { session, express, optimism, onSent: next })
    for (const order of orders) in_flight.delete(order)
    lane.idle.push(session)
    running--
    if (isAlone(lane) && !lane.is_beginning) {
      const took_ms = performance.now() - begun_at
      lane.gathering.begin({ answered: waiting.length, waiting: lane.queue.size(), took_ms })
    }
    next()
    reportIdle()
  }

  function isIdle(): boolean {
    return (
      running === 0 && lapses.isIdle() && !lanes.some((lane) => lane.is_beginning || lane.queue.size() > 0)
    )
  }

  function reportIdle(): void {
    if (isIdle()) on_idle?.()
  }

  async function runWaiting(waiting: readonly Waiting[], run: BatchRun): Promise<void> {
    const started = performance.now()
    metrics.desk_batch_size.observe(waiting.length)
    for (const { since } of waiting) metrics.desk_wait_seconds.observe((started - since) / 1000)
    const outcomes = await runRequests(
      waiting.map(({ command }) => command),
      run,
    )
    waiting.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome as OrderResult)
    })
  }

  return {
    async submit(command) {
      const key = busyKey(command)
      if (key === undefined) return enqueue(command)
      if (busy.has(key)) throw orderError('order_busy')
      busy.add(key)
      try {
        return await enqueue(command)
      } finally {
        busy.delete(key)
      }
    },

    lapse: lapses.lapse,

    async close() {
      if (!isIdle())
        await new Promise<void>((resolve) => {
          on_idle = resolve
        })
      await Promise.all(sessions.map((session) => session.close()))
    },
  }
}

function busyKey(command: OrderRequest): string | undefined {
  return command.kind === 'change' ? `${command.order} ${command.caller.partner.id}` : undefined
}

function mayBegin(lane: Lane): boolean {
  return !lane.is_beginning && lane.idle.length > 0
}

/** Whether enough waits to begin a batch now, of at most `max` commands. */
function isWorthwhile(lane: Lane, max: number): boolean {
  return lane.queue.size() >= (isAlone(lane) ? lane.gathering.enough() : Math.min(WORTHWHILE, max))
}

/** Whether it has no batch in flight. */
function isAlone({ sessions, idle }: Lane): boolean {
  return idle.length === sessions
}
