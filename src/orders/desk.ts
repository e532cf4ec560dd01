/**
 * The order desk: every change of an order goes through it. Commands wait in the queue of a lane; a lane has one batch in
 * flight, in one transaction, and what arrives meanwhile is the next batch. An answer leaves only after its batch has
 * committed. A batch that the database refuses as a whole is run again command by command, so that one bad command hurts
 * no other. Two requests on one order at a time are refused (contract, PATCH rule 8).
 */
import { AssertionError } from 'node:assert/strict'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Catalog } from '../events/event-entry.ts'
import { DomainError } from '../kernel/domain-error.ts'
import { shardOf } from '../kernel/ids.ts'
import { createVacancy } from '../inventory/vacancy.ts'
import { isAnsweredElsewhere } from '../partners/idempotent-answers.ts'
import type { IdempotencyErrorCode } from '../partners/idempotent-answers.ts'
import type { Subscriptions } from '../partners/notifications.ts'
import type { Db } from '../platform/db/db.ts'
import { createSession } from '../platform/db/session.ts'
import type { Session } from '../platform/db/session.ts'
import { isStoreAway } from '../platform/db/store-away.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { ChangeOrder, CreateOrder, Desk, OrderCommand, OrderResult } from './commands.ts'
import { createBatch } from './desk-batch.ts'
import type { BatchDeps, BatchResult, Outcome } from './desk-batch.ts'
import { statements } from './desk-rows.ts'
import { orderError } from './order-errors.ts'

export type DeskOptions = {
  readonly db: Db
  readonly catalog: Catalog
  readonly metrics: Metrics
  readonly log: Logger
  readonly subscriptions: Subscriptions
  /** How many batches may be in flight; an event's commands go through one lane. */
  readonly lanes: number
  /** Commands in a batch at most. With 1 there is nothing to gather, so a command takes any free lane. */
  readonly batch_max: number
  /** Commands waiting in one lane at most; more are refused with `desk_full`. */
  readonly queue_max: number
}

/**
 * Every statement of the desk reaches its rows by `id = ANY (...)` and joins them to its parameters by hash. What the
 * planner would choose instead depends on statistics that are wrong in the first minutes of a sale: a nested loop over the
 * parameters for each row, or a scan of all orders of the event.
 */
const SESSION_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_nestloop: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  lock_timeout: '5000',
  statement_timeout: '15000',
}

/** Events whose vacant tickets are kept in memory. */
const VACANCIES_MAX = 2000

/** Deadlocks and collisions of random values are worth another try; a command that fails again fails. */
const TRIES_ALONE = 3

type Waiting = {
  command: OrderCommand
  since: number
  resolve: (outcome: OrderResult | undefined) => void
  reject: (error: unknown) => void
}

type Lane = { queue: Waiting[]; session: Session; is_running: boolean }

