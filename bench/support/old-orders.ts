/** Orders that were sold long ago, written as the service would have left them: `parterre verify` must find nothing to say. */
import type pg from 'pg'
import { shardOf } from '../../src/kernel/ids.ts'
import { orderCode } from '../../src/orders/rules/order-code.ts'
import type { Sale } from './catalog.ts'
import { withConnection } from './query.ts'
import type { Target } from './service.ts'

const TICKETS_AN_ORDER = 2
const EVENTS_AT_A_TIME = 20
const AGE = '30 days'

/**
 * Gives each event of the sale so many completed orders of its first tickets, and counts them as acknowledged; answers how many
 * it made. The sale's prices and shares must be such that no share of a ticket needs rounding.
 */
export function fillWithOldOrders(target: Target, sale: Sale, orders_an_event: number): Promise<number> {
  return withConnection(target.database_url, async (client) => {
    const key = await readCodeKey(client)
    // The statistics know nothing of what was just imported, nor of what is being written.
    await client.query('SET enable_nestloop = off; SET enable_mergejoin = off')
    let made = 0
    for (let nth = 0; nth < sale.events.length; nth += EVENTS_AT_A_TIME) {
      const events = sale.events.slice(nth, nth + EVENTS_AT_A_TIME).map(({ id }) => id)
      await client.query('BEGIN')
      made += await writeOrders(client, { events, orders_an_event, key })
      await client.query('COMMIT')
    }
    sale.acknowledged.orders += made
    sale.acknowledged.tickets += made * TICKETS_AN_ORDER
    return made
  })
}

async function readCodeKey(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM platform_settings WHERE name = 'order_code_key'`,
  )
  return rows[0]!.value
}

type Write = { events: readonly string[]; orders_an_event: number; key: string }

async function writeOrders(client: pg.Client, { events, orders_an_event, key }: Write): Promise<number> {
  const count = events.length * orders_an_event
  // Codes are those of the numbers: any others could be given again to orders to come.
  const { rows } = await client.query<{ first: string }>(
    `SELECT setval('order_number', nextval('order_number') + $1::integer - 1) - $1::integer + 1 AS first`,
    [count],
  )
  const first = Number(rows[0]!.first)
  const codes = Array.from({ length: count }, (_, nth) => orderCode(first + nth, key))
  const shards = events.map(shardOf)
  await client.query(INSERT_ORDERS, [shards, events, orders_an_event, first, codes])
  await client.query(SELL_TICKETS, [shards, events])
  await client.query(COUNT_SOLD, [shards, events, orders_an_event * TICKETS_AN_ORDER])
  await client.query(MOVE_MONEY, [shards, events])
  return count
}

/** The nth order of an event has its tickets 2n and 2n + 1, counted from 0. The shard is digits 9 to 12 of every id. */
const INSERT_ORDERS = `
WITH sold AS (
  SELECT t.shard, t.event, t."set", t.nth / ${TICKETS_AN_ORDER} AS nth, array_agg(t.id ORDER BY t.nth) AS tickets
  FROM (SELECT shard, event, "set", id, row_number() OVER (PARTITION BY event ORDER BY id) - 1 AS nth
        FROM tickets WHERE shard = ANY ($1::smallint[]) AND event = ANY ($2::text[])) t
  WHERE t.nth < ${TICKETS_AN_ORDER} * $3::integer
  GROUP BY t.shard, t.event, t."set", t.nth / ${TICKETS_AN_ORDER}
), numbered AS (
  SELECT sold.*, row_number() OVER (ORDER BY nth, event) AS place,
         date_trunc('second', now() - interval '${AGE}') + nth * interval '1 second' AS created_at
  FROM sold
)
INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency, tickets,
                    price, discount, nominal, extra, charge, expired_after, done_at, code)
SELECT o.shard,
       lpad(to_hex(extract(epoch FROM o.created_at)::bigint), 8, '0') || substr(o.event, 9, 4) || '01d000'
         || lpad(to_hex(o.nth), 6, '0'),
       o.event, $4::bigint + o.place - 1, e.org, d.vendor, 'api', 'done', d.id, d.org_share, d.extra, e.currency, o.tickets,
       cardinality(o.tickets) * s.price, 0, cardinality(o.tickets) * s.price,
       cardinality(o.tickets) * (s.price * d.extra / 1000000), cardinality(o.tickets) * (s.price * d.org_share / 1000000),
       o.created_at + interval '15 minutes', o.created_at + interval '1 minute', c.code
FROM numbered o
JOIN unnest($5::text[]) WITH ORDINALITY AS c (code, place) ON c.place = o.place
JOIN events e ON e.shard = o.shard AND e.id = o.event
JOIN sets s ON s.shard = o.shard AND s.id = o."set"
JOIN deals d ON d.org = e.org`

/** The barcodes' digits: multiplied by a number without a common factor, the tickets' numbers stay distinct. */
const SELL_TICKETS = `
UPDATE tickets t
SET status = 'sold', "order" = o.id, price = o.price, discount = 0, nominal = o.price, extra = o.extra,
    barcode = (10000 + (t.shard & 65535))::text || lpad((t.number::bigint * 387420489 % 1000000000000)::text, 12, '0')
FROM (SELECT shard, id, unnest(tickets) AS ticket,
             price / cardinality(tickets) AS price, extra / cardinality(tickets) AS extra
      FROM orders WHERE shard = ANY ($1::smallint[]) AND event = ANY ($2::text[])) o
WHERE t.shard = ANY ($1::smallint[]) AND t.shard = o.shard AND t.id = o.ticket`

const COUNT_SOLD = `
UPDATE set_counts SET vacant = vacant - $3, sold = sold + $3
WHERE shard = ANY ($1::smallint[]) AND event = ANY ($2::text[])`

const MOVE_MONEY = `
WITH moved AS (
  INSERT INTO transfers (debit_account, kind, ref, credit_account, amount, created_at)
  SELECT v.id, 'sale', o.id, r.id, o.charge, o.done_at
  FROM orders o
  JOIN accounts v ON v.partner = o.vendor AND v.kind = 'vendor' AND v.currency = o.currency
  JOIN accounts r ON r.partner = o.org AND r.kind = 'org' AND r.currency = o.currency
  WHERE o.shard = ANY ($1::smallint[]) AND o.event = ANY ($2::text[])
  RETURNING debit_account, credit_account, amount
)
UPDATE accounts a
SET balance = a.balance + due.amount
FROM (SELECT account, sum(amount) AS amount
      FROM (SELECT credit_account AS account, amount FROM moved
            UNION ALL
            SELECT debit_account, -amount FROM moved) m
      GROUP BY account) due
WHERE a.id = due.account`
