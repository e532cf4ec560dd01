/** The map of a hall, read again and again while the hall sells; and that of a large hall, read for the first time. */
import type { Bench, Options, Scenario } from './support/bench.ts'
import { openSale, type SaleEvent } from './support/catalog.ts'
import type { Encoding } from './support/client.ts'
import {
  describeSize,
  ENCODINGS,
  readList,
  readListAgain,
  readListCold,
  type Store,
} from './support/lists.ts'
import { paceSales } from './support/pace-sales.ts'
import { sort } from './support/percentiles.ts'
import { seatsPath } from './support/read-seats.ts'
import { atLeast, atMost, number, requestRate, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

const FULL = { hall: { rows: 100, seats_in_row: 100 }, large: { rows: 200, seats_in_row: 250 }, larges: 3 }
const QUICK = { hall: { rows: 20, seats_in_row: 50 }, large: { rows: 50, seats_in_row: 100 }, larges: 1 }
const KIND = 'GET seats'

export const v1Seats: Scenario = {
  name: 'v1-seats',
  summary:
    'all clients list the seats of a 10,000 seat hall while it sells; then one lists 50,000 seats, cold; compressed, then not',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

type Hall = { encoding: Encoding; seats: number }

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { hall, large, larges } = options.quick ? QUICK : FULL
  const rows: Row[] = []
  for (const encoding of ENCODINGS) {
    const sale = await openSale(target, [
      { set: hall },
      ...Array.from({ length: larges }, () => ({ set: large })),
    ])
    const [event, ...large_events] = sale.events
    const store = { target, sale }
    rows.push(
      ...(await measureSelling(options, store, event!, { encoding, seats: seatCount(hall) })),
      await measureCold(store, large_events, { encoding, seats: seatCount(large) }),
    )
  }
  return rows
}

function seatCount({ rows, seats_in_row }: { rows: number; seats_in_row: number }): number {
  return rows * seats_in_row
}

async function measureSelling(
  { clients, seconds, warmup_s }: Options,
  store: Store,
  event: SaleEvent,
  { encoding, seats }: Hall,
): Promise<Row[]> {
  const list = await readList(store, { path: seatsPath(event.id), encoding, entries: seats })
  const selling = paceSales({ ...store, seconds, warmup_s }, event)
  const reading = rush({ ...store, clients, seconds, warmup_s }, (buyer) => readListAgain(buyer, KIND, list))
  const [sold, read] = await Promise.all([selling, reading])
  return [
    rowOf(`${number(seats)} seats, ${encoding}: requests`, read, {
      per: 'request',
      goals: [atLeast({ value: requestRate(read), bound: 1000, unit: 'a second' })],
      notes: [describeSize(read), 'the CPU includes that of the sale meanwhile'],
    }),
    { ...rowOf('orders meanwhile', sold), cpu_ms: undefined },
  ]
}

/** Of halls that nobody has asked the service for. */
async function measureCold(
  store: Store,
  events: readonly SaleEvent[],
  { encoding, seats }: Hall,
): Promise<Row> {
  const cold_ms: number[] = []
  for (const { id } of events) {
    cold_ms.push(await readListCold(store, { path: seatsPath(id), encoding, entries: seats }))
  }
  return {
    what: `${number(seats)} seats, ${encoding}, cold`,
    latencies: sort(cold_ms),
    goals: [atMost({ value: Math.max(...cold_ms), bound: 200, unit: 'ms' })],
  }
}
