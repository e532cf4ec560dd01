import { createDb, type Db } from '../platform/db/db.ts'
import { isStoreAway } from '../platform/db/store-away.ts'
import { findEmbedded, startEmbedded } from '../platform/embedded/start-embedded.ts'
import type { Log } from '../platform/log.ts'
import type { Config } from './config.ts'
import { UserError } from './user-error.ts'

const OLDEST_SERVER = 15

/** A process that starts is busy loading itself: on a busy machine that alone can take longer than a connection may. */
const CONNECT_TRIES = 3

/** The database a process works on. */
export type Store = {
  readonly db: Db
  /** Closes the connections, and ends the embedded server when it was started here. */
  close(): Promise<void>
}

/** For the service: the server of DATABASE_URL, or the embedded one, which belongs to this process then. */
export async function openStore(config: Config, log: Log): Promise<Store> {
  if (config.database_url !== undefined) return connect(config, log, { url: config.database_url })
  const server = await startServer(config, log, 'info')
  return connect(config, log, { url: server.url, stop: () => server.stop() })
}

/**
 * For the other commands: as for the service, but beside a running one its embedded server is used. Runs `work` on it and
 * closes it.
 */
export async function withStore<T>(config: Config, log: Log, work: (db: Db) => Promise<T>): Promise<T> {
  const store = await openBeside(config, log)
  try {
    return await work(store.db)
  } catch (error) {
    throw explain(error)
  } finally {
    await store.close()
  }
}

async function openBeside(config: Config, log: Log): Promise<Store> {
  if (config.database_url !== undefined) return connect(config, log, { url: config.database_url })
  const found = await findEmbedded({ data_dir: config.data_dir })
  if (found) return connect(config, log, { url: found.url })
  const server = await startServer(config, log, 'debug')
  return connect(config, log, { url: server.url, stop: () => server.stop() })
}

/** What it throws is for people: a folder in use, no place for the files, the server's own last words. */
async function startServer({ data_dir }: Config, log: Log, level: 'info' | 'debug') {
  try {
    return await startEmbedded({
      data_dir,
      log: (message, fields) => log[level](fields ?? {}, message),
      warn: (message, fields) => log.warn(fields ?? {}, message),
    })
  } catch (cause) {
    throw new UserError((cause as Error).message, { cause })
  }
}

async function connect(
  config: Config,
  log: Log,
  { url, stop }: { url: string; stop?: () => Promise<void> },
): Promise<Store> {
  const db = createDb({
    target: { connectionString: url },
    pool_size: config.pool_size,
    onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  })
  const close = async () => {
    await db.close()
    await stop?.()
  }
  try {
    await checkVersion(db)
    return { db, close }
  } catch (error) {
    await close()
    throw explain(error)
  }
}

async function checkVersion(db: Db): Promise<void> {
  const version = await readVersion(db, CONNECT_TRIES)
  if (version < OLDEST_SERVER) {
    throw new UserError(`PostgreSQL ${OLDEST_SERVER} or newer is needed, the server is ${version}`)
  }
}

async function readVersion(db: Db, tries: number): Promise<number> {
  try {
    const [row] = await db.query<{ version: number }>({
      name: 'main_server_version',
      text: `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
    })
    return row!.version
  } catch (error) {
    const is_slow = /connection timeout|timeout exceeded/.test((error as Error).message)
    if (is_slow && tries > 1) return readVersion(db, tries - 1)
    throw error
  }
}

/** An error of the database that whoever runs a command can mend, in words for them; any other as it is. */
export function explain(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string }
  if (isStoreAway(error)) return new UserError(`the database cannot be reached: ${message}`, { cause: error })
  const fault = typeof message === 'string' && explainConnection(code, message)
  if (fault) return new UserError(fault, { cause: error })
  // 28: invalid authorization; 3D000: no such database.
  if (typeof code === 'string' && /^(28...|3D000)$/.test(code)) {
    return new UserError(`the database refuses: ${message}`, { cause: error })
  }
  const denied = explainDenial(code, message)
  if (denied !== undefined) return new UserError(denied, { cause: error })
  // An undefined table or column.
  if (code === '42P01' || code === '42703') {
    return new UserError('the schema is not up to date: run `parterre migrate`', { cause: error })
  }
  return error
}

/** That the user may not do what it must. Of node-pg-migrate comes no code, but the database's text with a stack. */
function explainDenial(code: unknown, message = ''): string | undefined {
  const [, of_migrations] = /^Unable to ensure .*: error: (permission denied .*)/.exec(message) ?? []
  const denial = code === '42501' ? message : of_migrations
  if (denial === undefined) return undefined
  return `the database refuses: ${denial}\nThe user of DATABASE_URL must own the database and all that is in it.`
}

/** What Node says of a certificate that it does not trust. */
const CERTIFICATE_FAULTS =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_.*|INVALID_.*|HOSTNAME_MISMATCH|ERR_TLS_CERT_.*)$/

/** What is wrong with DATABASE_URL or with the server's TLS, and what to do; undefined when it is none of these. */
function explainConnection(code: unknown, message: string): string | undefined {
  if (typeof code === 'string') {
    if (code === 'ERR_INVALID_URL')
      return 'DATABASE_URL is no URL: special characters in it are percent-encoded'
    if (CERTIFICATE_FAULTS.test(code)) {
      return (
        `the certificate of the database is not trusted: ${message} (${code})\n` +
        'Add sslrootcert=<file of its authority in PEM> to DATABASE_URL, and name the host there as the certificate does.'
      )
    }
    if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
      return `the database cannot be reached by TLS: ${message}`
    return undefined
  }
  // pg gives these no code.
  if (message === 'The server does not support SSL connections') {
    return (
      'the database does not speak TLS, which sslmode in DATABASE_URL asks for\n' +
      'Turn it on there (ssl = on), or leave sslmode out where the way to the database is private.'
    )
  }
  if (message === 'There was an error establishing an SSL connection') {
    return 'the database refuses to speak TLS: its log says why'
  }
  return undefined
}
