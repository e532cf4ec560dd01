/** What the processes of a service have used so far, as Linux tells it in /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** The memory is that of the process of the service that had most of it at its peak. */
export type Usage = { service_cpu_s: number; database_cpu_s: number; service_peak_mb: number }

/** USER_HZ, the same on every Linux in use. */
const TICKS_A_SECOND = 100
/** Fields of /proc/<pid>/stat, counted from the one after the name, which may have blanks. */
const PARENT = 1
const USER = 11
const SYSTEM = 12
const CHILDREN_USER = 13
const CHILDREN_SYSTEM = 14

/** `database` is PostgreSQL's postmaster; a server without one has used none of it. */
export type Pids = { services: readonly number[]; database?: number }

/** Undefined where there is no /proc. */
export function readUsage({ services, database }: Pids): Usage | undefined {
  if (process.platform !== 'linux') return undefined
  return {
    service_cpu_s: sum(services.map((pid) => ticks(pid, USER, SYSTEM))) / TICKS_A_SECOND,
    database_cpu_s: database === undefined ? 0 : databaseTicks(database) / TICKS_A_SECOND,
    service_peak_mb: Math.max(...services.map(peakOf)),
  }
}

function databaseTicks(postmaster: number): number {
  const backends = childrenOf(postmaster).map((pid) => ticks(pid, USER, SYSTEM))
  // Those of its backends that have ended are in the postmaster's own count of its children.
  return sum(backends) + ticks(postmaster, USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM)
}

/** What was used from one reading to a later one; the peak is that of the whole life. */
export function usedBetween(before: Usage | undefined, after: Usage | undefined): Usage | undefined {
  return (
    before &&
    after && {
      service_cpu_s: after.service_cpu_s - before.service_cpu_s,
      database_cpu_s: after.database_cpu_s - before.database_cpu_s,
      service_peak_mb: after.service_peak_mb,
    }
  )
}

/** Of two times, the later one second. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    service_cpu_s: one.service_cpu_s + other.service_cpu_s,
    database_cpu_s: one.database_cpu_s + other.database_cpu_s,
    service_peak_mb: other.service_peak_mb,
  }
}

/** Megabytes of the most memory the process ever had resident. */
function peakOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statOf(pid)[PARENT]) === parent)
}

function ticks(pid: number, ...fields: number[]): number {
  const stat = statOf(pid)
  return fields.reduce((total, field) => total + Number(stat[field] ?? 0), 0)
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
