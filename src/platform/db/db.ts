import assert from 'node:assert/strict'
import pg from 'pg'
import { arrayText } from './array-text.ts'
import { createGatheringSocket } from './gathering-socket.ts'
import type { Statement } from './sql-file.ts'
import { within } from './time-limit.ts'

/** Where the database is: a URL, or the parts of a connection (the embedded server's socket). */
export type DbTarget =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string }

/** Something statements run on: the pool, or one connection inside a transaction. */
export type Queryable = {
  /** The rows the statement returns. */
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>
  /** The number of rows the statement changed. */
  execute(statement: Statement, values?: unknown[]): Promise<number>
}

export type Db = Queryable & {
  readonly target: DbTarget
  /** The pool, for what a database that is well answers at once: after a second, with the wait for a connection, StoreTooSlow. */
  readonly quick: Queryable
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, mode?: TransactionMode): Promise<T>
  /** The same on a connection of its own, whose statements may take as long as they want. */
  longTransaction<T>(work: (tx: Queryable) => Promise<T>, mode?: TransactionMode): Promise<T>
  /** A connection of its own, outside the pool, that the caller ends. `settings` are run-time parameters. */
  connect(options: {
    name: string
    settings?: Record<string, string>
    pipeline?: boolean
    /** How long an answer is waited for; then the connection is given up. Without it, as long as it is there. */
    answer_limit_ms?: number
  }): Promise<pg.Client>
  close(): Promise<void>
}

export type TransactionMode = 'READ WRITE' | 'ISOLATION LEVEL REPEATABLE READ READ ONLY'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, safeInteger)
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) =>
  Date.parse(`${text.slice(0, 10)}T${text.slice(11)}:00`),
)

function safeInteger(text: string): number {
  const value = Number(text)
  assert(Number.isSafeInteger(value), `a bigint out of the safe range: ${text}`)
  return value
}

/** How long a statement waits for a connection of the pool, also for one to be made. Who would wait longer had better come again. */
const POOL_WAIT_MS = 2000
const CONNECT_LIMIT_MS = 5000
const QUICK_LIMIT_MS = 1000

/** A server that is well ends a statement by itself; after so much longer it is taken for one that is not. */
const ANSWER_GRACE_MS = 5000

/** Whatever the database has for its users. */
const NO_LIMIT = { statement_timeout: '0' }

export type DbOptions = {
  target: DbTarget
  pool_size: number
  /** A connection that breaks is reported here, unless the pool is being closed; the pool replaces it. */
  onError: (error: Error) => void
  statement_timeout_ms?: number
}

/** The pool. int8 comes as a safe integer, timestamptz as epoch milliseconds; sessions are in UTC. */
export function createDb({ target, pool_size, onError, statement_timeout_ms = 30_000 }: DbOptions): Db {
  const settings = { TimeZone: 'UTC', statement_timeout: String(statement_timeout_ms) }
  const pool = new pg.Pool({
    ...target,
    types,
    max: pool_size,
    application_name: 'parterre',
    options: optionsText(settings),
    connectionTimeoutMillis: POOL_WAIT_MS,
    query_timeout: statement_timeout_ms + ANSWER_GRACE_MS,
  })
  let is_closing = false
  const report = (error: Error) => {
    if (!is_closing) onError(error)
  }
  // Each connection reports for itself, also while it is in use; the pool would report only the idle ones.
  pool.on('connect', (client) => client.on('error', report))
  pool.on('error', () => {})
  const connect: Db['connect'] = async (options) => {
    const client = new pg.Client({
      ...target,
      types,
      application_name: `parterre ${options.name}`,
      options: optionsText({ TimeZone: 'UTC', ...options.settings }),
      ...(options.pipeline === true && { pipeline: true, stream: createGatheringSocket }),
      ...(options.answer_limit_ms !== undefined && { query_timeout: options.answer_limit_ms }),
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
    })
    client.on('error', report)
    await client.connect()
    return client
  }
  return {
    target,
    ...queryable(pool),
    quick: limited(queryable(pool), QUICK_LIMIT_MS),
    transaction: async (work, mode = 'READ WRITE') => {
      const client = await pool.connect()
      return transaction({ client, release: (is_broken) => client.release(is_broken) }, work, mode)
    },
    longTransaction: async (work, mode = 'READ WRITE') => {
      const client = await connect({ name: 'long', settings: NO_LIMIT })
      return transaction({ client, release: () => client.end() }, work, mode)
    },
    connect,
    close: () => {
      is_closing = true
      return pool.end()
    },
  }
}

function optionsText(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** The statements of this project on any connection of the driver's. */
export function queryable(client: pg.Pool | pg.ClientBase): Queryable {
  const send = <Row extends object>({ name, text }: Statement, values: readonly unknown[]) =>
    client.query<Row>({ name, text, values: values.map(parameter) })
  return {
    query: async <Row extends object>(statement: Statement, values: unknown[] = []) =>
      (await send<Row>(statement, values)).rows,
    execute: async (statement, values = []) => (await send(statement, values)).rowCount ?? 0,
  }
}

function limited({ query, execute }: Queryable, limit_ms: number): Queryable {
  return {
    query: (statement, values) => within(limit_ms, query(statement, values)),
    execute: (statement, values) => within(limit_ms, execute(statement, values)),
  }
}

function parameter(value: unknown): unknown {
  return Array.isArray(value) ? arrayText(value) : value
}

/** A connection, and what becomes of it afterwards. */
type Taken = { readonly client: pg.ClientBase; release(is_broken: boolean): void | Promise<void> }

async function transaction<T>(
  { client, release }: Taken,
  work: (tx: Queryable) => Promise<T>,
  mode: TransactionMode,
): Promise<T> {
  let broken = true
  try {
    await client.query(`BEGIN ${mode}`)
    const result = await work(queryable(client))
    await client.query('COMMIT')
    broken = false
    return result
  } catch (error) {
    broken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    await release(broken)
  }
}
