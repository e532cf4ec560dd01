import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'
import { readConfig, type Config } from '../../src/main/config.ts'
import type { Part } from '../../src/main/parts.ts'
import { createServices } from '../../src/main/services.ts'
import { openStore } from '../../src/main/store.ts'
import { createLog } from '../../src/platform/log.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Without the API `base_url` is that of health and metrics, and `grpc_address` (host and port) is empty. */
export type RunningService = { base_url: string; grpc_address: string; close(): Promise<void> }

/**
 * The service in this process, on a free port and a database of the test's; quiet but for errors. Called at the top of a file
 * or `describe`, or in a test, it is closed at the end of that.
 */
export async function startService(options: {
  database: { url: string }
  config?: Partial<Config>
  parts?: readonly Part[]
}): Promise<RunningService> {
  const config: Config = {
    ...readConfig({}),
    log_level: 'error',
    port: 0,
    grpc_port: 0,
    jobs_port: 0,
    database_url: options.database.url,
    ...options.config,
  }
  const log = createLog(config.log_level)
  const store = await openStore(config, log)
  const services = await createServices({
    config,
    db: store.db,
    log,
    parts: options.parts ?? ['api', 'jobs'],
  })
  const started = await services.start()
  const { base_url, grpc_address } =
    'api' in started ? started.api : { base_url: started.health_url, grpc_address: '' }
  let closing: Promise<void> | undefined
  const close = async () => {
    await services.close()
    await store.close()
  }
  const closeOnce = () => (closing ??= close())
  cleanUpWith(closeOnce)
  return { base_url, grpc_address, close: closeOnce }
}

/** A process that was started, and what it has written so far. */
export type Started = { child: ChildProcess; stdout(): string; stderr(): string }

/** The exit code, or the name of the signal that ended it. */
export async function exitOf({ child }: Started): Promise<number | NodeJS.Signals> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode ?? child.signalCode!
}

/**
 * `parterre <words>` as a process of its own. Of this process's environment it gets PATH and HOME only. It is killed if it still
 * runs at the end of the test, file or `describe` it was started in.
 */
export function spawnParterre(words: string[], env: Record<string, string> = {}): Started {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['src/main/cli.ts', ...words], {
    cwd: ROOT,
    env: { PATH, HOME, GRPC_PORT: '0', JOBS_PORT: '0', SHUTDOWN_DELAY_MS: '0', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text))
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  cleanUpWith(kill)
  return { child, stdout: () => stdout, stderr: () => stderr }
}

/** `serve` as a process of its own, on free ports. Resolves when it is ready; throws what it said when it ended instead. */
export async function spawnService(
  env: Record<string, string>,
  words: string[] = [],
): Promise<Started & { base_url: string; grpc_address: string }> {
  const started = spawnParterre(['serve', ...words], { LOG_LEVEL: 'warn', PORT: '0', ...env })
  const addresses = await new Promise<{ base_url: string; grpc_address: string }>((resolve, reject) => {
    started.child.stdout!.on('data', () => {
      const said = /^Parterre is ready at (\S+)\n.*\ngRPC: (\S+)\n/.exec(started.stdout())
      if (said) resolve({ base_url: said[1]!, grpc_address: said[2]! })
    })
    started.child.once('close', () => reject(new Error(`the service ended: ${started.stderr()}`)))
  })
  return { ...started, ...addresses }
}

/** Runs `parterre <words>` to its end. */
export async function runParterre(
  words: string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<{ code: number | NodeJS.Signals; stdout: string; stderr: string }> {
  const started = spawnParterre(words, env)
  started.child.stdin!.on('error', () => {}).end(input)
  await once(started.child, 'close')
  return { code: await exitOf(started), stdout: started.stdout(), stderr: started.stderr() }
}

/** After the test that runs, or else after the last test of the file or `describe`. Not for hooks. */
function cleanUpWith(close: () => unknown): void {
  try {
    onTestFinished(async () => void (await close()))
  } catch {
    afterAll(async () => void (await close()))
  }
}