export async function createDesk(options: DeskOptions): Promise<Desk> {
  const { db, catalog, metrics, batch_max } = options
  const [setting] = await db.query<{ value: string }>(statements.read_order_code_key)
  if (setting === undefined) throw new Error('the database has no key for order codes')
  const vacancy = createVacancy({ events_max: VACANCIES_MAX })
  const { subscriptions } = options
  const deps: BatchDeps = { db, catalog, vacancy, subscriptions, code_key: setting.value }

  const shared_queue: Waiting[] | undefined = batch_max === 1 ? [] : undefined
  const lanes: Lane[] = Array.from({ length: options.lanes }, () => ({
    queue: shared_queue ?? [],
    session: createSession(db, { name: 'desk', settings: SESSION_SETTINGS }),
    is_running: false,
  }))
  /** Who has a request on which order: the answer to a second one must not tell others that the order exists. */
  const busy = new Set<string>()
  let on_idle: (() => void) | undefined

  function enqueue(command: OrderCommand): Promise<OrderResult | undefined> {
    const shard = command.kind === 'create' ? command.event.shard : shardOf(command.order)
    const lane = laneFor(shard)
    if (lane.queue.length >= options.queue_max) return Promise.reject(orderError('desk_full'))
    return new Promise((resolve, reject) => {
      lane.queue.push({ command, since: performance.now(), resolve, reject })
      if (!lane.is_running) start(lane)
    })
  }

  function laneFor(shard: number): Lane {
    const free = shared_queue && lanes.find((lane) => !lane.is_running)
    return free ?? (lanes[(shard & 0xffff) % lanes.length] as Lane)
  }

  function start(lane: Lane): void {
    lane.is_running = true
    // Once the requests that came in with this one are read, so that they make one batch.
    setImmediate(() => void runLane(lane))
  }

  async function runLane(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) await runWaiting(lane, takeBatch(lane.queue, batch_max))
    lane.is_running = false
    if (lanes.every((one) => !one.is_running)) on_idle?.()
  }

  async function runWaiting(lane: Lane, waiting: readonly Waiting[]): Promise<void> {
    const started = performance.now()
    metrics.desk_batch_size.observe(waiting.length)
    for (const { since } of waiting) metrics.desk_wait_seconds.observe((started - since) / 1000)
    const outcomes = await runCommands(
      lane.session,
      waiting.map(({ command }) => command),
    )
    waiting.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    })
  }

  async function runCommands(session: Session, commands: readonly OrderCommand[]): Promise<Outcome[]> {
    try {
      return await runOnce(session, commands)
    } catch (error) {
      if (!mayRunAgain(error)) return commands.map(() => error as Error)
      options.log.warn(
        { err: error, commands: commands.length },
        'a batch was refused; its commands run alone',
      )
      const outcomes: Outcome[] = []
      for (const command of commands) outcomes.push(await runAlone(session, command))
      return outcomes
    }
  }

  async function runAlone(session: Session, command: OrderCommand): Promise<Outcome> {
    for (let tries = 1; ; tries++)
      try {
        return (await runOnce(session, [command]))[0]
      } catch (error) {
        if (isAnsweredElsewhere(error)) return new DomainError<IdempotencyErrorCode>('idempotency_key_busy')
        if (tries === TRIES_ALONE || !mayRunAgain(error)) return error as Error
      }
  }

  async function runOnce(session: Session, commands: readonly OrderCommand[]): Promise<Outcome[]> {
    const batch = createBatch(commands, deps)
    try {
      const result = await session.transaction((tx) => batch.run(tx))
      batch.end({ committed: true })
      count(metrics, result)
      return result.outcomes
    } catch (error) {
      batch.end({ committed: false })
      throw error
    }
  }

  return {
    async submit(command) {
      const key = busyKey(command)
      if (key === undefined) return (await enqueue(command)) as OrderResult
      if (busy.has(key)) throw orderError('order_busy')
      busy.add(key)
      try {
        return (await enqueue(command)) as OrderResult
      } finally {
        busy.delete(key)
      }
    },

    async lapse(orders) {
      const outcomes = await Promise.all(orders.map((order) => enqueue({ kind: 'lapse', order })))
      return outcomes.filter((outcome) => outcome !== undefined).length
    },

    async close() {
      if (lanes.some((lane) => lane.is_running))
        await new Promise<void>((resolve) => {
          on_idle = resolve
        })
      await Promise.all(lanes.map((lane) => lane.session.close()))
    },
  }
}

function busyKey(command: CreateOrder | ChangeOrder): string | undefined {
  return command.kind === 'change' ? `${command.order} ${command.caller.partner.id}` : undefined
}

/** Takes the first commands off the queue, each order once; a second one for the same order waits for the next batch. */
function takeBatch(queue: Waiting[], max: number): Waiting[] {
  const orders = new Set<string>()
  const batch: Waiting[] = []
  const later: Waiting[] = []
  while (queue.length > 0 && batch.length < max) {
    const waiting = queue.shift() as Waiting
    const order = waiting.command.kind === 'create' ? undefined : waiting.command.order
    if (order !== undefined && orders.has(order)) later.push(waiting)
    else {
      if (order !== undefined) orders.add(order)
      batch.push(waiting)
    }
  }
  queue.unshift(...later)
  return batch
}

/**
 * Whether nothing is committed for certain, and another try can help. Not after a lost connection, also when the server said that
 * it was ending it: the outcome may be unknown. Nor when the database is short of something: trying again makes that worse.
 */
function mayRunAgain(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return error instanceof AssertionError
  return error.severity !== 'FATAL' && error.severity !== 'PANIC' && !isStoreAway(error)
}

function count(metrics: Metrics, { saved }: BatchResult): void {
  for (const { order, granted } of saved) {
    if (granted.length > 0) metrics.holds.inc(granted.length)
    if (order.status === 'done') metrics.sales.inc(order.tickets.length)
    if (order.status !== 'executed') metrics.orders_ended.inc({ result: order.status })
  }
}
