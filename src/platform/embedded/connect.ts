import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

export type Connection = { host: string; port: number; user: string; database: string }
export type Log = (message: string, fields?: object) => void

const ANSWER_LIMIT_MS = 5_000
const REPORT_EVERY_MS = 10_000
/** Starting up, recovering or shutting down; or every connection taken. */
const BUSY_CODES = new Set(['57P03', '53300'])
const BUSY = { code: '57P03', message: 'it is starting, recovering or stopping' }

type Failure = { code: string; message: string }

/**
 * Waits until the database answers, and makes it when the cluster is new. 'gone': the server ended; 'silent': it
 * lives, but for `silence_ms` there was no socket, or nothing but failures, where it should have answered.
 */
export async function awaitAnswer(options: {
  connection: Connection
  isAlive: () => boolean
  /** True while it starts, recovers or stops: asking then would only fill its log with refusals. */
  isBusy: () => boolean
  silence_ms: number
  log: Log
}): Promise<'ready' | 'gone' | 'silent'> {
  let heard_at = performance.now()
  let reported_at = heard_at
  for (let wait_ms = 4; ; wait_ms = Math.min(wait_ms * 1.2, 50)) {
    const failure = options.isBusy() ? BUSY : await tryDatabase(options.connection)
    if (!failure) return 'ready'
    if (!options.isAlive()) return 'gone'
    const now = performance.now()
    if (BUSY_CODES.has(failure.code)) heard_at = now
    else if (now - heard_at > options.silence_ms) {
      options.log('postgres does not answer', failure)
      return 'silent'
    }
    if (now - reported_at > REPORT_EVERY_MS) {
      reported_at = now
      options.log('waiting for postgres', failure)
    }
    await sleep(wait_ms)
  }
}

async function tryDatabase(connection: Connection): Promise<Failure | undefined> {
  const failure = await tryQuery(connection, 'SELECT 1', { limit_ms: ANSWER_LIMIT_MS })
  if (failure?.code !== '3D000') return failure
  // A start that was killed between initdb and this statement comes here again.
  return tryQuery({ ...connection, database: 'postgres' }, `CREATE DATABASE ${connection.database}`)
}

/** Undefined when the statement ran. */
async function tryQuery(
  connection: Connection,
  statement: string,
  { limit_ms }: { limit_ms?: number } = {},
): Promise<Failure | undefined> {
  const client = new Client({
    ...connection,
    connectionTimeoutMillis: ANSWER_LIMIT_MS,
    query_timeout: limit_ms,
  })
  // A server that ends while the client is idle raises an event that would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(statement)
    return undefined
  } catch (error) {
    const { code, message } = error as Partial<Failure>
    return { code: code ?? 'unknown', message: message ?? String(error) }
  } finally {
    await client.end().catch(() => undefined)
  }
}
