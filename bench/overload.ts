/**
 * More buyers than a slow database serves. Now and then it stands still: the row that counts the event's tickets is locked from
 * outside, as by a disk that hangs. Who is refused comes again after the time that Retry-After names.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Scenario } from './support/bench.ts'
import { COMPLETION, ORDERS, readDone, readHeld, wish } from './support/buy.ts'
import { openSale } from './support/catalog.ts'
import type { Answer } from './support/client.ts'
import { withConnection } from './support/query.ts'
import { atMost, must, number, p99, rowOf, type Row } from './support/rows.ts'
import { rush, type Buyer } from './support/rush.ts'
import type { Target } from './support/service.ts'

const FULL = { clients: 2000, places: 200_000 }
const QUICK = { clients: 200, places: 20_000 }
const TICKETS_AN_ORDER = 2

/** How long the database stands still, and how long it runs in between. */
const STANDSTILL_MS = 200
const RUNNING_MS = 20

const RETRY_AFTER_MS = 1000
const ADMITTED = 'admitted'
const REFUSED = 'refused'

export const overload: Scenario = {
  name: 'overload',
  summary: '2,000 clients buy of one event while the database stands still most of the time',
  run: (bench) => bench.withService((target) => run(bench, target)),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { seconds, warmup_s, quick } = options
  const { clients, places } = quick ? QUICK : FULL
  const sale = await openSale(target, [{ set: { places } }])
  const event = sale.events[0]!
  const body = wish(event, TICKETS_AN_ORDER)
  const slowing = new AbortController()
  const slow = standStillAgainAndAgain(target, event.set, slowing.signal)
  const stopping = setTimeout(() => slowing.abort(), (seconds + warmup_s) * 1000)
  const measured = await rush({ target, sale, clients, seconds, warmup_s }, async (buyer) => {
    const held = readHeld(buyer, 'POST', await untilAdmitted(buyer, { method: 'POST', path: ORDERS, body }))
    if (held === undefined) return
    if (held.tickets < TICKETS_AN_ORDER) buyer.refused()
    if (held.tickets === 0) return
    const completion = { method: 'PATCH', path: `${ORDERS}/${held.id}`, body: COMPLETION }
    readDone(buyer, await untilAdmitted(buyer, completion), held.tickets)
  }).finally(() => {
    clearTimeout(stopping)
    slowing.abort()
  })
  await slow
  const refusals = measured.latencies.get(REFUSED) ?? []
  return [
    rowOf('admitted requests', measured, {
      per: 'request',
      kinds: [ADMITTED],
      goals: [
        atMost({
          what: 'p99',
          value: p99(measured, [ADMITTED]),
          bound: 1000,
          unit: 'ms',
        }),
        atMost({ what: 'memory', value: measured.usage?.service_peak_mb, bound: 400, unit: 'MB' }),
        must('no answer but 200 and 503', measured.errors.size === 0),
      ],
      notes: [
        `${number(measured.completed)} orders were completed, ${number(refusals.length)} requests refused with 503`,
      ],
    }),
    ...(refusals.length > 0
      ? [rowOf('refused requests', measured, { per: 'request', kinds: [REFUSED] })]
      : []),
  ]
}

type Asked = { method: string; path: string; body: string }

async function untilAdmitted(buyer: Buyer, { method, path, body }: Asked): Promise<Answer> {
  for (;;) {
    const answer = await buyer.send(({ status }) => (status === 503 ? REFUSED : ADMITTED), method, path, body)
    if (answer.status !== 503) return answer
    // Not all at the same moment.
    await sleep(RETRY_AFTER_MS * (0.5 + Math.random()))
  }
}

async function standStillAgainAndAgain(target: Target, set: string, signal: AbortSignal): Promise<void> {
  await withConnection(target.database_url, async (client) => {
    while (!signal.aborted) {
      await client.query('BEGIN')
      await client.query('SELECT FROM set_counts WHERE "set" = $1 FOR UPDATE', [set])
      await sleep(STANDSTILL_MS)
      await client.query('COMMIT')
      await sleep(RUNNING_MS)
    }
  })
}
