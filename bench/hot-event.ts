/** The first minutes of a sale: many buyers, one event, two standing places each, paid at once. */
import type { Bench, Scenario } from './support/bench.ts'
import { buy, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import { inTurns, type Load } from './support/in-turns.ts'
import { measurePlainDatabase } from './support/plain-database.ts'
import { atLeast, atMost, number, orderRate, p99, rowOf, type Row } from './support/rows.ts'
import { rush, sumErrors, type Measured, type Rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

/** More than a run of half a minute can sell; the import takes 500,000 in a set at most. */
const PLACES = 400_000
const PLACES_QUICK = 20_000
const TICKETS_AN_ORDER = 2

/** While most of the code that sells has not been optimised yet. */
const JUST_STARTED_S = 3

/** A transaction a request, as many side by side as a service without the desk would have. */
const BATCH_OF_ONE = { DESK_BATCH_MAX: '1', DESK_LANES: '32' }

export const hotEvent: Scenario = {
  name: 'hot-event',
  summary: 'all clients buy standing places of one event: POST with random of 2, then PATCH done',
  run,
}

/** What the first seconds of the process were, and what came after the warm-up, with what went wrong in both. */
export type HotEvent = { readonly just_started: Measured; readonly measured: Measured }

/** As the service is shipped, with one process; the reference of other scenarios. */
export function hotEventOnce(bench: Bench): Promise<HotEvent> {
  return bench.once(hotEvent.name, () => bench.withService((target) => sellHotEvent(bench, target)))
}

export async function sellHotEvent(bench: Bench, target: Target): Promise<HotEvent> {
  const { seconds, warmup_s } = bench.options
  const sell = await openHotEvent(bench, target)
  const just_started = await sell({ seconds: Math.min(JUST_STARTED_S, seconds) })
  const measured = await sell({ seconds, warmup_s })
  return { just_started, measured: { ...measured, errors: sumErrors([just_started, measured]) } }
}

/** The same to take turns with another load. */
export async function hotEventLoad(bench: Bench, target: Target, warmup: Warmup): Promise<Load> {
  const sell = await openHotEvent(bench, target)
  return { warmUp: () => sell({ ...warmup, seconds: 0 }), sell: (seconds) => sell({ seconds }) }
}

type Warmup = Pick<Rush, 'warmup_s' | 'warmup_visits'>

async function openHotEvent(
  bench: Bench,
  target: Target,
): Promise<(time: Warmup & Pick<Rush, 'seconds'>) => Promise<Measured>> {
  const sale = await openSale(target, [{ set: { places: placesOf(bench) } }])
  const body = wish(sale.events[0]!, TICKETS_AN_ORDER)
  const { clients } = bench.options
  return (time) =>
    rush({ ...time, target, sale, clients }, async (buyer) => {
      await buy(buyer, body, TICKETS_AN_ORDER)
    })
}

function placesOf({ options }: Bench): number {
  return options.quick ? PLACES_QUICK : PLACES
}

async function run(bench: Bench): Promise<Row[]> {
  const { just_started, measured } = await hotEventOnce(bench)
  const rate = orderRate(measured)
  const rows = [
    rowOf('orders', measured, {
      per: 'order',
      goals: [
        atLeast({ value: rate, bound: 4000, unit: 'a second' }),
        atMost({ what: 'p99', value: p99(measured), bound: 60, unit: 'ms' }),
      ],
    }),
  ]
  if (!bench.has_own_services) return rows
  rows.push({
    ...rowOf('just started: orders', just_started, {
      per: 'order',
      notes: [`the first order of the event took ${number(Math.round(just_started.first_ms))} ms`],
    }),
    // They are told with those of the row above.
    errors: new Map(),
  })
  const { seconds, warmup_s } = bench.options
  const loadOn = (target: Target) => hotEventLoad(bench, target, { warmup_s })
  const beside = async (shipped: Target, one_by_one: Target) =>
    inTurns([await loadOn(shipped), await loadOn(one_by_one)], { seconds, first: 'the service as shipped' })
  const one_by_one = await bench.withService(
    (shipped) => bench.withService((target) => beside(shipped, target), { settings: BATCH_OF_ONE }),
    {},
  )
  const plain = await measurePlainDatabase(bench, { places: placesOf(bench) })
  rows.push(
    rowOf('batch of one: orders', one_by_one.second, {
      per: 'order',
      goals: [atLeast({ value: 1 / one_by_one.share, bound: 8, unit: 'times as many as it' })],
      notes: [one_by_one.note],
    }),
    {
      ...rowOf('plain database: orders', plain, {
        per: 'order',
        goals: [atLeast({ value: rate / orderRate(plain), bound: 0.4, unit: 'of its orders' })],
      }),
      // That of a service which did nothing.
      memory_mb: undefined,
    },
  )
  return rows
}
