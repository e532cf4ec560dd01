import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import {
  findEmbedded,
  startEmbedded,
  type EmbeddedServer,
} from '../../../src/platform/embedded/start-embedded.ts'

export type Report = {
  started?: EmbeddedServer['started']
  connection: EmbeddedServer['connection']
  started_ms: number
  error?: string
}
export type Service = { child: ChildProcess; report: Report; ended: Promise<void> }

const SERVICE = join(import.meta.dirname, 'service.ts')
const children = new Set<ChildProcess>()
const servers = new Set<EmbeddedServer>()
const data_dirs = new Set<string>()
const folders = new Set<string>()

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parterre-test-'))
  folders.add(folder)
  return folder
}

export async function start(
  data_dir: string,
  options: Partial<Parameters<typeof startEmbedded>[0]> = {},
): Promise<EmbeddedServer> {
  data_dirs.add(data_dir)
  const server = await startEmbedded({ data_dir, ...options })
  servers.add(server)
  return server
}

type ServiceOptions = { uid?: number; gid?: number; env?: Record<string, string>; detached?: boolean }

export function spawnService(
  data_dir: string,
  statement = '',
  { env = {}, ...options }: ServiceOptions = {},
): Service['child'] {
  data_dirs.add(data_dir)
  const child = spawn(process.execPath, ['--no-warnings', SERVICE, data_dir, statement], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...env },
    ...options,
  })
  children.add(child)
  return child
}

export async function startService(
  data_dir: string,
  statement = '',
  options: ServiceOptions = {},
): Promise<Service> {
  const child = spawnService(data_dir, statement, options)
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout! })
  const line = await new Promise<string>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve('{"error":"ended without a report"}'))
  })
  return { child, report: JSON.parse(line) as Report, ended }
}

export async function end(service: Service, signal: NodeJS.Signals): Promise<void> {
  service.child.kill(signal)
  await service.ended
}

export async function query(connection: ClientConfig | string, statement: string): Promise<unknown[]> {
  const client = new Client(connection)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

export const postmasterPid = (data_dir: string): number =>
  Number.parseInt(readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8'), 10)

export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2)
}

/** After every test: nothing it started may stay, whether it passed or not. */
export async function cleanUp(): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await new Promise((resolve) => void child.once('exit', resolve))
  }
  await Promise.all([...servers].map((server) => server.stop()))
  for (const data_dir of data_dirs) {
    if (existsSync(data_dir) && (await findEmbedded({ data_dir }))) {
      await (await startEmbedded({ data_dir })).stop()
    }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  for (const set of [children, servers, data_dirs, folders]) set.clear()
}
