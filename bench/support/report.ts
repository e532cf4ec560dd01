/** The bench's table, in Markdown that reads as text too. */
import { availableParallelism, cpus, totalmem } from 'node:os'
import { percentile } from './percentiles.ts'
import type { Row } from './rows.ts'

export type Section = { scenario: string; rows: readonly Row[]; faults: readonly string[] }

const PERCENTILES = [50, 95, 99]
const HEAD = [
  'scenario',
  'what',
  'a second',
  ...PERCENTILES.map((percent) => `p${percent} ms`),
  'CPU ms: service',
  'database',
  'load',
  'memory MB',
  'target',
  'reached',
]
/** These are texts, the rest numbers. */
const LEFT = new Set([0, 1, HEAD.length - 2, HEAD.length - 1])

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory_gb = Math.round(totalmem() / 1024 ** 3)
  return `${availableParallelism()} cores of ${cpus().length} (${model}), ${memory_gb} GB, ${process.platform}`
}

/** The table and, under it, what else is to be said. With `goals` off the targets are left out. */
export function describeSections(sections: readonly Section[], { goals }: { goals: boolean }): string {
  const lines = sections.flatMap(({ scenario, rows }) =>
    rows.flatMap((row, nth) => linesOf(nth === 0 ? scenario : '', goals ? row : { ...row, goals: [] })),
  )
  const table = layOut(goals ? [HEAD, ...lines] : [HEAD, ...lines].map((line) => line.slice(0, -2)))
  const notes = sections.flatMap(({ scenario, rows }) =>
    rows.flatMap(({ what, notes: texts = [] }) => texts.map((text) => `- ${scenario}, ${what}: ${text}`)),
  )
  return [...table, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

/** What fails the run: wrong answers, lost or doubled sales, broken invariants. */
export function describeFaults(sections: readonly Section[]): string[] {
  return sections.flatMap(({ scenario, rows, faults }) => [
    ...rows.flatMap(({ what, errors }) =>
      [...(errors ?? [])].map(([text, times]) => `${scenario}, ${what}: ${times} x ${text}`),
    ),
    ...faults.map((fault) => `${scenario}: ${fault}`),
  ])
}

/** A row's first target stands beside its figures, each further one on a line of its own. */
function linesOf(
  scenario: string,
  { what, rate, latencies, cpu_ms, memory_mb, goals = [] }: Row,
): string[][] {
  const figures = [
    scenario,
    what,
    decimal(rate, 0),
    ...PERCENTILES.map((percent) => decimal(latencies && percentile(latencies, percent), 1)),
    decimal(cpu_ms?.service, 2),
    decimal(cpu_ms?.database, 2),
    decimal(cpu_ms?.load, 2),
    decimal(memory_mb, 0),
  ]
  const nothing = figures.map(() => '')
  const [first, ...further] = goals
  return [
    [...figures, first?.target ?? '', first?.reached ?? ''],
    ...further.map(({ target, reached }) => [...nothing, target, reached]),
  ]
}

function layOut(lines: readonly string[][]): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(3, ...lines.map((line) => line[column]!.length)))
  const rule = widths.map((width, column) =>
    LEFT.has(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  const cells = lines.map((line) =>
    line.map((cell, column) =>
      LEFT.has(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    ),
  )
  return [cells[0]!, rule, ...cells.slice(1)].map((line) => `| ${line.join(' | ')} |`)
}

function decimal(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value)
    ? ''
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
