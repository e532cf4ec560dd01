/** What a scenario found: lines of the bench's table, with the targets that belong to them. */
import { percentile, sort } from './percentiles.ts'
import type { Measured } from './rush.ts'

/** Milliseconds of CPU for each unit of the rate; undefined where it is not known. */
export type Cpu = { service: number | undefined; database: number | undefined; load: number | undefined }

export type Row = {
  /** What was done, in the unit of its rate: "orders", "batch of one: orders". */
  what: string
  /** Units a second. */
  rate?: number
  /** Milliseconds, sorted. */
  latencies?: Float64Array
  cpu_ms?: Cpu | undefined
  memory_mb?: number | undefined
  goals?: readonly Goal[]
  /** What else is worth knowing. */
  notes?: readonly string[]
  errors?: ReadonlyMap<string, number>
}

/** `reached` says whether the target is met, or by how much it is not. */
export type Goal = { target: string; reached: string; is_met: boolean }

type Bound = { what?: string; value: number | undefined; bound: number; unit: string }

export function atLeast({ what, value, bound, unit }: Bound): Goal {
  const target = [what, 'at least', bound.toLocaleString('en-US'), unit].filter(Boolean).join(' ')
  if (value === undefined || Number.isNaN(value)) return unknown(target)
  const is_met = value >= bound
  return { target, is_met, reached: verdict(value, { is_met, off: 1 - value / bound, word: 'less' }) }
}

export function atMost({ what, value, bound, unit }: Bound): Goal {
  const target = [what, 'at most', bound.toLocaleString('en-US'), unit].filter(Boolean).join(' ')
  if (value === undefined || Number.isNaN(value)) return unknown(target)
  const is_met = value <= bound
  return { target, is_met, reached: verdict(value, { is_met, off: value / bound - 1, word: 'more' }) }
}

/** For what is so or not. */
export function must(target: string, is_met: boolean): Goal {
  return { target, is_met, reached: is_met ? 'met' : 'not met' }
}

function unknown(target: string): Goal {
  return { target, is_met: false, reached: 'not measured' }
}

function verdict(
  value: number,
  { is_met, off, word }: { is_met: boolean; off: number; word: string },
): string {
  return is_met ? `met: ${number(value)}` : `not met: ${number(value)}, ${Math.ceil(off * 100)} % ${word}`
}

/** With as many digits as say something: 4,210 or 59.8 or 0.41. */
export function number(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** What the unit of a row is: a completed order, or a request of the named kinds (all of them when none is named). */
export type Unit = { per: 'order' } | { per: 'request'; kinds?: readonly string[] }

/** The latencies are those of the named kinds of request, of all when none is named. */
export function rowOf(
  what: string,
  measured: Measured,
  { per, ...options }: Unit & Pick<Row, 'goals' | 'notes'> = { per: 'order' },
): Row {
  const { goals, notes } = options
  const kinds = 'kinds' in options ? options.kinds : undefined
  const latencies = latenciesOf(measured, kinds)
  const count = per === 'order' ? measured.completed : latencies.length
  return {
    what,
    rate: count / measured.seconds,
    latencies,
    cpu_ms: cpuOf(measured, count),
    memory_mb: measured.usage?.service_peak_mb,
    errors: measured.errors,
    ...(goals && { goals }),
    notes: [
      ...(measured.refused > 0
        ? [`${number(measured.refused)} requests got fewer tickets than they asked for`]
        : []),
      ...(notes ?? []),
    ],
  }
}

export function latenciesOf({ latencies }: Measured, kinds?: readonly string[]): Float64Array {
  const chosen = [...latencies].filter(([kind]) => kinds?.includes(kind) ?? true)
  return chosen.length === 1 ? chosen[0]![1] : sort(chosen.flatMap(([, values]) => [...values]))
}

export function p99(measured: Measured, kinds?: readonly string[]): number | undefined {
  return percentile(latenciesOf(measured, kinds), 99)
}

export function orderRate({ completed, seconds }: Measured): number {
  return completed / seconds
}

export function requestRate(measured: Measured, kinds?: readonly string[]): number {
  return latenciesOf(measured, kinds).length / measured.seconds
}

/** CPU milliseconds of service and database for a completed order. */
export function orderCost({ usage, completed }: Measured): number | undefined {
  return usage && completed > 0
    ? ((usage.service_cpu_s + usage.database_cpu_s) * 1000) / completed
    : undefined
}

function cpuOf({ usage, load_cpu_s }: Measured, count: number): Cpu {
  const each = (seconds: number | undefined) =>
    seconds === undefined || count === 0 ? undefined : (seconds * 1000) / count
  return {
    service: each(usage?.service_cpu_s),
    database: each(usage?.database_cpu_s),
    load: each(load_cpu_s),
  }
}
