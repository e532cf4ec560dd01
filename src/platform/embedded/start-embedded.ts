import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount, dataArgument, type Account } from './account.ts'
import { findBinaries, program, type Binaries } from './binaries.ts'
import { awaitAnswer, type Connection, type Log } from './connect.ts'
import { createCluster } from './create-cluster.ts'
import { takeLock } from './folder-lock.ts'
import { keepRunning } from './keep-running.ts'
import {
  askToEnd,
  endOrphans,
  endServer,
  findServer,
  isBusy,
  launchServer,
  removeStalePid,
  type Launched,
  type Running,
} from './postmaster.ts'
import { PORT, postgresArguments } from './settings.ts'
import {
  emptySocketFolder,
  makeSocketFolder,
  readSocketFolder,
  removeSocket,
  removeSocketFolder,
  type SocketRecord,
} from './socket-folder.ts'

export type EmbeddedServer = {
  /** For pg.Pool: the folder of the Unix socket as host. */
  connection: Connection
  /** The same as DATABASE_URL for another process of this machine. */
  url: string
  started: 'created' | 'started' | 'taken_over'
  /** Fast shutdown; resolves when the server is gone. Throws when it does not end. */
  stop(): Promise<void>
}

type Options = {
  data_dir: string
  log?: Log | undefined
  /** What somebody should look into, such as a server that ended by itself; by default it goes to `log`. */
  warn?: Log | undefined
  /** False: fsync off, for tests. */
  durable?: boolean | undefined
  /** Extra PostgreSQL settings; they win over ours. */
  settings?: Record<string, string> | undefined
}

type Home = { data_dir: string; cluster: string; log_file: string; lock_file: string; record: SocketRecord }
type Plan = { home: Home; account: Account; binaries: Binaries; durable: boolean; log: Log; options: Options }

const SILENCE_MS = 30_000
const FIND_LIMIT_MS = 10_000
const STILL_LEAVING = /pre-existing shared memory block|lock file "postmaster.pid" already exists/
const ORPHANS_LEAVE_MS = 2_000
const ORPHANS_LIMIT_MS = 20_000

/**
 * Starts the PostgreSQL of a data folder, makes it first when there is none, or takes over the one that a killed
 * service left running. Until `stop` it is started again, on the same socket, when it ends by itself. Throws when another
 * service has the folder, or PostgreSQL does not start (with its last log lines).
 */
export async function startEmbedded(options: Options): Promise<EmbeddedServer> {
  const log: Log = options.log ?? (() => undefined)
  const home = openHome(options.data_dir)
  const releaseLock = takeLock(home.lock_file, home.data_dir)
  try {
    const account = chooseAccount(home.cluster)
    const binaries = findBinaries(account)
    const plan: Plan = { home, account, binaries, durable: options.durable ?? true, log, options }
    const taken = await takeOver(plan)
    if (taken) return makeServer(plan, taken, { started: 'taken_over', releaseLock })
    const created = await createCluster({ ...plan, cluster: home.cluster })
    const running = await launchFirst(plan)
    return makeServer(plan, running, { started: created ? 'created' : 'started', releaseLock })
  } catch (error) {
    releaseLock()
    throw error
  }
}

/** The running server of a data folder, for commands beside the service; undefined when none answers. */
export async function findEmbedded(options: {
  data_dir: string
}): Promise<Pick<EmbeddedServer, 'connection' | 'url'> | undefined> {
  if (!statSync(options.data_dir, { throwIfNoEntry: false })) return undefined
  const home = nameHome(options.data_dir)
  if (!statSync(home.cluster, { throwIfNoEntry: false })) return undefined
  const socket_folder = readSocketFolder(home.record)
  const isRunning = () => findServer(home.cluster, socket_folder).state === 'running'
  if (socket_folder === undefined || !isRunning()) return undefined
  const connection = connectionTo(socket_folder)
  const answer = await awaitAnswer({
    connection,
    isAlive: isRunning,
    isBusy: () => isBusy(home.cluster),
    silence_ms: FIND_LIMIT_MS,
    log: () => undefined,
  })
  return answer === 'ready' ? { connection, url: urlOf(connection) } : undefined
}

function openHome(data_dir: string): Home {
  // Others may pass through but not look: the account must reach what is its own inside.
  mkdirSync(data_dir, { recursive: true, mode: 0o711 })
  return nameHome(data_dir)
}

function nameHome(given: string): Home {
  const data_dir = realpathSync(given)
  const cluster = join(data_dir, 'postgres')
  return {
    data_dir,
    cluster,
    log_file: join(data_dir, 'postgres.log'),
    lock_file: join(data_dir, 'postgres.lock'),
    record: { file: join(data_dir, 'postgres.socket'), cluster },
  }
}

