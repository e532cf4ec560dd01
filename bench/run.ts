/** Runs a load scenario, checks every invariant of the data after it, and prints what was measured. Exits with 1 on a breach. */
import { parseArgs } from 'node:util'
import { hotEvent } from './hot-event.ts'
import { describeMachine, describeRuns, type Run } from './support/report.ts'
import type { Options, Scenario } from './support/scenario.ts'
import { makeDataFolder, runningService, startService, type Target } from './support/service.ts'

const SCENARIOS: readonly Scenario[] = [hotEvent]

/** A transaction a request, as many side by side as a service without the desk would have. */
const BATCH_OF_ONE = { DESK_BATCH_MAX: '1', DESK_LANES: '32' }

const HELP = `Usage: npm run bench -- [options]

Starts a service with a data folder of its own, sends it load from this process, and checks its data afterwards.

  --scenario NAME  Default: hot-event.
                   ${SCENARIOS.map(({ name, summary }) => `${name}: ${summary}`).join('\n                   ')}
  --clients COUNT  Parallel clients. Default: 64.
  --seconds COUNT  How long is measured. Default: 20.
  --warmup COUNT   Seconds before, not measured. Default: 3.
  --demo           Sell the demo catalog's event instead of one made for the run; clients go on when it is sold out.
  --compare        Again on a service with ${Object.entries(BATCH_OF_ONE)
    .flatMap((pair) => pair.join('='))
    .join(' ')}.
  --start-times    Measure the first start, with the demo catalog, and a warm one instead.
  --url URL        Use a service that runs already, whose DATA_DIR or DATABASE_URL are in the environment.
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', default: hotEvent.name },
      clients: { type: 'string', default: '64' },
      seconds: { type: 'string', default: '20' },
      warmup: { type: 'string', default: '3' },
      demo: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      'start-times': { type: 'boolean', default: false },
      url: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(HELP)
  console.log(describeMachine())
  if (values['start-times']) return measureStarts()
  const scenario = SCENARIOS.find(({ name }) => name === values.scenario)
  if (!scenario) throw new Error(`--scenario must be one of ${SCENARIOS.map(({ name }) => name).join(', ')}`)
  const options: Options = {
    clients: readCount('--clients', values.clients),
    seconds: readCount('--seconds', values.seconds),
    warmup_s: readCount('--warmup', values.warmup, 0),
    demo: values.demo,
  }
  if (values.compare && values.url !== undefined)
    throw new Error('--compare starts its own services: no --url')
  console.log(`${scenario.name}: ${options.clients} clients, ${options.seconds} s`)
  const runs: Run[] = []
  if (values.url !== undefined) {
    runs.push(await measure(scenario, options, { name: values.url, target: runningService(values.url) }))
  } else {
    runs.push(await measureOwn(scenario, options, { name: 'as shipped', settings: {} }))
    if (values.compare)
      runs.push(await measureOwn(scenario, options, { name: 'batch of one', settings: BATCH_OF_ONE }))
  }
  console.log(describeRuns(runs))
  if (runs.some(({ measured, breaches }) => measured.errors.size > 0 || breaches !== undefined))
    process.exitCode = 1
}

async function measureOwn(
  scenario: Scenario,
  options: Options,
  { name, settings }: { name: string; settings: Record<string, string> },
): Promise<Run> {
  const catalog = { DEMO_CATALOG: options.demo ? 'auto' : 'off' }
  const service = await startService(makeDataFolder(), { ...catalog, ...settings })
  try {
    return await measure(scenario, options, { name, target: service })
  } finally {
    await service.stop()
  }
}

/** The data are checked beside the running service. */
async function measure(
  scenario: Scenario,
  options: Options,
  { name, target }: { name: string; target: Target },
): Promise<Run> {
  const measured = await scenario.run(target, options)
  const breaches = await target.parterre(['verify']).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { name, measured, breaches }
}

async function measureStarts(): Promise<void> {
  const folder = makeDataFolder()
  for (const name of ['first start', 'warm start']) {
    const service = await startService(folder)
    await service.stop()
    console.log(`${name}: ${Math.round(service.started_ms)} ms until ready`)
  }
}

function readCount(option: string, text: string, least = 1): number {
  const count = Number(text)
  if (!/^\d{1,6}$/.test(text) || count < least) throw new Error(`${option} must be a count from ${least} up`)
  return count
}

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
