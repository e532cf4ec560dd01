import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'

/** Whom PostgreSQL runs as. `dropped` is true when that is not the user of this process. */
export type Account = { uid: number; gid: number; dropped: boolean }

const NAMES_TRIED = ['parterre', 'nobody']

/**
 * PostgreSQL refuses to run as root. An existing cluster keeps its owner, so that a service may be started as
 * its user today and as root tomorrow.
 */
export function chooseAccount(cluster: string): Account {
  const uid = process.getuid?.()
  const gid = process.getgid?.()
  if (uid === undefined || gid === undefined) {
    throw new Error('the embedded PostgreSQL runs on Linux and macOS only: set DATABASE_URL')
  }
  const existing = statSync(cluster, { throwIfNoEntry: false })
  if (uid !== 0) {
    if (existing && existing.uid !== uid) {
      throw new Error(
        `${cluster} belongs to uid ${existing.uid}, this process is uid ${uid}: run as that user or root`,
      )
    }
    return { uid, gid, dropped: false }
  }
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid, dropped: true }
  return { ...lookUpUnprivileged(), dropped: true }
}

function lookUpUnprivileged(): { uid: number; gid: number } {
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of NAMES_TRIED) {
    const row = rows.find((fields) => fields[0] === name)
    // macOS writes nobody as -2, which the system calls take as an unsigned number.
    const uid = Number(row?.[2]) >>> 0
    const gid = Number(row?.[3]) >>> 0
    if (row && uid !== 0) return { uid, gid }
  }
  throw new Error(
    `PostgreSQL does not run as root, and /etc/passwd has none of ${NAMES_TRIED.join(', ')}: ` +
      'start as an ordinary user or set DATABASE_URL',
  )
}

/** True when the account may enter the folder: every parent has its search bit. */
export function canEnter(folder: string, account: Account): boolean {
  if (!account.dropped) return true
  return parentsOf(folder).every((path) => hasBit(statSync(path), account, 0o1))
}

/** True when only root and this user can change what is in the folder or put another in its place. */
export function isTrusted(folder: string): boolean {
  return parentsOf(folder).every((path, level) => {
    const stats = statSync(path)
    const sticky = level > 0 && (stats.mode & 0o1000) !== 0
    return isOurs(stats) && (sticky || (stats.mode & 0o022) === 0)
  })
}

export function isOurs(stats: Stats): boolean {
  return stats.uid === 0 || stats.uid === process.getuid?.()
}

function hasBit(stats: Stats, account: Account, bit: number): boolean {
  if (stats.uid === account.uid) return (stats.mode & (bit << 6)) !== 0
  if (stats.gid === account.gid) return (stats.mode & (bit << 3)) !== 0
  return (stats.mode & bit) !== 0
}

function parentsOf(folder: string): string[] {
  const paths = [realpathSync(folder)]
  for (let path = paths[0]!; path !== dirname(path); path = dirname(path)) paths.push(dirname(path))
  return paths
}

/**
 * For glibc; others ignore it. A statement of a batch takes some hundred kilobytes, which malloc by default gives back to the
 * system after each: page faults and calls that are a twentieth of what the rush costs the server.
 */
const KEEP_MEMORY = { MALLOC_TRIM_THRESHOLD_: '8388608', MALLOC_TOP_PAD_: '1048576' }

/** Spawn options shared by initdb and postgres: nothing of the service's environment, which holds secrets. */
export function spawnOptions(folder: string, account: Account) {
  return {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...KEEP_MEMORY },
    ...(account.dropped ? { uid: account.uid, gid: account.gid } : {}),
  }
}

/**
 * The `-D` argument. The child's working folder is entered before its uid is dropped, and /proc/self/cwd is a
 * link the kernel follows without looking at the parents, so a folder closed to the account still works.
 */
export function dataArgument(folder: string, account: Account): string {
  const is_plain = process.platform !== 'linux' || canEnter(dirname(folder), account)
  return is_plain ? folder : '/proc/self/cwd'
}
