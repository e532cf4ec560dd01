/** What the processes of a service have used so far, as Linux tells it in /proc. */
import { readdirSync, readFileSync } from 'node:fs'

export type Usage = { service_cpu_s: number; database_cpu_s: number; service_peak_mb: number }

/** USER_HZ, the same on every Linux in use. */
const TICKS_A_SECOND = 100
/** Fields of /proc/<pid>/stat, counted from the one after the name, which may have blanks. */
const PARENT = 1
const USER = 11
const SYSTEM = 12
const CHILDREN_USER = 13
const CHILDREN_SYSTEM = 14

/** `database` is the process id of PostgreSQL's postmaster. Undefined where there is no /proc. */
export function readUsage({ service, database }: { service: number; database: number }): Usage | undefined {
  if (process.platform !== 'linux') return undefined
  const status = readFileSync(`/proc/${service}/status`, 'utf8')
  // Those of its backends that have ended are in the postmaster's own count of its children.
  const backends = childrenOf(database).map((pid) => ticks(pid, USER, SYSTEM))
  const postmaster = ticks(database, USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM)
  return {
    service_cpu_s: ticks(service, USER, SYSTEM) / TICKS_A_SECOND,
    database_cpu_s: backends.reduce((sum, used) => sum + used, postmaster) / TICKS_A_SECOND,
    service_peak_mb: Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024,
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statOf(pid)[PARENT]) === parent)
}

function ticks(pid: number, ...fields: number[]): number {
  const stat = statOf(pid)
  return fields.reduce((sum, field) => sum + Number(stat[field] ?? 0), 0)
}

/** Empty when the process has just ended. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return []
  }
}
