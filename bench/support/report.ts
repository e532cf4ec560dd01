/** What was measured, as a table for people: a line per figure, a column per run. */
import { cpus, totalmem } from 'node:os'
import { percentile } from './percentiles.ts'
import type { Measured } from './rush.ts'

export type Run = {
  name: string
  measured: Measured
  /** What `parterre verify` found; undefined when every invariant holds. */
  breaches: string | undefined
}

const PERCENTILES = [50, 95, 99]
const NONE = '-'

export function describeMachine(): string {
  const processors = cpus()
  const memory_gb = Math.round(totalmem() / 1024 ** 3)
  return `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}, ${memory_gb} GB, ${process.platform}, Node ${process.versions.node}`
}

export function describeRuns(runs: readonly Run[]): string {
  const kinds = [...new Set(runs.flatMap(({ measured }) => [...measured.latencies.keys()]))]
  const line = (name: string, figure: (measured: Measured) => string): string[] => [
    name,
    ...runs.map(({ measured }) => figure(measured)),
  ]
  const lines = [
    ['', ...runs.map(({ name }) => name)],
    line('completed orders/s', (measured) => decimal(rate(measured), 0)),
    ...kinds.flatMap((kind) =>
      PERCENTILES.map((percent) =>
        line(`${kind} p${percent}, ms`, ({ latencies }) => {
          const sorted = latencies.get(kind)
          return decimal(sorted && percentile(sorted, percent), 1)
        }),
      ),
    ),
    line('first order, ms', ({ first_ms }) => decimal(first_ms, 0)),
    line('refused', ({ refused }) => String(refused)),
    line('errors', ({ errors }) => String(sum(errors.values()))),
    line('CPU of the service, s', ({ usage }) => decimal(usage?.service_cpu_s, 1)),
    line('CPU of PostgreSQL, s', ({ usage }) => decimal(usage?.database_cpu_s, 1)),
    line('CPU of the clients, s', ({ load_cpu_s }) => decimal(load_cpu_s, 1)),
    line('CPU an order, ms: service + PostgreSQL + clients', costOfOrder),
    line('peak memory of the service, MB', ({ usage }) => decimal(usage?.service_peak_mb, 0)),
  ]
  const errors = runs.flatMap(({ name, measured }) =>
    [...measured.errors].map(([what, times]) => `${name}: ${times} x ${what}`),
  )
  const breaches = runs.map(
    ({ name, breaches: found }) => `${name}: ${found ?? 'every invariant of the data holds'}`,
  )
  return [...layOut(lines), ...ratio(runs), ...errors, ...breaches].join('\n')
}

function ratio([first, second]: readonly Run[]): string[] {
  if (!first || !second) return []
  const times = rate(first.measured) / rate(second.measured)
  return [`${first.name} completes ${decimal(times, 1)} times as many orders as ${second.name}`]
}

/** Other work on the machine disturbs it less than the rate. Refusals have their share of the CPU, so it is not told with them. */
function costOfOrder({ usage, load_cpu_s, completed, refused }: Measured): string {
  if (refused > 0 || completed === 0) return NONE
  return [usage?.service_cpu_s, usage?.database_cpu_s, load_cpu_s]
    .map((seconds) => decimal(seconds && (seconds * 1000) / completed, 2))
    .join(' + ')
}

function rate({ completed, seconds }: Measured): number {
  return completed / seconds
}

function layOut(lines: readonly string[][]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  '),
  )
}

function decimal(value: number | undefined, digits: number): string {
  return value === undefined ? NONE : value.toFixed(digits)
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
