/** One seller alone: what the desk's batches cost when there is nothing to gather. */
import type { Bench, Scenario } from './support/bench.ts'
import { buy, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import { percentile } from './support/percentiles.ts'
import { atMost, latenciesOf, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

const PLACES = 20_000
const TICKETS_AN_ORDER = 2
const KIND = 'POST'

export const idle: Scenario = {
  name: 'idle',
  summary: 'one client alone: POST with random of 2, then PATCH done',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { seconds, warmup_s } = options
  const sale = await openSale(target, [{ set: { places: PLACES } }])
  const body = wish(sale.events[0]!, TICKETS_AN_ORDER)
  const measured = await rush({ target, sale, clients: 1, seconds, warmup_s }, async (buyer) => {
    await buy(buyer, body, TICKETS_AN_ORDER)
  })
  const p50 = percentile(latenciesOf(measured, [KIND]), 50)
  return [
    rowOf('orders', measured, {
      per: 'order',
      goals: [atMost({ what: 'p50 of POST', value: p50, bound: 4, unit: 'ms' })],
    }),
  ]
}
