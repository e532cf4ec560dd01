-- name: lock_orders
-- The orders by id and vendor, locked; one that another transaction has is left out. No vendor: the order is to lapse,
-- and is left out when it is not due.
SELECT o.shard, o.id, o.event, o.number, o.org, o.vendor, o.origin, o.status, o.deal, o.org_share, o.extra_share,
       o.currency, o.tickets, o.price, o.discount, o.nominal, o.extra, o.charge, o.expired_after, o.done_at, o.code
FROM orders o
JOIN unnest($2::text[], $3::text[]) AS u(id, vendor) ON o.id = u.id
WHERE o.shard = $1 AND o.id = ANY($2::text[])
  AND CASE WHEN u.vendor IS NOT NULL THEN o.vendor = u.vendor
           ELSE o.status = 'executed' AND o.expired_after <= clock_timestamp() END
FOR UPDATE OF o SKIP LOCKED

-- name: orders_of_vendors
SELECT o.id
FROM orders o
JOIN unnest($2::text[], $3::text[]) AS u(id, vendor) ON o.id = u.id AND o.vendor = u.vendor
WHERE o.shard = $1 AND o.id = ANY($2::text[])

-- name: read_clock
-- The time the batch is judged by, read after its orders are locked, and numbers for its new orders.
SELECT clock_timestamp() AS now,
       ARRAY(SELECT nextval('order_number')::text FROM generate_series(1, $1::integer)) AS numbers

-- name: read_order_code_key
SELECT value FROM platform_settings WHERE name = 'order_code_key'

-- name: insert_orders
INSERT INTO orders (shard, id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency,
                    tickets, price, discount, nominal, extra, charge, expired_after, done_at, code)
SELECT $1, u.id, u.event, u.number, u.org, u.vendor, u.origin, u.status, u.deal, u.org_share, u.extra_share, u.currency,
       u.tickets::text[], u.price, u.discount, u.nominal, u.extra, u.charge, u.expired_after, u.done_at, u.code
FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::integer[], $11::integer[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
            $17::bigint[], $18::bigint[], $19::timestamptz[], $20::timestamptz[], $21::text[])
  AS u(id, event, number, org, vendor, origin, status, deal, org_share, extra_share, currency, tickets, price, discount,
       nominal, extra, charge, expired_after, done_at, code)

-- name: update_orders
-- The condition is the table of states: nothing leaves done, cancelled or expired.
UPDATE orders o
SET status = u.status, deal = u.deal, org_share = u.org_share, extra_share = u.extra_share, tickets = u.tickets::text[],
    price = u.price, discount = u.discount, nominal = u.nominal, extra = u.extra, charge = u.charge,
    done_at = u.done_at, code = u.code
FROM unnest($2::text[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::text[], $8::bigint[], $9::bigint[],
            $10::bigint[], $11::bigint[], $12::bigint[], $13::timestamptz[], $14::text[])
  AS u(id, status, deal, org_share, extra_share, tickets, price, discount, nominal, extra, charge, done_at, code)
WHERE o.shard = $1 AND o.id = ANY($2::text[]) AND o.id = u.id AND o.status IN ('executed', 'in_progress')
