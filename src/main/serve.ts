import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../platform/db/migrate.ts'
import type { Log } from '../platform/log.ts'
import type { Tls } from '../platform/tls.ts'
import type { Config } from './config.ts'
import { describeDemo, importDemo } from './demo.ts'
import type { Part } from './parts.ts'
import type { Services, Started } from './services.ts'
import { explain, openStore, type Store } from './store.ts'
import { readTls, renewTlsOnHangup } from './tls.ts'
import { UserError } from './user-error.ts'

/** Ctrl-C reaches a process twice when npm runs it: from the terminal, and passed on by npm. */
const SAME_SIGNAL_MS = 1000
const SHUTDOWN_LIMIT_MS = 25_000

export type ServeOptions = { config: Config; log: Log; parts: readonly Part[] }

/**
 * Runs the service until SIGINT or SIGTERM, then ends it in order and returns; before that it goes on serving for a while
 * after SIGTERM, which is what a service behind a proxy is stopped by. Throws UserError when it cannot start, having ended
 * what it had started.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, log, parts } = options
  // From the beginning: a start that is interrupted is finished, then taken back.
  const signals = watchSignals(log)
  const tls = parts.includes('api') ? readTls(config, log) : undefined
  const { store, services } = await start({ ...options, tls })
  if (tls) renewTlsOnHangup(config, log, (renewed) => services.renewTls(renewed))
  const signal = await signals.first
  const delay_ms = config.shutdown_delay_ms
  if (signal === 'SIGTERM' && parts.includes('api') && delay_ms > 0) {
    log.info({ signal, delay_ms }, 'not ready any more')
    services.withdraw()
    const is_over = await signals.pause(delay_ms)
    if (is_over) await signals.pause(delay_ms, services.stopListening())
  }
  log.info({ signal }, 'stopping')
  const limit = setTimeout(() => {
    log.error(`not stopped within ${SHUTDOWN_LIMIT_MS} ms`)
    process.exit(1)
  }, SHUTDOWN_LIMIT_MS)
  await services.close()
  await store.close()
  clearTimeout(limit)
  log.info('stopped')
}

async function start(
  options: ServeOptions & { tls: Tls | undefined },
): Promise<{ store: Store; services: Services }> {
  const { config, log, parts } = options
  const [store, { createServices }] = await Promise.all([openStore(config, log), import('./services.ts')])
  let services: Services | undefined
  try {
    const migrations = await migrate(store.db, (message) => log.debug(message))
    if (migrations.length > 0) log.info({ migrations }, 'the schema was brought up to date')
    if (config.demo_catalog === 'auto' && (await importDemo({ db: store.db, config }))) {
      log.info('the demo catalog was imported')
    }
    services = await createServices({ ...options, db: store.db })
    const started = await services.start()
    log.info({ parts, ...('api' in started ? started.api : started) }, 'ready')
    process.stdout.write(await greeting(options, { db: store.db, started }))
    return { store, services }
  } catch (error) {
    await services?.close()
    await store.close()
    throw explain(explainListening(error))
  }
}

/** The first of its lines is read by programs. */
async function greeting(
  { config }: ServeOptions,
  { db, started }: { db: Store['db']; started: Started },
): Promise<string> {
  if (!('api' in started)) return `Parterre runs its jobs\nHealth and metrics: ${started.health_url}\n`
  const { base_url, grpc_address } = started.api
  const demo = await describeDemo({ db, data_dir: config.data_dir, base_url })
  return `Parterre is ready at ${base_url}\nAPI reference: ${base_url}/docs\ngRPC: ${grpc_address}\n${demo}`
}

function explainListening(error: unknown): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException
  const is_about_address = syscall === 'listen' || (syscall === 'getaddrinfo' && code !== undefined)
  return is_about_address
    ? new UserError(`cannot listen on HOST and PORT: ${message}`, { cause: error })
    : error
}

type Signals = {
  first: Promise<NodeJS.Signals>
  /**
   * Resolves after so many milliseconds or when `done` does; with false at the next signal, which else would end the process at
   * once.
   */
  pause(ms: number, done?: Promise<unknown>): Promise<boolean>
}

function watchSignals(log: Log): Signals {
  const first = Promise.withResolvers<NodeJS.Signals>()
  let last_at: number | undefined
  let pausing: AbortController | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    const now = performance.now()
    if (last_at !== undefined && now - last_at <= SAME_SIGNAL_MS) return
    if (last_at === undefined) {
      first.resolve(signal)
    } else if (pausing) {
      pausing.abort()
    } else {
      log.error({ signal }, 'ended by a second signal')
      process.exit(1)
    }
    last_at = now
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    first: first.promise,
    async pause(ms, done) {
      pausing = new AbortController()
      const { signal } = pausing
      await Promise.race([sleep(ms, undefined, { signal }).catch(() => {}), ...(done ? [done] : [])])
      const is_ended = signal.aborted
      // The timer has no more use.
      pausing.abort()
      pausing = undefined
      return !is_ended
    },
  }
}
