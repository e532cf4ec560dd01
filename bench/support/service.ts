/** The service under load: one of the bench's own in a data folder of its own, or one that runs already. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readUsage, type Usage } from './usage.ts'

const CLI = join(import.meta.dirname, '../../src/main/cli.ts')
/** What ends the bench ends its service, which ends the run. */
const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const
const READY = /^Parterre is ready at (\S+)$/m

export type Target = {
  base_url: string
  data_dir: string
  /** Runs `parterre <words>` on the same store; answers its stdout. Throws what it wrote when it fails. */
  parterre(words: string[], input?: string): Promise<string>
  /** Undefined when it is not the bench's own, or where there is no /proc. */
  usage(): Usage | undefined
}

export type Service = Target & {
  /** From the start of the process until it said that it is ready. */
  started_ms: number
  /** Ends it in order; its data stay. */
  stop(): Promise<void>
}

/** One that runs already: its DATA_DIR or DATABASE_URL must be in the environment, or its data in ./data. */
export function runningService(base_url: string): Target {
  return {
    base_url,
    data_dir: process.env['DATA_DIR'] || './data',
    parterre: (words, input) => runParterre({ words, input, env: process.env }),
    usage: () => undefined,
  }
}

/** A folder for the data of services, removed when the bench ends. */
export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parterre-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Starts the service on a free port; `settings` go to its environment, of the bench's own it gets PATH and HOME alone. */
export async function startService(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const { PATH, HOME } = process.env
  const data_dir = join(folder, 'data')
  const env = { PATH, HOME, PORT: '0', GRPC_PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: data_dir, ...settings }
  const begun_at = performance.now()
  // Not in the project's folder, where a .env may name someone's real database.
  const child = spawn(process.execPath, [CLI, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const interrupt = () => void child.kill('SIGTERM')
  for (const signal of INTERRUPTS) process.once(signal, interrupt)
  const ended = once(child, 'exit')
  const base_url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      const url = READY.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('close', () => reject(new Error('the service ended before it was ready')))
  })
  const started_ms = performance.now() - begun_at
  return {
    base_url,
    data_dir,
    started_ms,
    parterre: (words, input) => runParterre({ words, input, env, cwd: folder }),
    usage: () => readUsage({ service: child.pid!, database: postmasterOf(data_dir) }),
    async stop() {
      for (const signal of INTERRUPTS) process.off(signal, interrupt)
      child.kill('SIGTERM')
      await ended
    },
  }
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
