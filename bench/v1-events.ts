/** Pages of the events' listing while their tickets sell. */
import type { Bench, Options, Scenario } from './support/bench.ts'
import { openSale } from './support/catalog.ts'
import type { Encoding } from './support/client.ts'
import { describeSize, ENCODINGS, readList, readListAgain, type Store } from './support/lists.ts'
import { paceSales } from './support/pace-sales.ts'
import { atLeast, requestRate, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

const FULL = { events: 400, page_size: 200, places: 500 }
const QUICK = { events: 40, page_size: 20, places: 500 }
const PAGES = [1, 2]
const KIND = 'GET events'

export const v1Events: Scenario = {
  name: 'v1-events',
  summary: 'all clients list 400 events, 200 a page, while they sell; compressed, then not',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { events, page_size, places } = options.quick ? QUICK : FULL
  const sale = await openSale(
    target,
    Array.from({ length: events }, () => ({ set: { places } })),
  )
  const rows: Row[] = []
  for (const encoding of ENCODINGS) {
    rows.push(...(await measure(options, { target, sale }, { encoding, page_size })))
  }
  return rows
}

async function measure(
  { clients, seconds, warmup_s }: Options,
  store: Store,
  { encoding, page_size }: { encoding: Encoding; page_size: number },
): Promise<Row[]> {
  const pages = await Promise.all(
    PAGES.map((page) => {
      const path = `/v1/services/simple/events?page=${page}&page_size=${page_size}`
      return readList(store, { path, encoding, entries: page_size })
    }),
  )
  const selling = paceSales({ ...store, seconds, warmup_s }, ...store.sale.events)
  let next = 0
  const reading = rush({ ...store, clients, seconds, warmup_s }, (buyer) =>
    readListAgain(buyer, KIND, pages[next++ % pages.length]!),
  )
  const [sold, read] = await Promise.all([selling, reading])
  return [
    rowOf(`${page_size} a page, ${encoding}: pages`, read, {
      per: 'request',
      goals: [atLeast({ value: requestRate(read), bound: 300, unit: 'a second' })],
      notes: [describeSize(read), 'the CPU includes that of the sale meanwhile'],
    }),
    { ...rowOf('orders meanwhile', sold), cpu_ms: undefined },
  ]
}
