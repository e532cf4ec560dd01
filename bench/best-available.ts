/** Buyers who leave the choice of four seats side by side to the service, until there are none. */
import type { Bench, Scenario } from './support/bench.ts'
import { complete, hold, warmUp, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import { atLeast, must, number, orderRate, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

/** One hall is full in a few seconds, so some are sold, one after the other. */
const FULL = { halls: 4, rows: 100, seats_in_row: 100, limit_s: 120 }
const QUICK = { halls: 1, rows: 20, seats_in_row: 20, limit_s: 30 }
const TICKETS_AN_ORDER = 4
const WARMUP_PLACES = 150_000

export const bestAvailable: Scenario = {
  name: 'best-available',
  summary:
    'all clients take 4 neighbours of a 10,000 seat hall by random, until it is full; then of the next hall',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { halls, limit_s, ...hall } = options.quick ? QUICK : FULL
  const wishes = Array.from({ length: halls }, () => ({ set: hall }))
  const sale = await openSale(target, [...wishes, { set: { places: WARMUP_PLACES } }])
  await warmUp({ target, sale, seconds: options.warmup_s }, sale.events[halls]!)
  const bodies = sale.events.slice(0, halls).map((event) => wish(event, TICKETS_AN_ORDER))
  const seats = halls * hall.rows * hall.seats_in_row
  let nth = 0
  let sold = 0
  const measured = await rush({ target, sale, clients: options.clients, seconds: limit_s }, async (buyer) => {
    const body = bodies[nth]
    if (body === undefined) return buyer.stop()
    const held = await hold(buyer, body)
    if (held === undefined) return
    if (held.tickets < TICKETS_AN_ORDER) buyer.refused()
    if (held.tickets === 0 && body === bodies[nth]) nth++
    if (held.tickets > 0 && (await complete(buyer, held))) sold += held.tickets
  })
  return [
    rowOf('orders', measured, {
      per: 'order',
      goals: [
        atLeast({ value: orderRate(measured), bound: 1000, unit: 'a second' }),
        must(`all ${number(seats)} seats sold`, sold === seats),
      ],
    }),
  ]
}
