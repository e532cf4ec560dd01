-- Statements over records of several shards find them by LATERAL index lookups, in the order of the parameters; what is
-- written is locked so, again if it was before, and found by its place in the table (ctid). Nothing else
-- can be chosen with the settings of the desk's sessions, whatever the statistics (ARCHITECTURE.md, Plans are pinned);
-- (vendor = ...) IS TRUE, so that the index of the vendor's orders cannot.

-- name: lock_orders
-- The orders by id and vendor, locked; one that another transaction has is left out. No vendor: the order is to lapse,
-- and is left out when it is not due.
SELECT locked.*
FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(shard, id, vendor)
CROSS JOIN LATERAL (
  SELECT o.shard, o.id, o.event, o.number, o.org, o.vendor, o.origin, o.status, o.deal, o.org_share, o.extra_share,
         o.currency, o.tickets, o.price, o.discount, o.nominal, o.extra, o.charge, o.expired_after, o.done_at, o.code,
         o.promocodes, o.promokey, o.settings, o.vendor_data, o.custom_fields, o.payment_till
  FROM orders o
  WHERE o.shard = u.shard AND o.id = u.id
    AND CASE WHEN u.vendor IS NOT NULL THEN o.vendor = u.vendor
             ELSE (o.status = 'executed' AND o.expired_after <= clock_timestamp())
               OR (o.status = 'in_progress' AND o.payment_till <= clock_timestamp()) END
  FOR UPDATE OF o SKIP LOCKED) AS locked

-- name: lock_recent_orders
-- The same for orders that the process remembers, and whether their rows are as it remembers them.
SELECT locked.*
FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) AS u(shard, id, vendor, version)
CROSS JOIN LATERAL (
  SELECT o.id, u.version IS NOT NULL AND o.xmin::text = u.version AS is_same
  FROM orders o
  WHERE o.shard = u.shard AND o.id = u.id AND (o.vendor = u.vendor) IS TRUE
  FOR UPDATE OF o SKIP LOCKED) AS locked

-- name: orders_of_vendors
SELECT own.id
FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(shard, id, vendor)
CROSS JOIN LATERAL (
  SELECT o.id FROM orders o
  WHERE o.shard = u.shard AND o.id = u.id AND (o.vendor = u.vendor) IS TRUE
  OFFSET 0) AS own

-- name: read_clock
-- The time the batch is judged by, read after its orders are locked, the version of the rows it writes, and numbers for new
-- orders, its own and later ones. $2: null; or, of a batch that was judged by the time the process took it to be, until when that
-- is good enough: it fails by a division by zero when that is over.
SELECT clock_timestamp() AS now,
       pg_current_xact_id()::xid::text AS version,
       ARRAY(SELECT nextval('order_number')::text FROM generate_series(1, $1::integer)) AS numbers,
       1 / ($2::timestamptz IS NULL OR clock_timestamp() <= $2::timestamptz)::integer AS is_good_enough

-- name: check_versions
-- Fails by a division by zero unless the orders have these versions.
SELECT 1 / (count(*) = cardinality($2::text[]))::integer
FROM unnest($1::smallint[], $2::text[], $3::text[]) AS u(shard, id, version)
CROSS JOIN LATERAL (
  SELECT FROM orders o WHERE o.shard = u.shard AND o.id = u.id AND o.xmin::text = u.version OFFSET 0) AS same

-- name: read_order_code_key
SELECT value FROM platform_settings WHERE name = 'order_code_key'

-- name: insert_orders
INSERT INTO orders (shard, id, event, number, org, vendor, origin, currency, expired_after, status, deal, org_share,
                    extra_share, tickets, price, discount, nominal, extra, charge, done_at, code, promocodes, promokey,
                    settings, vendor_data, custom_fields, payment_till)
SELECT u.shard, u.id, u.event, u.number, u.org, u.vendor, u.origin, u.currency, u.expired_after, u.status, u.deal, u.org_share,
       u.extra_share, u.tickets::text[], u.price, u.discount, u.nominal, u.extra, u.charge, u.done_at, u.code,
       u.promocodes::text[], u.promokey, u.settings, u.vendor_data, u.custom_fields, u.payment_till
