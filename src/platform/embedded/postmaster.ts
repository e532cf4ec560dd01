import { spawn, spawnSync } from 'node:child_process'
import { closeSync, fchownSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnOptions, type Account } from './account.ts'
import type { Log } from './connect.ts'

const FAST_LIMIT_MS = 60_000
const IMMEDIATE_LIMIT_MS = 15_000
const KILL_LIMIT_MS = 5_000
const LOG_LIMIT_BYTES = 16 * 1024 * 1024
const LOG_TAIL_LINES = 12

export type Running = { pid: number; command: string }

/** False also for a zombie: in a container nobody may be there to reap the orphan of a killed service. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (process.platform !== 'linux') return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the last bracket may hold anything; the state follows it.
    return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/** The command line with single spaces, empty when there is no such process. World-readable, unlike /proc/pid/cwd. */
function commandOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    } catch {
      return ''
    }
  }
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
}

/** The name of the socket folder is random and new for every start, so it names one server. */
const isServerOf = (command: string, socket_folder: string): boolean =>
  `${command} `.includes(`unix_socket_directories=${socket_folder} `)

/** A pid that is there and does not run is a zombie's, and PostgreSQL takes it for a live server. */
function isZombie(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isAlive(pid)
  } catch {
    return false
  }
}

type Found = { state: 'none' } | { state: 'stale' } | { state: 'running'; running: Running }

/**
 * The live server of the cluster, by its pid file. 'stale': the file is left from a crash and its pid has passed to
 * another program or to a zombie, for which PostgreSQL itself would refuse to start. Throws when someone else's server runs there.
 */
export function findServer(cluster: string, socket_folder: string | undefined): Found {
  const pid = readPid(join(cluster, 'postmaster.pid'))
  if (pid === undefined) return { state: 'none' }
  if (Number.isNaN(pid)) return { state: 'stale' }
  if (isZombie(pid)) return { state: 'stale' }
  if (!isAlive(pid)) return { state: 'none' }
  const command = commandOf(pid)
  if (socket_folder !== undefined && isServerOf(command, socket_folder)) {
    return { state: 'running', running: { pid, command } }
  }
  if (isUnrelated(pid, command, cluster)) return { state: 'stale' }
  throw new Error(`a PostgreSQL that Parterre did not start (pid ${pid}) seems to run on ${cluster}`)
}

const PID_FILE_STATUS_LINE = 7

/** True while the pid file says that the server starts, recovers or stops. */
export function isBusy(cluster: string): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return ['starting', 'stopping'].includes(lines[PID_FILE_STATUS_LINE]?.trim() ?? '')
  } catch {
    return false
  }
}

/** To be called under the lock of the data folder. */
export function removeStalePid(cluster: string): void {
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return pid > 0 ? pid : Number.NaN
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code !== 'EACCES') throw error
    throw new Error(`${file} is closed to this user: run as the service's user or root`, { cause: error })
  }
}

/** A server started by hand on this cluster must not lose its pid file, so a doubtful one counts as related. */
function isUnrelated(pid: number, command: string, cluster: string): boolean {
  // A server's children are titled "postgres: ..."; they are no postmaster.
  if (basename(command.split(' ')[0] ?? '') !== 'postgres') return true
  try {
    const cwd = statSync(`/proc/${pid}/cwd`)
    const own = statSync(cluster)
    return cwd.ino !== own.ino || cwd.dev !== own.dev
  } catch {
    // macOS, or root in a container. A server of Parterre would be known by its socket folder.
    return command.includes('cluster_name=parterre ') || !command.includes(cluster)
  }
}

/** Fast shutdown; immediate when that takes too long, which the next start recovers from. */
export async function endServer(running: Running, log: Log): Promise<void> {
  const steps = [
    { signal: 'SIGINT', limit_ms: FAST_LIMIT_MS },
    { signal: 'SIGQUIT', limit_ms: IMMEDIATE_LIMIT_MS },
    { signal: 'SIGKILL', limit_ms: KILL_LIMIT_MS },
  ] as const
  for (const { signal, limit_ms } of steps) {
    if (!isStill(running)) return
    if (signal !== 'SIGINT') log('postgres is slow to stop', { pid: running.pid, signal })
    signalServer(running.pid, signal)
    if (await vanishes(running, limit_ms)) return
  }
  throw new Error(`postgres (pid ${running.pid}) does not end`)
}

/** For the end of the process, where nothing can be awaited. */
export function askToEnd(running: Running): void {
  if (isStill(running)) signalServer(running.pid, 'SIGINT')
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The pid may have passed to another program. */
const isStill = (running: Running): boolean =>
  isAlive(running.pid) && commandOf(running.pid) === running.command

async function vanishes({ pid }: Running, limit_ms: number): Promise<boolean> {
  const until = performance.now() + limit_ms
  while (performance.now() < until) {
    if (!isAlive(pid)) return true
    await sleep(5)
  }
  return !isAlive(pid)
}

/** Ends what a killed parent left working in a folder: an initdb, or backends whose postmaster is gone. */
export function endOrphans(folder: string, account: Account): void {
  if (process.platform !== 'linux') return
  // Run as the account, because root in a container may not look at another user's /proc/pid/cwd.
  const script = `for p in /proc/[0-9]*; do
    if [ "$p/cwd" -ef . ] && read -r name < "$p/comm"; then
      case $name in postgres|initdb) kill -9 "\${p#/proc/}";; esac
    fi
  done 2>/dev/null`
  spawnSync('/bin/sh', ['-c', script], { ...spawnOptions(folder, account), stdio: 'ignore' })
}

export type Launched = Running & { isAlive: () => boolean; lastLines: () => string }

/** Starts postgres in a session of its own: Ctrl-C in a terminal must reach it only through the service. */
export async function launchServer(options: {
  program: string
  arguments: string[]
  cluster: string
  account: Account
  log_file: string
  log: Log
}): Promise<Launched> {
  const { log_start, output } = openLog(options.log_file)
  try {
    const child = spawn(options.program, options.arguments, {
      ...spawnOptions(options.cluster, options.account),
      detached: true,
      stdio: ['ignore', output, output],
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (cause) =>
        reject(
          new Error(`cannot run ${options.program} (is this a glibc system?): ${cause.message}`, { cause }),
        ),
      )
    })
    child.once('exit', (code, signal) => options.log('postgres ended', { pid: child.pid, code, signal }))
    child.unref()
    return {
      pid: child.pid!,
      command: [options.program, ...options.arguments].join(' '),
      isAlive: () => child.exitCode === null && child.signalCode === null,
      lastLines: () => {
        const text = readFileSync(options.log_file).subarray(log_start).toString('utf8').trim()
        return text.split('\n').slice(-LOG_TAIL_LINES).join('\n')
      },
    }
  } finally {
    closeSync(output)
  }
}

function openLog(file: string): { log_start: number; output: number } {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const full = size > LOG_LIMIT_BYTES
  if (full) renameSync(file, `${file}.1`)
  const output = openSync(file, 'a', 0o600)
  if (process.getuid?.() === 0) {
    // The folder's owner may start the service tomorrow.
    const owner = statSync(dirname(file))
    fchownSync(output, owner.uid, owner.gid)
  }
  return { log_start: full ? 0 : size, output }
}
