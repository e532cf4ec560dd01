/** Buyers who cannot make up their mind: an order is changed five times before it is completed. */
import { hotEventOnce } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { change, complete, hold, wish } from './support/buy.ts'
import { openSale, type SaleEvent } from './support/catalog.ts'
import { atLeast, number, requestRate, rowOf, type Row } from './support/rows.ts'
import { rush, type Buyer, type Measured } from './support/rush.ts'
import type { Target } from './support/service.ts'

const PLACES = 100_000
const PLACES_QUICK = 10_000
/** How many tickets the order is to have, from the POST to the last change: more and fewer, two on average. */
const COUNTS = [2, 3, 1, 4, 1, 2]

export const editStorm: Scenario = {
  name: 'edit-storm',
  summary: 'all clients change each order of standing places five times before PATCH done',
  run,
}

async function run(bench: Bench): Promise<Row[]> {
  const { measured: hot } = await hotEventOnce(bench)
  const measured = await bench.withService((target) => sell(bench, target))
  const share = requestRate(measured) / requestRate(hot)
  return [
    rowOf('changes', measured, {
      per: 'request',
      goals: [atLeast({ value: share, bound: 0.6, unit: 'of the changes of the hot event' })],
      notes: [
        `POST, PATCH and PATCH done are changes; the hot event: ${number(requestRate(hot))} a second, two an order`,
      ],
    }),
  ]
}

async function sell({ options }: Bench, target: Target): Promise<Measured> {
  const { clients, seconds, warmup_s } = options
  const sale = await openSale(target, [{ set: { places: options.quick ? PLACES_QUICK : PLACES } }])
  const event = sale.events[0]!
  const [first, ...changes] = COUNTS.map((tickets) => wishFor(event, tickets))
  return rush({ target, sale, clients, seconds, warmup_s }, (buyer) => buy(buyer, first!, changes))
}

type Wish = { tickets: number; post: string; patch: string }

function wishFor(event: SaleEvent, tickets: number): Wish {
  return { tickets, post: wish(event, tickets), patch: JSON.stringify({ random: { [event.set]: tickets } }) }
}

async function buy(buyer: Buyer, first: Wish, changes: readonly Wish[]): Promise<void> {
  let order = await hold(buyer, first.post)
  for (const { patch, tickets } of changes) {
    if (order === undefined) return
    order = await change(buyer, order.id, patch)
    if (order !== undefined && order.tickets < tickets) buyer.refused()
  }
  if (order !== undefined && order.tickets > 0) await complete(buyer, order)
}
