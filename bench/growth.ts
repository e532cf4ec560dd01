/** Years later: the hot event in a store that is full of old events, tickets and orders must cost what it does in an empty one. */
import { hotEventOnce, sellHotEvent } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { openSale } from './support/catalog.ts'
import { fillWithOldOrders } from './support/old-orders.ts'
import { withConnection } from './support/query.ts'
import { atMost, number, orderCost, rowOf, type Row } from './support/rows.ts'
import type { Target } from './support/service.ts'

const FULL = { events: 2_000, tickets_an_event: 2_500, orders_an_event: 1_000 }
const SCALE_QUICK = 0.005
/** So that the vendor's deposit is enough for the old orders too. */
const PRICE = '100.00'
/** How many events are imported at a time: an import is one transaction, and its file is read whole. */
const EVENTS_AN_IMPORT = 200

export const growth: Scenario = {
  name: 'growth',
  summary:
    'the hot event beside 2,000 events with 5 million tickets and 2 million old orders; --scale makes it smaller',
  is_long: true,
  needs_own_services: true,
  run,
}

async function run(bench: Bench): Promise<Row[]> {
  const { measured: empty } = await hotEventOnce(bench)
  const { filled, measured } = await bench.withService(async (target) => {
    const stored = await fill(bench, target)
    return { filled: stored, ...(await sellHotEvent(bench, target)) }
  }, {})
  const [cost, cost_before] = [orderCost(measured), orderCost(empty)]
  return [
    rowOf('orders', measured, {
      per: 'order',
      goals: [
        atMost({
          what: 'CPU of service and database',
          value: cost && cost_before && cost / cost_before,
          bound: 1.25,
          unit: 'of the empty store',
        }),
        atMost({ what: 'memory', value: measured.usage?.service_peak_mb, bound: 400, unit: 'MB' }),
      ],
      notes: [`an order in the empty store: ${number(cost_before ?? Number.NaN)} ms of CPU`, filled],
    }),
  ]
}

/** Answers what is in the store now, for people. */
async function fill({ options }: Bench, target: Target): Promise<string> {
  const begun_at = performance.now()
  const events = Math.max(1, Math.round(FULL.events * (options.quick ? SCALE_QUICK : options.scale)))
  let orders = 0
  for (let done = 0; done < events; done += EVENTS_AN_IMPORT) {
    const wishes = Array.from({ length: Math.min(EVENTS_AN_IMPORT, events - done) }, () => ({
      set: { places: FULL.tickets_an_event },
      price: PRICE,
    }))
    const sale = await openSale(target, wishes)
    orders += await fillWithOldOrders(target, sale, FULL.orders_an_event)
  }
  // As autovacuum would have, long ago.
  await withConnection(target.database_url, async (client) => {
    await client.query('VACUUM (ANALYZE)')
    await client.query('CHECKPOINT')
  })
  const seconds = (performance.now() - begun_at) / 1000
  return (
    `${number(events)} events, ${number(events * FULL.tickets_an_event)} tickets and ${number(orders)} old orders ` +
    `were made in ${number(seconds)} s`
  )
}