function connectionTo(socket_folder: string): Connection {
  return { host: socket_folder, port: PORT, user: 'parterre', database: 'parterre' }
}

function urlOf({ host, port, user, database }: Connection): string {
  return `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

function argumentsFor(plan: Plan, socket_folder: string): string[] {
  return postgresArguments({
    data_argument: dataArgument(plan.home.cluster, plan.account),
    socket_folder,
    version: plan.binaries.version,
    durable: plan.durable,
    settings: plan.options.settings ?? {},
  })
}

/** A server of another release, with other settings or one that does not answer is ended, for a new one to start. */
async function takeOver(plan: Plan): Promise<Running | undefined> {
  const { cluster, record } = plan.home
  if (!statSync(cluster, { throwIfNoEntry: false })) return undefined
  const socket_folder = readSocketFolder(record)
  const found = findServer(cluster, socket_folder)
  if (found.state !== 'running' || socket_folder === undefined) return undefined
  const { running } = found
  plan.log('postgres of an earlier run is alive', { pid: running.pid })
  const isSame =
    running.command === [program(plan.binaries, 'postgres'), ...argumentsFor(plan, socket_folder)].join(' ')
  if (isSame) {
    const answer = await awaitAnswer({
      connection: connectionTo(socket_folder),
      isAlive: () => findServer(cluster, socket_folder).state === 'running',
      isBusy: () => isBusy(cluster),
      silence_ms: FIND_LIMIT_MS,
      log: plan.log,
    })
    if (answer === 'ready') return running
  }
  await endServer(running, plan.log)
  return undefined
}

async function launchFirst(plan: Plan): Promise<Running> {
  const { record } = plan.home
  try {
    return await launch(plan, () => {
      removeSocketFolder(record)
      return makeSocketFolder(record, plan.account)
    })
  } catch (error) {
    removeSocketFolder(record)
    throw error
  }
}

async function launch(plan: Plan, socketFolder: () => string): Promise<Running> {
  const { home, account } = plan
  const begun_at = performance.now()
  for (;;) {
    if (findServer(home.cluster, undefined).state === 'stale') removeStalePid(home.cluster)
    const socket_folder = socketFolder()
    const server = await launchServer({
      program: program(plan.binaries, 'postgres'),
      arguments: argumentsFor(plan, socket_folder),
      cluster: home.cluster,
      account,
      log_file: home.log_file,
      log: plan.log,
    })
    const answer = await awaitAnswer({
      connection: connectionTo(socket_folder),
      isAlive: server.isAlive,
      isBusy: () => isBusy(home.cluster),
      silence_ms: SILENCE_MS,
      log: plan.log,
    })
    if (answer === 'ready') return server
    const waited_ms = performance.now() - begun_at
    await giveUp(plan, server, { patient: answer === 'gone' && waited_ms < ORPHANS_LIMIT_MS })
    if (waited_ms > ORPHANS_LEAVE_MS) endOrphans(home.cluster, account)
    await sleep(100)
  }
}

/** Throws, unless a killed postmaster or its backends are still leaving: then starting again will help. */
async function giveUp(plan: Plan, server: Launched, { patient }: { patient: boolean }): Promise<void> {
  await endServer(server, plan.log)
  const lines = server.lastLines()
  if (patient && STILL_LEAVING.test(lines)) return
  throw new Error(`PostgreSQL did not start; the end of ${plan.home.log_file}:\n${lines}`)
}

function makeServer(
  plan: Plan,
  running: Running,
  { started, releaseLock }: { started: EmbeddedServer['started']; releaseLock: () => void },
): EmbeddedServer {
  const { home, log } = plan
  const socket_folder = readSocketFolder(home.record)!
  const connection = connectionTo(socket_folder)
  const kept = keepRunning(running, {
    startAgain: () =>
      launch(plan, () => {
        removeSocket(socket_folder)
        return socket_folder
      }),
    warn: plan.options.warn ?? log,
  })
  // A process that exits without stop() still asks the server to end; after a kill the next start takes it over.
  const onExit = () => {
    askToEnd(kept.current())
    // The record stays, so that a start meanwhile knows the server that is ending for ours.
    emptySocketFolder(home.record)
  }
  process.once('exit', onExit)
  let stopping: Promise<void> | undefined
  const stop = async () => {
    process.off('exit', onExit)
    try {
      await endServer(await kept.letGo(), log)
      removeSocketFolder(home.record)
    } finally {
      releaseLock()
    }
  }
  log('postgres has started', { started, pid: running.pid, host: connection.host })
  return { connection, url: urlOf(connection), started, stop: () => (stopping ??= stop()) }
}
