/**
 * Runs load scenarios, checks every invariant of the data after each, and prints what was measured beside its targets. Exits with
 * 1 when an answer was wrong, a sale was lost or an invariant is broken; a target that is not met is no failure.
 */
import { parseArgs } from 'node:util'
import { SCENARIOS } from './scenarios.ts'
import { createBench, type Bench, type Options, type Scenario } from './support/bench.ts'
import { describeFaults, describeMachine, describeSections, type Section } from './support/report.ts'
import { readNumber } from './support/read-number.ts'
import { writeResult } from './support/write-result.ts'

const HELP = `Usage: npm run bench -- [options]

Starts services with data folders of their own, sends them load from this process, checks their data afterwards, and prints one
table with the targets beside it, which is also written to bench/results.

  --scenario NAME  Only this one; may be repeated, or be a list with commas. Default: all but the long ones.
                   ${SCENARIOS.map(({ name, summary, is_long }) => `${name}${is_long ? ' (long)' : ''}: ${summary}`).join('\n                   ')}
  --all            The long ones too.
  --quick          Every scenario, small and short: what is right, not what is fast. Nothing is written.
  --clients COUNT  Parallel clients, where the scenario does not say how many. Default: 64.
  --seconds COUNT  How long is measured, where it does not end by itself. Default: 10.
  --warmup COUNT   Seconds before, not measured. Default: 12.
  --scale NUMBER   Size of the store in growth, above 0 up to 1. Default: 1.
  --url URL        Use a service that runs already, whose DATA_DIR or DATABASE_URL are in the environment. Scenarios and
                   references that need services of their own are left out.
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', multiple: true },
      all: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      clients: { type: 'string', default: '64' },
      seconds: { type: 'string' },
      warmup: { type: 'string' },
      scale: { type: 'string', default: '1' },
      url: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(HELP)
  const { quick, url } = values
  const options: Options = {
    quick,
    clients: readNumber('--clients', values.clients, { least: 1, whole: true }),
    seconds: readNumber('--seconds', values.seconds ?? (quick ? '1' : '10'), { least: 0.1 }),
    warmup_s: readNumber('--warmup', values.warmup ?? (quick ? '0' : '12'), { least: 0 }),
    scale: readNumber('--scale', values.scale, { least: 0.0001, most: 1 }),
  }
  const names = (values.scenario ?? []).flatMap((list) => list.split(','))
  const chosen = choose(names, { with_long: values.all || quick, url })
  const bench = createBench({ options, url })
  try {
    const sections = await runAll(bench, chosen)
    await report(bench, sections, { names })
  } finally {
    await bench.close()
  }
}

function choose(
  names: readonly string[],
  { with_long, url }: { with_long: boolean; url: string | undefined },
): Scenario[] {
  const unknown = names.find((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (unknown !== undefined) {
    throw new Error(`--scenario must be of ${SCENARIOS.map(({ name }) => name).join(', ')}`)
  }
  const wanted = SCENARIOS.filter(({ name, is_long }) =>
    names.length > 0 ? names.includes(name) : with_long || is_long !== true,
  )
  const possible = wanted.filter(({ needs_own_services }) => url === undefined || needs_own_services !== true)
  const left_out = wanted.filter((scenario) => !possible.includes(scenario)).map(({ name }) => name)
  if (left_out.length > 0) console.error(`left out with --url: ${left_out.join(', ')}`)
  if (possible.length === 0) throw new Error('nothing is left to run')
  return possible
}

/** One that fails does not keep the others from being measured; an interrupt does. */
async function runAll(bench: Bench, scenarios: readonly Scenario[]): Promise<Section[]> {
  const interrupt = new AbortController()
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        interrupt.abort()
        reject(new Error(`ended by ${signal}`))
      })
  })
  interrupted.catch(() => {})
  const sections: Section[] = []
  for (const scenario of scenarios) {
    const begun_at = performance.now()
    const rows = await Promise.race([scenario.run(bench), interrupted]).catch((error: Error) => {
      if (interrupt.signal.aborted) throw error
      bench.faults.push(error.stack ?? error.message)
      return []
    })
    sections.push({ scenario: scenario.name, rows, faults: bench.faults.splice(0) })
    console.error(`${scenario.name}: ${Math.round((performance.now() - begun_at) / 1000)} s`)
  }
  return sections
}

async function report(
  bench: Bench,
  sections: readonly Section[],
  { names }: { names: readonly string[] },
): Promise<void> {
  const { options } = bench
  const { quick, clients, seconds, warmup_s } = options
  const faults = describeFaults(sections)
  const text = [
    `Machine: ${describeMachine()}; Node ${process.versions.node}, PostgreSQL ${bench.database_version() ?? 'not asked'}; ${new Date().toISOString()}`,
    '',
    `Clients: ${clients}; measured for ${seconds} s after ${warmup_s} s of warm-up. Load, service and database share the machine.`,
    '',
    describeSections(sections, { goals: !quick }),
    '',
    ...(faults.length > 0
      ? faults
      : ['Every answer was right, what was acknowledged is stored, and every invariant of the data holds.']),
  ].join('\n')
  console.log(text)
  if (!quick) console.log(`\nWritten to ${await writeResult(text, names)}`)
  if (faults.length > 0) process.exitCode = 1
}

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
