/** Everybody comes at once for one event: until the last place is sold, then a while longer. */
import type { Bench, Scenario } from './support/bench.ts'
import { buy, hold, warmUp, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import { atLeast, atMost, must, number, requestRate, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

const FULL = { places: 50_000, clients: 512, limit_s: 120, refusals_s: 5 }
const QUICK = { places: 2_000, clients: 128, limit_s: 30, refusals_s: 0.5 }
const TICKETS_AN_ORDER = 2
const WARMUP_PLACES = 150_000

export const sellOut: Scenario = {
  name: 'sell-out',
  summary: '512 clients buy 50,000 standing places until all are sold, and go on asking',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { places, clients, limit_s, refusals_s } = options.quick ? QUICK : FULL
  const sale = await openSale(target, [{ set: { places } }, { set: { places: WARMUP_PLACES } }])
  const [event, warmup_event] = [sale.events[0]!, sale.events[1]!]
  await warmUp({ target, sale, seconds: options.warmup_s }, warmup_event)
  const body = wish(event, TICKETS_AN_ORDER)
  let sold = 0
  const selling = await rush({ target, sale, clients, seconds: limit_s }, async (buyer) => {
    const bought = await buy(buyer, body, TICKETS_AN_ORDER)
    sold += bought
    if (sold >= places) buyer.stop()
  })
  const sold_out_s = selling.first_ms / 1000 + selling.seconds
  const refusing = await rush({ target, sale, clients, seconds: refusals_s }, async (buyer) => {
    const held = await hold(buyer, body)
    if (held !== undefined && held.tickets > 0)
      throw new Error('tickets were held of an event that is sold out')
  })
  return [
    rowOf('orders', selling, {
      per: 'order',
      goals: [
        must(`all ${number(places)} places sold`, sold === places),
        atMost({
          what: 'sold out in',
          value: selling.is_stopped ? sold_out_s : undefined,
          bound: 20,
          unit: 's',
        }),
      ],
    }),
    rowOf('refusals', refusing, {
      per: 'request',
      goals: [atLeast({ value: requestRate(refusing), bound: 5000, unit: 'a second' })],
    }),
  ]
}
