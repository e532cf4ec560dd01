/** A platform's ordinary day: every order is for another event, so batches have little in common. */
import { hotEventOnce } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { buy, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import { atLeast, number, orderRate, rowOf, type Row } from './support/rows.ts'
import { rush, type Measured } from './support/rush.ts'
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
  const hot = await hotEventOnce(bench)
  const measured = await bench.withService((target) => sell(bench, target))
  const share = orderRate(measured) / orderRate(hot)
  return [
    rowOf('orders', measured, {
      per: 'order',
      goals: [atLeast({ value: share, bound: 0.6, unit: 'of the hot event' })],
      notes: [`the hot event: ${number(orderRate(hot))} a second`],
    }),
  ]
}

async function sell({ options }: Bench, target: Target): Promise<Measured> {
  const { clients, seconds, warmup_s } = options
  const { events, places } = options.quick ? QUICK : FULL
  const sale = await openSale(
    target,
    Array.from({ length: events }, () => ({ set: { places } })),
  )
  const bodies = sale.events.map((event) => wish(event, TICKETS_AN_ORDER))
  let next = 0
  return rush({ target, sale, clients, seconds, warmup_s }, async (buyer) => {
    await buy(buyer, bodies[next++ % bodies.length]!, TICKETS_AN_ORDER)
  })
}