FROM unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::text[],
            $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::timestamptz[], $15::text[],
            $16::text[], $17::text[], $18::jsonb[], $19::jsonb[], $20::jsonb[], $21::timestamptz[], $22::text[],
            $23::bigint[], $24::text[], $25::text[], $26::text[], $27::text[])
  AS u(shard, id, expired_after, status, deal, org_share, extra_share, tickets, price, discount, nominal, extra, charge,
       done_at, code, promocodes, promokey, settings, vendor_data, custom_fields, payment_till, event, number, org, vendor,
       origin, currency)

-- name: update_orders
-- The condition is the table of states: nothing leaves done or cancelled, and expired only what a late payment completes.
-- It fails by a division by zero unless it changes all the orders. version: null, or what the row must still have; an order that
-- another transaction has is not waited for.
WITH u AS MATERIALIZED (
  SELECT n.*, locked.place
  FROM unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[], $7::integer[],
              $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::timestamptz[],
              $15::text[], $16::text[], $17::text[], $18::jsonb[], $19::jsonb[], $20::jsonb[], $21::timestamptz[], $22::text[])
    AS n(shard, id, expired_after, status, deal, org_share, extra_share, tickets, price, discount, nominal, extra, charge,
         done_at, code, promocodes, promokey, settings, vendor_data, custom_fields, payment_till, version)
  CROSS JOIN LATERAL (
    SELECT o.ctid AS place FROM orders o
    WHERE o.shard = n.shard AND o.id = n.id AND (n.version IS NULL OR o.xmin::text = n.version)
    FOR UPDATE OF o SKIP LOCKED) AS locked
), changed AS (
  UPDATE orders o
  SET expired_after = u.expired_after, status = u.status, deal = u.deal, org_share = u.org_share,
      extra_share = u.extra_share, tickets = u.tickets::text[], price = u.price, discount = u.discount,
      nominal = u.nominal, extra = u.extra, charge = u.charge, done_at = u.done_at, code = u.code,
      promocodes = u.promocodes::text[], promokey = u.promokey, settings = u.settings, vendor_data = u.vendor_data,
      custom_fields = u.custom_fields, payment_till = u.payment_till
  FROM u
  WHERE o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND o.id = u.id
    AND (o.status IN ('executed', 'in_progress') OR (o.status = 'expired' AND u.status = 'done'))
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed

-- name: complete_orders
-- The same for orders of which nothing changes but that they are done, as most are. Their state is compared with a column, since
-- with the constant the planner would take the index of unpaid orders.
WITH u AS MATERIALIZED (
  SELECT n.*, locked.place, 'executed' AS before
  FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::text[], $5::text[]) AS n(shard, id, charge, code, version)
  CROSS JOIN LATERAL (
    SELECT o.ctid AS place FROM orders o
    WHERE o.shard = n.shard AND o.id = n.id AND (n.version IS NULL OR o.xmin::text = n.version)
    FOR UPDATE OF o SKIP LOCKED) AS locked
), changed AS (
  UPDATE orders o
  SET status = 'done', charge = u.charge, done_at = $6, code = u.code
  FROM u
  WHERE o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND o.id = u.id AND o.status = u.before
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed

-- name: end_orders
-- The same for orders that end unpaid and of which else nothing changes: they hold nothing any more.
WITH u AS MATERIALIZED (
  SELECT n.*, locked.place, ARRAY['executed', 'in_progress'] AS before
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) AS n(shard, id, status, version)
  CROSS JOIN LATERAL (
    SELECT o.ctid AS place FROM orders o
    WHERE o.shard = n.shard AND o.id = n.id AND (n.version IS NULL OR o.xmin::text = n.version)
    FOR UPDATE OF o SKIP LOCKED) AS locked
), changed AS (
  UPDATE orders o
  SET status = u.status, tickets = '{}', price = 0, discount = 0, nominal = 0, extra = 0, payment_till = NULL
  FROM u
  WHERE o.ctid = ANY(ARRAY(SELECT place FROM u)) AND o.ctid = u.place AND o.id = u.id AND o.status = ANY(u.before)
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed
