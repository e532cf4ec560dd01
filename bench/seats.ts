/**
 * Buyers who choose on the hall's map fight for the same seats. Each picks two neighbours that look free on its map, and picks
 * again, with a PATCH, when both were gone. Maps are as old as a quarter of a second, so they lie.
 */
import type { Bench, Scenario } from './support/bench.ts'
import { change, complete, hold, warmUp, type Held } from './support/buy.ts'
import { openSale, type SaleEvent } from './support/catalog.ts'
import { readSeats } from './support/read-seats.ts'
import { atLeast, must, number, orderRate, rowOf, type Row } from './support/rows.ts'
import { rush, type Buyer } from './support/rush.ts'
import type { Target } from './support/service.ts'

/** One hall is sold in a few seconds, so some are, one after the other. */
const FULL = { halls: 5, rows: 100, seats_in_row: 100, limit_s: 120 }
const QUICK = { halls: 1, rows: 20, seats_in_row: 20, limit_s: 30 }
const SOLD_SHARE = 0.9
const MAP_AGE_MS = 250
const TRIES_OF_A_BUYER = 20
const WARMUP_PLACES = 150_000

export const seats: Scenario = {
  name: 'seats',
  summary:
    'all clients fight for a 10,000 seat hall by ticket ids of the listing, until 90 % are sold; then the next hall',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { halls, limit_s, ...hall } = options.quick ? QUICK : FULL
  const wishes = Array.from({ length: halls }, () => ({ set: hall }))
  const sale = await openSale(target, [...wishes, { set: { places: WARMUP_PLACES } }])
  const maps = await Promise.all(
    sale.events
      .slice(0, halls)
      .map(async (event) => createMap(event, await readSeats(target, sale, event.id))),
  )
  await warmUp({ target, sale, seconds: options.warmup_s }, sale.events[halls]!)
  let nth = 0
  let conflicts = 0
  const measured = await rush({ target, sale, clients: options.clients, seconds: limit_s }, async (buyer) => {
    const map = maps[nth]
    if (map === undefined) return buyer.stop()
    const met = await buySeats(buyer, map)
    conflicts += met
    if (map.takenShare() >= SOLD_SHARE && map === maps[nth]) nth++
  })
  return [
    rowOf('orders', measured, {
      per: 'order',
      goals: [
        atLeast({ value: orderRate(measured), bound: 3000, unit: 'a second' }),
        must('90 % of each hall sold', measured.is_stopped),
      ],
      notes: [`conflicts: ${number(conflicts)} tries met a seat that was gone`],
    }),
  ]
}

type HallMap = ReturnType<typeof createMap>

/** What the buyers of a hall see of it. */
function createMap(event: SaleEvent, ids: readonly string[]) {
  const taken = new Set<string>()
  let free = ids
  let read_at = performance.now()
  return {
    event,
    takenShare: () => taken.size / ids.length,
    took(pair: readonly string[]) {
      for (const id of pair) taken.add(id)
    },
    pick(): string[] {
      const now = performance.now()
      if (now - read_at > MAP_AGE_MS) {
        read_at = now
        free = ids.filter((id) => !taken.has(id))
      }
      const at = Math.floor(Math.random() * (free.length - 1))
      return free.slice(at, at + 2)
    },
  }
}

/** Answers how often it met seats that were gone. */
async function buySeats(buyer: Buyer, map: HallMap): Promise<number> {
  let conflicts = 0
  let order: Held | undefined
  for (let tries = 0; tries < TRIES_OF_A_BUYER; tries++) {
    const tickets = map.pick()
    order =
      order === undefined
        ? await hold(buyer, JSON.stringify({ event: map.event.id, tickets }))
        : await change(buyer, order.id, JSON.stringify({ tickets }))
    if (order === undefined) return conflicts
    // What this buyer has not got, another has.
    map.took(tickets)
    if (order.tickets < tickets.length) conflicts++
    if (order.tickets > 0) {
      await complete(buyer, order)
      return conflicts
    }
  }
  return conflicts
}
