import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { dataArgument, spawnOptions, type Account } from './account.ts'
import { program, type Binaries } from './binaries.ts'
import { endOrphans } from './postmaster.ts'

type Options = { cluster: string; account: Account; binaries: Binaries; durable: boolean }

/**
 * Makes the cluster unless it is there; returns whether it was made. initdb works in a folder beside it, which is
 * renamed when complete, so a killed initdb leaves nothing that looks like a cluster.
 */
export async function createCluster(options: Options): Promise<boolean> {
  const { cluster, account, binaries } = options
  removeUnfinished(cluster, account)
  if (isCluster(cluster)) {
    checkVersion(cluster, binaries)
    repairAccess(cluster, account)
    return false
  }
  const fresh = `${cluster}.init-${randomBytes(6).toString('hex')}`
  mkdirSync(fresh, { mode: 0o700 })
  if (account.dropped) lchownSync(fresh, account.uid, account.gid)
  await runInitdb(fresh, options)
  renameSync(fresh, cluster)
  if (options.durable) {
    syncFolder(dirname(cluster))
    syncFolder(dirname(dirname(cluster)))
  }
  return true
}

function isCluster(cluster: string): boolean {
  const stats = statSync(cluster, { throwIfNoEntry: false })
  if (!stats) return false
  if (statSync(join(cluster, 'PG_VERSION'), { throwIfNoEntry: false })) return true
  if (stats.isDirectory() && readdirSync(cluster).length === 0) return false
  throw new Error(`${cluster} is in the way: it is not empty and not a PostgreSQL cluster`)
}

function checkVersion(cluster: string, binaries: Binaries): void {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  const wanted = binaries.version.split('.')[0]
  if (found !== wanted) {
    throw new Error(
      `${cluster} is of PostgreSQL ${found}, this release brings ${wanted}: ` +
        'dump it with the old release and load the dump with this one',
    )
  }
}

function removeUnfinished(cluster: string, account: Account): void {
  const folder = dirname(cluster)
  const prefix = `${basename(cluster)}.init-`
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const path = join(folder, name)
    endOrphans(path, account)
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/** As root or a tool without modes copied or restored it; PostgreSQL refuses what is not its own or open to others. */
function repairAccess(cluster: string, account: Account): void {
  const stats = statSync(cluster)
  if (account.dropped && stats.uid !== account.uid) giveTo(cluster, account)
  if ((stats.mode & 0o027) !== 0) chmodSync(cluster, 0o700)
}

/** The folder itself last: an interrupted change of owner is then begun again by the next start. */
function giveTo(folder: string, account: Account): void {
  for (const found of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    lchownSync(join(found.parentPath, found.name), account.uid, account.gid)
  }
  lchownSync(folder, account.uid, account.gid)
}

async function runInitdb(folder: string, options: Options): Promise<void> {
  const { account, binaries, durable } = options
  const given = [
    `--pgdata=${dataArgument(folder, account)}`,
    '--username=parterre',
    '--auth=trust',
    '--encoding=UTF8',
    // Collation by code point: the same order and the same indexes on every system.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // One syncfs costs a third of a fsync of each of a thousand files.
    durable ? `--sync-method=${process.platform === 'linux' ? 'syncfs' : 'fsync'}` : '--no-sync',
  ]
  const child = spawn(program(binaries, 'initdb'), given, {
    ...spawnOptions(folder, account),
    // Its progress goes to a pipe, so that it ends at the next line when this process is killed.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const ended = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(`${error.message} (is this a glibc system?)`))
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`))
  })
  if (ended === undefined) return
  rmSync(folder, { recursive: true, force: true })
  throw new Error(`initdb failed: ${ended}\n${output.trim().split('\n').slice(-8).join('\n')}`)
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
