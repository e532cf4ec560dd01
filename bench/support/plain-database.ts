/**
 * What PostgreSQL alone can do of the same, as a measure for what the service adds: 32 connections, each again and again one
 * prepared statement in one round trip, which is a transaction of its own. It inserts an order that is done and makes its
 * tickets sold, in the service's own schema with all its columns, indexes and constraints, on the same PostgreSQL with the same
 * settings, durable as the service's; one such transaction counts as a completed order.
 *
 * It does less than the service must: the order is not created first and completed by a second request, so its rows are written
 * once; there is no ledger, no count of what is left, no promotion, no notification and no kept answer; nothing is asked of the
 * catalog; and each connection takes tickets that no other one wants, so nobody waits and nobody loses. The store it leaves is
 * therefore no valid one: it is a database of its own, dropped afterwards.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { BARCODE_RANDOM_BELOW, formatBarcode } from '../../src/inventory/barcode.ts'
import { newId, shardOf } from '../../src/kernel/ids.ts'
import type { Bench } from './bench.ts'
import { openSale } from './catalog.ts'
import { queryOnce, withConnection } from './query.ts'
import { sort } from './percentiles.ts'
import type { Measured } from './rush.ts'
import type { Target } from './service.ts'
import { usedBetween } from './usage.ts'

const CONNECTIONS = 32
const DATABASE = 'bench_plain'
/** The price of what `openSale` sells and its shares at the terms of its deal, in minor units. */
const PRICE = 350_000
const EXTRA = 14_000
const CHARGE = 332_500
const CODES = 36 ** 8

const SELL = `
WITH sold AS (
  UPDATE tickets
  SET status = 'sold', "order" = $2, price = ${PRICE}, discount = 0, nominal = ${PRICE}, extra = ${EXTRA},
      barcode = CASE id WHEN $3 THEN $5 ELSE $6 END
  WHERE shard = $1 AND id IN ($3, $4) AND status = 'vacant'
  RETURNING id
)
INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency, tickets,
                    price, discount, nominal, extra, charge, expired_after, done_at, code)
SELECT $1, $2, $7, nextval('order_number'), $8, $9, 'api', 'done', $10, 950000, 40000, 'RUB', ARRAY[$3, $4],
       2 * ${PRICE}, 0, 2 * ${PRICE}, 2 * ${EXTRA}, 2 * ${CHARGE}, now() + interval '15 minutes', now(), $11
FROM sold
HAVING count(*) = 2`

/** The service that is started for it only brings the PostgreSQL and is idle meanwhile. */
export function measurePlainDatabase(bench: Bench, { places }: { places: number }): Promise<Measured> {
  return bench.withService(async (service) => {
    await queryOnce(service.database_url, { text: `CREATE DATABASE ${DATABASE}` })
    try {
      return await measureOn(await migrated(service), { ...bench.options, places })
    } finally {
      await queryOnce(service.database_url, { text: `DROP DATABASE ${DATABASE}` })
    }
  }, {})
}

/** The same server, with the service's schema in another database. */
async function migrated(service: Target): Promise<Target> {
  const database_url = service.database_url.replace(/(?<=@[^/]*\/)[^?]+/, DATABASE)
  await service.parterreOn(database_url, ['migrate'])
  return {
    ...service,
    database_url,
    sales: [],
    parterre: (words, input) => service.parterreOn(database_url, words, input),
  }
}

type Measure = { places: number; warmup_s: number; seconds: number }

async function measureOn(target: Target, { places, ...times }: Measure): Promise<Measured> {
  const sale = await openSale(target, [{ set: { places } }])
  const stock = await withConnection(target.database_url, (client) => readStock(client, sale.events[0]!.id))
  const clients = Array.from({ length: CONNECTIONS }, () => {
    return new pg.Client({ connectionString: target.database_url })
  })
  await Promise.all(clients.map((client) => client.connect()))
  try {
    return await sell(clients, { target, stock, ...times })
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

type Terms = { event: string; org: string; vendor: string; deal: string }
type Stock = { terms: Terms; tickets: string[] }

async function readStock(client: pg.Client, event: string): Promise<Stock> {
  // As a server that has run for a while knows its tables.
  await client.query('ANALYZE')
  const terms = await client.query<Terms>(
    'SELECT e.id AS event, d.org, d.vendor, d.id AS deal FROM events e JOIN deals d ON d.org = e.org WHERE e.id = $1',
    [event],
  )
  const tickets = await client.query<{ id: string }>('SELECT id FROM tickets WHERE event = $1 ORDER BY id', [
    event,
  ])
  return { terms: terms.rows[0]!, tickets: tickets.rows.map(({ id }) => id) }
}

type Sell = Omit<Measure, 'places'> & { target: Target; stock: Stock }

async function sell(
  clients: readonly pg.Client[],
  { target, stock: { terms, tickets }, warmup_s, seconds }: Sell,
): Promise<Measured> {
  const { event, org, vendor, deal } = terms
  const shard = shardOf(event)
  const latencies: number[] = []
  const errors = new Map<string, number>()
  let phase: 'before' | 'measured' | 'over' = 'before'
  let next = 0
  const isOver = () => phase === 'over' || next + 2 > tickets.length

  async function sellOne(client: pg.Client): Promise<void> {
    const pair = [tickets[next++]!, tickets[next++]!]
    const barcodes = pair.map(() => formatBarcode(shard, randomInt(BARCODE_RANDOM_BELOW)))
    const order = newId(shard, Date.now())
    const code = randomInt(CODES).toString(36).padStart(8, '0')
    const values = [shard, order, ...pair, ...barcodes, event, org, vendor, deal, code]
    const is_measured = phase === 'measured'
    const sent_at = performance.now()
    const { rowCount } = await client.query({ name: 'sell', text: SELL, values })
    if (is_measured) latencies.push(performance.now() - sent_at)
    if (rowCount !== 1) errors.set('a sale changed no rows', (errors.get('a sale changed no rows') ?? 0) + 1)
  }

  const finished = Promise.all(
    clients.map(async (client) => {
      while (!isOver()) await sellOne(client)
    }),
  )
  await Promise.race([sleep(warmup_s * 1000), finished])
  phase = 'measured'
  const before = { at: performance.now(), usage: target.usage(), cpu: process.cpuUsage() }
  await Promise.race([sleep(seconds * 1000, undefined, { ref: false }), finished])
  phase = 'over'
  const measured_s = (performance.now() - before.at) / 1000
  const { user, system } = process.cpuUsage(before.cpu)
  const usage = usedBetween(before.usage, target.usage())
  await finished
  return {
    first_ms: 0,
    seconds: measured_s,
    is_stopped: false,
    completed: latencies.length,
    refused: 0,
    latencies: new Map([['sell', sort(latencies)]]),
    received_bytes: 0,
    errors,
    usage,
    load_cpu_s: (user + system) / 1e6,
  }
}
