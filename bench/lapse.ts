/** The buyers of a bot, or of a failed payment service: a great many unpaid orders end in one second while others go on buying. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { shardOf } from '../src/kernel/ids.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { buy, wish } from './support/buy.ts'
import { openSale, type SaleEvent } from './support/catalog.ts'
import { withConnection } from './support/query.ts'
import { atMost, number, p99, rowOf, type Row } from './support/rows.ts'
import { rush } from './support/rush.ts'
import type { Target } from './support/service.ts'

/** `lead_s` is enough to write the orders before they end; what is left of it warms the sale up. */
const FULL = { orders: 100_000, places: 400_000, lead_s: 20, limit_s: 120 }
const QUICK = { orders: 2_000, places: 20_000, lead_s: 3, limit_s: 30 }
const TICKETS_AN_ORDER = 2
const LOOK_EVERY_MS = 100

export const lapse: Scenario = {
  name: 'lapse',
  summary: '100,000 unpaid orders end in the same second while all clients buy tickets of the same set',
  needs_own_services: true,
  // A store of its own, in which no service knows the event before its tickets are held.
  run: (bench) => bench.withService((target) => run(bench, target), {}),
}

async function run({ options }: Bench, target: Target): Promise<Row[]> {
  const { orders, places, lead_s, limit_s } = options.quick ? QUICK : FULL
  const sale = await openSale(target, [{ set: { places } }])
  const event = sale.events[0]!
  const { clients } = options
  return withConnection(target.database_url, async (client) => {
    const ends_at = await holdOrders(client, event, { orders, lead_s })
    const left_s = (ends_at - Date.now()) / 1000
    if (left_s < 0) throw new Error(`the orders were not written within ${lead_s} s`)
    let all_back_at: number | undefined
    const looking = awaitAllBack(client, event, {
      ends_at,
      limit_s,
      buyers_hold: clients * TICKETS_AN_ORDER,
    }).then((at) => (all_back_at = at))
    const body = wish(event, TICKETS_AN_ORDER)
    const selling = rush({ target, sale, clients, warmup_s: left_s, seconds: limit_s }, async (buyer) => {
      await buy(buyer, body, TICKETS_AN_ORDER)
      if (all_back_at !== undefined) buyer.stop()
    })
    const [measured] = await Promise.all([selling, looking])
    const lapsed_s = all_back_at === undefined ? undefined : (all_back_at - ends_at) / 1000
    return [
      rowOf('orders meanwhile', measured, {
        per: 'order',
        goals: [
          atMost({ what: `${number(orders)} orders back on sale in`, value: lapsed_s, bound: 15, unit: 's' }),
          atMost({ what: 'p99', value: p99(measured), bound: 250, unit: 'ms' }),
        ],
      }),
    ]
  })
}

/** Writes unpaid orders of one ticket each as the service would have; answers when they end, epoch milliseconds. */
async function holdOrders(
  client: pg.Client,
  { id, set }: SaleEvent,
  { orders, lead_s }: { orders: number; lead_s: number },
): Promise<number> {
  await client.query('BEGIN')
  // The statistics know nothing of what was just imported, nor of what is being written.
  await client.query('SET LOCAL enable_nestloop = off')
  const { rows } = await client.query<{ ends_at: Date }>(
    `SELECT date_trunc('second', clock_timestamp()) + $1::integer * interval '1 second' AS ends_at`,
    [lead_s],
  )
  const { ends_at } = rows[0]!
  const shard = shardOf(id)
  // The shard is digits 9 to 12 of every id; the fee of 4 % of a whole price needs no rounding.
  await client.query(
    `INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency,
                         tickets, price, discount, nominal, extra, charge, expired_after)
     SELECT t.shard, lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0') || substr(t.event, 9, 4) || 'be0000'
                     || lpad(to_hex(t.number), 6, '0'),
            t.event, nextval('order_number'), e.org, d.vendor, 'api', 'executed', d.id, d.org_share, d.extra, e.currency,
            ARRAY[t.id], s.price, 0, s.price, s.price * d.extra / 1000000, 0, $4
     FROM tickets t
     JOIN sets s ON s.shard = t.shard AND s.id = t."set"
     JOIN events e ON e.shard = t.shard AND e.id = t.event
     JOIN deals d ON d.org = e.org
     WHERE t.shard = $1 AND t.event = $2
     ORDER BY t.id
     LIMIT $3`,
    [shard, id, orders, ends_at],
  )
  await client.query(
    `UPDATE tickets t
     SET status = 'reserved', "order" = o.id, reserved_till = o.expired_after,
         price = o.price, discount = o.discount, nominal = o.nominal, extra = o.extra
     FROM orders o
     WHERE o.shard = $1 AND o.event = $2 AND t.shard = $1 AND t.id = o.tickets[1]`,
    [shard, id],
  )
  await client.query(
    'UPDATE set_counts SET vacant = vacant - $3, held = held + $3 WHERE shard = $1 AND "set" = $2',
    [shard, set, orders],
  )
  await client.query('COMMIT')
  return ends_at.getTime()
}

type Awaited = { ends_at: number; limit_s: number; buyers_hold: number }

/** When the last of the orders was seen to have ended, epoch milliseconds; undefined when it takes too long. */
async function awaitAllBack(
  client: pg.Client,
  { set }: SaleEvent,
  { ends_at, limit_s, buyers_hold }: Awaited,
): Promise<number | undefined> {
  await sleep(ends_at - Date.now())
  while (Date.now() < ends_at + limit_s * 1000) {
    // Orders are searched for only when about as much is held as the buyers hold: the search is not for nothing.
    const { rows } = await client.query<{ all_back: boolean }>(
      `SELECT CASE WHEN held <= $2
                   THEN NOT EXISTS (SELECT FROM orders WHERE status = 'executed' AND expired_after = $3)
                   ELSE false END AS all_back
       FROM set_counts WHERE "set" = $1`,
      [set, buyers_hold, new Date(ends_at)],
    )
    if (rows[0]!.all_back) return Date.now()
    await sleep(LOOK_EVERY_MS)
  }
  return undefined
}
