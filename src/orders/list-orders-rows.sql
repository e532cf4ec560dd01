-- Of the parameters, everywhere: $1 the partner, $2 and $3 the ids: below the one, from the other on. A seller's and an
-- organizer's orders are two branches, so that each is read from its own index in the order of ids, and merged. The status
-- is that of rules/order-state by the clock.

-- name: read_clock
-- And whether the partner organizes events.
SELECT clock_timestamp() AS now, EXISTS (SELECT FROM events e WHERE e.org = $1) AS organizes

-- name: ids_of_seller
-- Reads nothing but the index, so that passing over many rows is cheap.
SELECT o.id
FROM orders o
WHERE o.vendor = $1 AND o.id < $2 AND o.id >= $3
ORDER BY o.id DESC
LIMIT $4 OFFSET $5

-- name: ids_of_partner
-- Nothing but indexes here either. Without its LIMIT a branch would be sorted as a whole.
SELECT o.id
FROM ((SELECT v.id
       FROM orders v
       WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
       ORDER BY v.id DESC
       LIMIT $4::bigint + $5::bigint)
      UNION ALL
      (SELECT g.id
       FROM orders g
       WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3
       ORDER BY g.id DESC
       LIMIT $4::bigint + $5::bigint)) o
ORDER BY o.id DESC
LIMIT $4 OFFSET $5

-- name: ids_of_partner_filtered
-- $6: null or statuses; $7: only with a customer; $8: now.
SELECT o.id
FROM ((SELECT v.id
       FROM orders v
       WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
         AND ($6::text[] IS NULL
              OR CASE WHEN (v.status = 'executed' AND v.expired_after <= $8) OR (v.status = 'in_progress' AND v.payment_till <= $8) THEN 'expired' ELSE v.status END = ANY($6))
         AND (NOT $7::boolean OR v.settings -> 'customer' <> '{}')
       ORDER BY v.id DESC
       LIMIT $4::bigint + $5::bigint)
      UNION ALL
      (SELECT g.id
       FROM orders g
       WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3
         AND ($6::text[] IS NULL
              OR CASE WHEN (g.status = 'executed' AND g.expired_after <= $8) OR (g.status = 'in_progress' AND g.payment_till <= $8) THEN 'expired' ELSE g.status END = ANY($6))
         AND (NOT $7::boolean OR g.settings -> 'customer' <> '{}')
       ORDER BY g.id DESC
       LIMIT $4::bigint + $5::bigint)) o
ORDER BY o.id DESC
LIMIT $4 OFFSET $5

-- name: ids_of_events
-- $6 to $8 as above; $9, $10: the shards and the ids of the events. From each shard no more than can be on the page.
SELECT o.id
FROM unnest($9::smallint[]) AS u(shard)
CROSS JOIN LATERAL (
  SELECT e.id
  FROM orders e
  WHERE e.shard = u.shard AND e.id < $2 AND e.id >= $3 AND e.event = ANY($10::text[]) AND $1 IN (e.vendor, e.org)
    AND ($6::text[] IS NULL
         OR CASE WHEN (e.status = 'executed' AND e.expired_after <= $8) OR (e.status = 'in_progress' AND e.payment_till <= $8) THEN 'expired' ELSE e.status END = ANY($6))
    AND (NOT $7::boolean OR e.settings -> 'customer' <> '{}')
  ORDER BY e.id DESC
  LIMIT $4::bigint + $5::bigint) o
ORDER BY o.id DESC
LIMIT $4 OFFSET $5

-- name: count_of_partner
-- $4: how many are below this id is counted too.
SELECT count(*) FILTER (WHERE o.id < $4) AS settled, count(*) AS total
FROM (SELECT v.id FROM orders v WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
      UNION ALL
      SELECT g.id FROM orders g WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3) o

-- name: count_of_partner_filtered
-- $4 to $6: as $6 to $8 of ids_of_partner_filtered.
SELECT count(*) AS total
FROM (SELECT v.status, v.expired_after, v.payment_till, v.settings
      FROM orders v WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
      UNION ALL
      SELECT g.status, g.expired_after, g.payment_till, g.settings
      FROM orders g WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3) o
WHERE ($4::text[] IS NULL
       OR CASE WHEN (o.status = 'executed' AND o.expired_after <= $6) OR (o.status = 'in_progress' AND o.payment_till <= $6) THEN 'expired' ELSE o.status END = ANY($4))
  AND (NOT $5::boolean OR o.settings -> 'customer' <> '{}')

-- name: count_of_events
-- $4: as in count_of_partner; $5, $6: the shards and the ids of the events.
SELECT count(*) FILTER (WHERE o.id < $4) AS settled, count(*) AS total
FROM orders o
WHERE o.shard = ANY($5::smallint[]) AND o.id < $2 AND o.id >= $3 AND o.event = ANY($6::text[]) AND $1 IN (o.vendor, o.org)

-- name: count_of_events_filtered
-- $4 to $6: as in count_of_partner_filtered; $7, $8: the shards and the ids of the events.
SELECT count(*) AS total
FROM orders o
WHERE o.shard = ANY($7::smallint[]) AND o.id < $2 AND o.id >= $3 AND o.event = ANY($8::text[]) AND $1 IN (o.vendor, o.org)
  AND ($4::text[] IS NULL
       OR CASE WHEN (o.status = 'executed' AND o.expired_after <= $6) OR (o.status = 'in_progress' AND o.payment_till <= $6) THEN 'expired' ELSE o.status END = ANY($4))
  AND (NOT $5::boolean OR o.settings -> 'customer' <> '{}')

-- name: orders_by_ids
SELECT o.shard, o.id, o.event, o.number, o.org, o.vendor, o.origin, o.status, o.deal, o.org_share, o.extra_share,
       o.currency, o.tickets, o.price, o.discount, o.nominal, o.extra, o.charge, o.expired_after, o.done_at, o.code,
       o.promocodes, o.promokey, o.settings, o.vendor_data, o.custom_fields, o.payment_till
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
JOIN orders o ON o.shard = u.shard AND o.id = u.id
ORDER BY o.id DESC
