/**
 * Compares this version with another one, or with other settings, on a machine whose speed changes by the second: both are started,
 * each with a database of its own, and sell in turns for a few seconds at a time. What is told is the median of the pairs.
 */
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buy, wish } from './support/buy.ts'
import { checkStored } from './support/check-stored.ts'
import { openSale, type Sale } from './support/catalog.ts'
import { inOrderOfPair } from './support/in-turns.ts'
import { median, percentile, sort } from './support/percentiles.ts'
import { readNumber } from './support/read-number.ts'
import { rush } from './support/rush.ts'
import type * as ServiceModule from './support/service.ts'
import { openOwnService, type Service, type ServiceWish } from './support/service.ts'

const HELP = `Usage: npm run compare -- [options]

Starts the service twice, with data folders of their own, sells standing places by them in turns (POST of two, PATCH done), and
prints orders a second and CPU for each pair and the medians, those of the second as shares of the first. The second is of

  --folder FOLDER   another checkout of the project, with its node_modules. Default: this one.
  --set NAME=VALUE  a setting of its environment; may be repeated.
  --node=OPTION     an option of Node beside those of \`npm start\`; may be repeated.

  --processes COUNT Processes of each. Default: 1.
  --events COUNT    Events in turn. Default: 1.
  --clients COUNT   Parallel clients. Default: 64.
  --pairs COUNT     Default: 10.
  --seconds COUNT   Of each turn. Default: 2.
  --idle COUNT      Seconds without any load before each turn. Default: 0.
  --warmup COUNT    Seconds before the first pair, for each. Default: 12.
`

const HERE = join(import.meta.dirname, '..')
const TICKETS_AN_ORDER = 2
/** In all events together: the import takes so many in one set. */
const PLACES = 500_000

type Side = { name: string; service: Service; sale: Sale; turns: Turn[]; close(): Promise<void> }
type Turn = { rate: number; service_ms: number; database_ms: number }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: HERE },
      set: { type: 'string', multiple: true, default: [] },
      node: { type: 'string', multiple: true, default: [] },
      processes: { type: 'string', default: '1' },
      events: { type: 'string', default: '1' },
      clients: { type: 'string', default: '64' },
      pairs: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '2' },
      idle: { type: 'string', default: '0' },
      warmup: { type: 'string', default: '12' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(HELP)
  const readCount = (option: 'processes' | 'events' | 'clients' | 'pairs' | 'seconds' | 'warmup') =>
    readNumber(`--${option}`, values[option], { least: 1, whole: true })
  const [clients, pairs, seconds] = [readCount('clients'), readCount('pairs'), readCount('seconds')]
  const warmup_s = readCount('warmup')
  const idle_s = readNumber('--idle', values.idle, { least: 0 })
  const size = { processes: readCount('processes'), events: readCount('events') }
  const first = await open({ name: 'first', folder: HERE, ...size })
  const sides = [first]
  try {
    const settings = Object.fromEntries(values.set.map(readSetting))
    const second = await open({
      name: 'second',
      folder: resolve(values.folder),
      settings,
      node_options: values.node,
      ...size,
    })
    sides.push(second)
    for (const side of sides) await sell(side, clients, warmup_s)
    for (let pair = 0; pair < pairs; pair++) {
      for (const side of inOrderOfPair(sides, pair)) {
        await sleep(idle_s * 1000)
        side.turns.push(await sell(side, clients, seconds))
      }
      console.log(sides.map(({ name, turns }) => `${name} ${describe(turns.at(-1)!)}`).join('   '))
    }
    report(first, second)
    for (const { service, sale } of sides)
      for (const fault of await checkStored(service, sale)) throw new Error(fault)
  } finally {
    for (const side of sides) await side.close()
  }
}

async function open({
  name,
  folder,
  events,
  ...service_wish
}: { name: string; folder: string; events: number } & ServiceWish): Promise<Side> {
  // Of the other version: its options of Node, its ways to import.
  const { startService } = (await import(join(folder, 'bench/support/service.ts'))) as typeof ServiceModule
  const { service, close } = await openOwnService(service_wish, startService)
  try {
    const places = Math.floor(PLACES / events)
    const sale = await openSale(
      service,
      Array.from({ length: events }, () => ({ set: { places } })),
    )
    return { name, service, sale, turns: [], close }
  } catch (error) {
    await close()
    throw error
  }
}

async function sell({ service, sale }: Side, clients: number, seconds: number): Promise<Turn> {
  const bodies = sale.events.map((event) => wish(event, TICKETS_AN_ORDER))
  let next = 0
  const measured = await rush({ target: service, sale, clients, seconds }, async (buyer) => {
    await buy(buyer, bodies[next++ % bodies.length]!, TICKETS_AN_ORDER)
  })
  const [error] = measured.errors.keys()
  if (error !== undefined) throw new Error(`a wrong answer: ${error}`)
  const { completed, usage } = measured
  const ofOrder = (cpu_s = 0) => (cpu_s * 1000) / completed
  return {
    rate: completed / measured.seconds,
    service_ms: ofOrder(usage?.service_cpu_s),
    database_ms: ofOrder(usage?.database_cpu_s),
  }
}

function describe({ rate, service_ms, database_ms }: Turn): string {
  return `${Math.round(rate)} orders a second, ${service_ms.toFixed(2)} + ${database_ms.toFixed(2)} ms`
}

function report(first: Side, second: Side): void {
  for (const { name, turns } of [first, second]) {
    const medianOf = (key: keyof Turn) => median(turns.map((turn) => turn[key]))
    const middle = {
      rate: medianOf('rate'),
      service_ms: medianOf('service_ms'),
      database_ms: medianOf('database_ms'),
    }
    console.log(`Median, ${name}: ${describe(middle)} (service + database, an order)`)
  }
  const share = (key: keyof Turn) => {
    const shares = sort(second.turns.map((turn, nth) => turn[key] / first.turns[nth]![key]))
    const [least, middle, most] = [0, 50, 100].map((percent) => percentile(shares, percent)!.toFixed(2))
    return `${middle} (${least} to ${most})`
  }
  console.log(
    `The second of the first, median of the pairs: orders ${share('rate')}, service ${share('service_ms')}, database ${share('database_ms')}`,
  )
}

function readSetting(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new Error(`--set takes NAME=VALUE, not ${text}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
