/** A platform's ordinary day: every order is for another event, so batches have little in common. */
import { hotEventLoad } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { buy, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import { inTurns, type Load } from './support/in-turns.ts'
import { atLeast, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

const FULL = { events: 300, places: 1_500 }
const QUICK = { events: 30, places: 500 }
const TICKETS_AN_ORDER = 2

export const manyEvents: Scenario = {
  name: 'many-events',
  summary: 'all clients buy standing places of 300 events, each order of another one',
  run,
}

async function run(bench: Bench): Promise<Row[]> {
  const { seconds, warmup_s } = bench.options
  const { second, share, note } = await bench.withService(async (target) => {
    const hot = await hotEventLoad(bench, target, { warmup_s })
    const many = await manyEventsLoad(bench, target)
    return inTurns([hot, many], { seconds, first: 'the hot event' })
  })
  return [
    rowOf('orders', second, {
      per: 'order',
      goals: [atLeast({ value: share, bound: 0.6, unit: 'of the hot event' })],
      notes: [note],
    }),
  ]
}

async function manyEventsLoad({ options }: Bench, target: Target): Promise<Load> {
  const { clients, quick, warmup_s } = options
  const { events, places } = quick ? QUICK : FULL
  const sale = await openSale(
    target,
    Array.from({ length: events }, () => ({ set: { places } })),
  )
  const bodies = sale.events.map((event) => wish(event, TICKETS_AN_ORDER))
  let next = 0
  const sell = (seconds: number) =>
    rush({ target, sale, clients, seconds }, async (buyer) => {
      await buy(buyer, bodies[next++ % bodies.length]!, TICKETS_AN_ORDER)
    })
  return { warmUp: () => sell(warmup_s), sell }
}
