import assert from 'node:assert/strict'
import pg from 'pg'
import { queryable } from './db.ts'
import type { Db, Queryable } from './db.ts'
import { PipelinedTransaction } from './pipelined-transaction.ts'
import type { Prepared } from './pipelined-transaction.ts'

/**
 * What a transaction answers, and the statements it has sent and not yet waited for. COMMIT travels right behind them, so that
 * they hold their locks no longer than the server needs: a statement that has not done what it should must fail by itself.
 */
export type Work<T> = { result: T; sent: readonly Promise<unknown>[] }

/**
 * A connection of its own for one transaction after the other, with statements pipelined: those sent without waiting
 * travel together, BEGIN with the first of them.
 */
export type Session = {
  /**
   * Commits when `work` returns and all it sent succeeded, else rolls back and throws the first error. When the
   * connection is lost while committing, the outcome is unknown to the caller, as it is to everybody. The next transaction
   * may begin when this one is over, or from `onSent` on: then its statements travel behind this one's COMMIT.
   */
  transaction<T>(work: (tx: Queryable) => Promise<Work<T>> | Work<T>, onSent?: () => void): Promise<T>
  close(): Promise<void>
}

/** The same for work that knows all its statements at once. */
export type ExpressSession = {
  transaction<T>(work: (tx: Queryable) => Work<T>, onSent?: () => void): Promise<T>
  close(): Promise<void>
}

/** With names, so that they are sent as the statements are that they travel with. */
const BEGIN = { name: 'begin', text: 'BEGIN READ WRITE' }
const COMMIT = { name: 'commit', text: 'COMMIT' }

/** The statements behind a BEGIN that fails run each by itself: then they are not to write. */
const NO_WRITES_ALONE = { default_transaction_read_only: 'on' }

export type SessionOptions = {
  name: string
  /** Run-time parameters of the connection. */
  settings: Record<string, string>
  /** How long the answer to a statement is waited for; then the connection counts as lost. */
  answer_limit_ms?: number
}

/** One connection, made when it is first needed, and again when it broke. */
function keepConnection(db: Db, options: SessionOptions) {
  let connection: pg.Client | undefined

  async function connected(): Promise<pg.Client> {
    if (connection !== undefined) return connection
    const client = await db.connect({ ...options, pipeline: true })
    client.on('end', () => {
      if (connection === client) connection = undefined
    })
    connection = client
    return client
  }

  function giveUp(client: pg.Client): void {
    if (connection === client) connection = undefined
    client.end().catch(() => {})
  }

  async function close(): Promise<void> {
    await connection?.end()
  }

  return { connected, giveUp, close }
}

export function createSession(db: Db, options: SessionOptions): Session {
  const settings = { ...options.settings, ...NO_WRITES_ALONE }
  const { connected, giveUp, close } = keepConnection(db, { ...options, settings })
  return {
    async transaction(work, onSent) {
      const client = await connected()
      const begun = client.query(BEGIN)
      begun.catch(() => {})
      let committing: Promise<pg.QueryResult> | undefined
      try {
        const { result, sent: work_sent } = await work(statementsOf(queryable(client)))
        const sent = [begun, ...work_sent]
        await requireSent(sent)
        committing = client.query(COMMIT)
        committing.catch(() => {})
        onSent?.()
        for (const outcome of await Promise.allSettled(sent))
          if (outcome.status === 'rejected') throw outcome.reason
        const { command } = await committing
        assert.equal(command, 'COMMIT', 'a transaction was rolled back and no statement of it has failed')
        return result
      } catch (error) {
        // In a transaction of which a statement has failed the server takes COMMIT for ROLLBACK.
        await Promise.all([begun, committing ?? client.query('ROLLBACK')]).catch(() => giveUp(client))
        throw error
      }
    },
    close,
  }
}

/**
 * A session for transactions that wait for none of their statements: all of them travel when `work` returns, and are one
 * transaction without BEGIN and COMMIT.
 */
export function createExpressSession(db: Db, options: SessionOptions): ExpressSession {
  const { connected, giveUp, close } = keepConnection(db, options)
  const prepared = new WeakMap<pg.Client, Prepared>()
  const preparedOn = (client: pg.Client): Prepared => {
    const known = prepared.get(client) ?? new Map()
    prepared.set(client, known)
    return known
  }
  return {
    async transaction(work, onSent) {
      const client = await connected()
      const transaction = new PipelinedTransaction(client, preparedOn(client))
      const { result, sent } = work(statementsOf(transaction.statements))
      await requireSent(sent)
      client.query(transaction)
      onSent?.()
      await transaction.committed.catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError)) giveUp(client)
        throw error
      })
      await Promise.all(sent)
      return result
    },
    close,
  }
}

/**
 * The statements of a transaction. Whoever sends several at once may leave the later ones when an earlier one has failed: they
 * fail too, as does the transaction, and that nobody waits for them must not end the process.
 */
function statementsOf({ query, execute }: Queryable): Queryable {
  const leavable = <T>(answer: Promise<T>): Promise<T> => {
    answer.catch(() => {})
    return answer
  }
  return {
    query: (statement, values) => leavable(query(statement, values)),
    execute: (statement, values) => leavable(execute(statement, values)),
  }
}

/** Throws what kept one of the statements from being sent: without it there is nothing to commit. */
async function requireSent(sent: readonly Promise<unknown>[]): Promise<void> {
  let failure: { reason: unknown } | undefined
  for (const statement of sent)
    statement.catch((reason: unknown) => {
      failure ??= { reason }
    })
  // What could not even be sent has failed by then.
  await new Promise((resolve) => process.nextTick(resolve))
  if (failure !== undefined) throw failure.reason
}
