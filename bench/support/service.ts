/** The service under load: one of the bench's own in a data folder of its own, or one that runs already. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findEmbedded } from '../../src/platform/embedded/start-embedded.ts'
import type { Sale } from './catalog.ts'
import { startChild, type Child } from './child.ts'
import { readUsage, type Usage } from './usage.ts'

const CLI = join(import.meta.dirname, '../../src/main/cli.ts')
/** As `npm start` gives them to Node. */
const NODE_OPTIONS = startScript().match(/--\S+/g) ?? []
const READY = /^Parterre is ready at (\S+)\n(?:.*\n)*?gRPC: (\S+)\n/m

export type Settings = Readonly<Record<string, string>>

export type ServiceWish = { processes?: number; settings?: Settings; node_options?: readonly string[] }

export type Target = {
  /** One for each process of the service. */
  base_urls: readonly [string, ...string[]]
  /** Host and port, of the first process; undefined when it is not the bench's own, which is known by its URL alone. */
  grpc_address: string | undefined
  /** For SQL beside the service. */
  database_url: string
  /** What was put on sale for the scenario. */
  sales: Sale[]
  /** Runs `parterre <words>` on the same store; answers its stdout. Throws what it wrote when it fails. */
  parterre(words: string[], input?: string): Promise<string>
  /** The same on another database. */
  parterreOn(database_url: string, words: string[], input?: string): Promise<string>
  /** Undefined when it is not the bench's own, or where there is no /proc. */
  usage(): Usage | undefined
}

export type Service = Target & {
  /** From the start of the first process until it said that it is ready. */
  started_ms: number
  /** Ends it in order; its data stay. */
  stop(): Promise<void>
}

/** One that runs already: its DATA_DIR or DATABASE_URL must be in the environment, or its data in ./data. */
export async function runningService(base_url: string): Promise<Target> {
  const { env } = process
  const database_url = env['DATABASE_URL'] || (await urlOfEmbedded(env['DATA_DIR'] || './data'))
  return {
    base_urls: [base_url],
    grpc_address: undefined,
    database_url,
    sales: [],
    parterre: (words, input) => runParterre({ words, input, env }),
    parterreOn: (url, words, input) => runParterre({ words, input, env: { ...env, DATABASE_URL: url } }),
    usage: () => undefined,
  }
}

/** A folder for the data of services, removed by `remove`, or at the latest when the bench ends. */
export function makeDataFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'parterre-bench-'))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', remove)
  return {
    path,
    remove() {
      process.off('exit', remove)
      remove()
    },
  }
}

/**
 * Starts the service on free ports: the first process with a PostgreSQL of its own in `folder`, further ones beside it on the same
 * database. `settings` go to their environment; of the bench's own they get PATH and HOME alone. `node_options` come after those
 * of `npm start`, so that they win.
 */
export async function startService(
  folder: string,
  { processes = 1, settings = {}, node_options = [] }: ServiceWish = {},
): Promise<Service> {
  const { PATH, HOME } = process.env
  const data_dir = join(folder, 'data')
  const env = {
    PATH,
    HOME,
    PORT: '0',
    GRPC_PORT: '0',
    SHUTDOWN_DELAY_MS: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: data_dir,
    ...settings,
  }
  const begun_at = performance.now()
  const first = await startProcess(folder, { env, node_options })
  const started_ms = performance.now() - begun_at
  const running: Running[] = [first]
  const stop = async () => {
    // The first has the database.
    for (const one of running.toReversed()) await one.stop()
  }
  try {
    const database_url = await urlOfEmbedded(data_dir)
    const further = { ...env, DATABASE_URL: database_url }
    while (running.length < processes)
      running.push(await startProcess(folder, { env: further, node_options }))
    return {
      base_urls: [first.url, ...running.slice(1).map(({ url }) => url)],
      grpc_address: first.grpc_address,
      database_url,
      sales: [],
      started_ms,
      parterre: (words, input) => runParterre({ words, input, env, cwd: folder }),
      parterreOn: (url, words, input) =>
        runParterre({ words, input, env: { ...env, DATABASE_URL: url }, cwd: folder }),
      usage: () => readUsage({ services: running.map(({ pid }) => pid), database: postmasterOf(data_dir) }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A service in a data folder of its own, without the demo catalog; `close` ends it and removes the folder. `start` is that of a version. */
export async function openOwnService(
  { settings, ...wish }: ServiceWish,
  start = startService,
): Promise<{ service: Service; close(): Promise<void> }> {
  const folder = makeDataFolder()
  try {
    const service = await start(folder.path, { ...wish, settings: { DEMO_CATALOG: 'off', ...settings } })
    const close = async () => {
      await service.stop()
      folder.remove()
    }
    return { service, close }
  } catch (error) {
    folder.remove()
    throw error
  }
}

type Running = Child & { url: string; grpc_address: string }

async function startProcess(
  folder: string,
  { env, node_options }: { env: NodeJS.ProcessEnv; node_options: readonly string[] },
): Promise<Running> {
  const words = [...NODE_OPTIONS, ...node_options, CLI, 'serve']
  // Not in the project's folder, where a .env may name someone's real database.
  const child = await startChild(words, { cwd: folder, env, ready: READY })
  const [url, grpc_address] = child.said
  return { ...child, url: url!, grpc_address: grpc_address! }
}

async function urlOfEmbedded(data_dir: string): Promise<string> {
  const found = await findEmbedded({ data_dir })
  if (!found) throw new Error(`no PostgreSQL runs in ${data_dir}: set DATA_DIR or DATABASE_URL`)
  return found.url
}

function postmasterOf(data_dir: string): number {
  return Number.parseInt(readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'latin1'), 10)
}

type Run = { words: string[]; input?: string | undefined; env: NodeJS.ProcessEnv; cwd?: string }

async function runParterre({ words, input = '', env, cwd = process.cwd() }: Run): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...words], { cwd, env, stdio: 'pipe' })
  child.stdin.on('error', () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`parterre ${words.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}

function startScript(): string {
  const written = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  return (JSON.parse(written) as { scripts: { start: string } }).scripts.start
}
