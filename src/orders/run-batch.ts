/**
 * Runs the commands of a batch: without asking first where that can be done, else asking; and when the database refuses the batch as
 * a whole, command by command, so that one bad command hurts no other.
 */
import { AssertionError } from 'node:assert/strict'
import pg from 'pg'
import type { Logger } from 'pino'
import { DomainError } from '../kernel/domain-error.ts'
import { isAnsweredElsewhere } from '../partners/idempotent-answers.ts'
import type { IdempotencyErrorCode } from '../partners/idempotent-answers.ts'
import type { ExpressSession, Session } from '../platform/db/session.ts'
import { isStoreAway } from '../platform/db/store-away.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { BatchDeps, BatchResult, Outcome } from './batch-steps.ts'
import type { LapseOrder, OrderCommand, OrderRequest } from './commands.ts'
import { createBatch } from './desk-batch.ts'
import type { Optimism } from './desk-optimism.ts'
import { foreseeBatch } from './optimistic-batch.ts'

export type BatchRun = {
  /** No other batch uses it meanwhile. */
  readonly session: Session
  /** For batches that ask nothing: they may follow one another on it without waiting. */
  readonly express: ExpressSession
  readonly optimism: Optimism
  /** Called, perhaps more than once, when all writes of the batch are sent. */
  readonly onSent: () => void
}

export type RunRequests = (requests: readonly OrderRequest[], run: BatchRun) => Promise<readonly Outcome[]>

/** No other batch uses the session meanwhile. */
export type RunLapses = (lapses: readonly LapseOrder[], session: Session) => Promise<readonly Outcome[]>

/** Deadlocks and collisions of random values are worth another try; a command that fails again fails. */
const TRIES_ALONE = 3

export function createRunBatch(
  deps: BatchDeps,
  { metrics, log }: { metrics: Metrics; log: Logger },
): { runRequests: RunRequests; runLapses: RunLapses } {
  /** Undefined when it could not be done so, and nothing has happened. */
  async function runForeseen(
    commands: readonly OrderRequest[],
    { express, optimism, onSent }: BatchRun,
  ): Promise<readonly Outcome[] | undefined> {
    const batch = optimism.mayTry() ? await foreseeBatch(commands, deps) : undefined
    if (batch === undefined) return undefined
    let is_sent = false
    try {
      const result = await express.transaction((tx) => {
        is_sent = true
        return batch.send(tx)
      }, onSent)
      batch.end({ committed: true })
      optimism.wasRight()
      return counted(result, 'optimistic')
    } catch (error) {
      batch.end({ committed: false })
      if (!is_sent) return undefined
      if (!mayRunAgain(error)) throw error
      if (!isAnsweredElsewhere(error)) optimism.wasWrong()
      metrics.desk_batches.inc({ mode: 'refused' })
      log.debug(
        { err: error, commands: commands.length },
        'a batch was not as this process remembered; it asks',
      )
      return undefined
    }
  }

  async function runAsking(
    commands: readonly OrderCommand[],
    session: Session,
    onSent?: () => void,
  ): Promise<readonly Outcome[]> {
    const batch = createBatch(commands, deps)
    try {
      const result = await session.transaction((tx) => batch.run(tx), onSent)
      batch.end({ committed: true })
      return counted(result, commands.every(({ kind }) => kind === 'lapse') ? 'lapsing' : 'asking')
    } catch (error) {
      batch.end({ committed: false })
      throw error
    }
  }

  async function runAlone(command: OrderCommand, session: Session): Promise<Outcome> {
    for (let tries = 1; ; tries++)
      try {
        return (await runAsking([command], session))[0]
      } catch (error) {
        if (isAnsweredElsewhere(error)) return new DomainError<IdempotencyErrorCode>('idempotency_key_busy')
        if (tries === TRIES_ALONE || !mayRunAgain(error)) return error as Error
      }
  }

  function counted(
    { outcomes, saved }: BatchResult,
    mode: 'optimistic' | 'asking' | 'lapsing',
  ): readonly Outcome[] {
    metrics.desk_batches.inc({ mode })
    for (const { order, granted } of saved) {
      if (granted.length > 0) metrics.holds.inc(granted.length)
      if (order.status === 'done') metrics.sales.inc(order.tickets.length)
      if (order.status !== 'executed') metrics.orders_ended.inc({ result: order.status })
    }
    return outcomes
  }

  /** When they cannot be run together, but alone. */
  async function orAlone(
    commands: readonly OrderCommand[],
    session: Session,
    runTogether: () => Promise<readonly Outcome[]>,
  ): Promise<readonly Outcome[]> {
    try {
      return await runTogether()
    } catch (error) {
      if (!mayRunAgain(error)) return commands.map(() => error as Error)
      log.warn({ err: error, commands: commands.length }, 'a batch was refused; its commands run alone')
      const outcomes: Outcome[] = []
      for (const command of commands) outcomes.push(await runAlone(command, session))
      return outcomes
    }
  }

  return {
    runRequests: (requests, run) =>
      orAlone(
        requests,
        run.session,
        async () =>
          (await runForeseen(requests, run)) ?? (await runAsking(requests, run.session, run.onSent)),
      ),
    runLapses: (lapses, session) => orAlone(lapses, session, () => runAsking(lapses, session)),
  }
}

/**
 * Whether nothing is committed for certain, and another try can help. Not after a lost connection, also when the server said that
 * it was ending it: the outcome may be unknown. Nor when the database is short of something: trying again makes that worse.
 */
function mayRunAgain(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return error instanceof AssertionError
  return error.severity !== 'FATAL' && error.severity !== 'PANIC' && !isStoreAway(error)
}
