-- Of the parameters, everywhere: $1 the partner, $2 and $3 the ids: below the one, from the other on. A seller's and an
-- organizer's orders are two branches, so that each is read from its own index. The status is that of rules/order-state by
-- the clock: an order that is stored as expired, or as open though its time is over, is expired.

-- name: read_clock
SELECT clock_timestamp() AS now

-- name: ids_of_partner
-- $6: statuses; $7: only with a customer; $8: now. Each status is read from the index in the order of ids, no further than the merge
-- goes; without its LIMIT a branch would be sorted as a whole. Open orders come last, and only as far down as the page of the
-- others goes: every sale leaves an entry of theirs behind, which the index keeps until a vacuum. The six branches of ended orders
-- are written out, since a LATERAL over their statuses is read to the end of each LIMIT, and sorted.
WITH ended AS MATERIALIZED (
  SELECT o.id
  FROM ((SELECT v.id FROM orders v
         WHERE 'done' = ANY($6::text[]) AND v.vendor = $1 AND v.status = 'done' AND v.id < $2 AND v.id >= $3
           AND (NOT $7::boolean OR v.settings -> 'customer' <> '{}')
         ORDER BY v.id DESC LIMIT $4::bigint + $5::bigint)
        UNION ALL
        (SELECT g.id FROM orders g
         WHERE 'done' = ANY($6) AND g.org = $1 AND g.vendor <> $1 AND g.status = 'done' AND g.id < $2 AND g.id >= $3
           AND (NOT $7::boolean OR g.settings -> 'customer' <> '{}')
         ORDER BY g.id DESC LIMIT $4::bigint + $5::bigint)
        UNION ALL
        (SELECT v.id FROM orders v
         WHERE 'cancelled' = ANY($6) AND v.vendor = $1 AND v.status = 'cancelled' AND v.id < $2 AND v.id >= $3
           AND (NOT $7::boolean OR v.settings -> 'customer' <> '{}')
         ORDER BY v.id DESC LIMIT $4::bigint + $5::bigint)
        UNION ALL
        (SELECT g.id FROM orders g
         WHERE 'cancelled' = ANY($6) AND g.org = $1 AND g.vendor <> $1 AND g.status = 'cancelled' AND g.id < $2 AND g.id >= $3
           AND (NOT $7::boolean OR g.settings -> 'customer' <> '{}')
         ORDER BY g.id DESC LIMIT $4::bigint + $5::bigint)
        UNION ALL
        (SELECT v.id FROM orders v
         WHERE 'expired' = ANY($6) AND v.vendor = $1 AND v.status = 'expired' AND v.id < $2 AND v.id >= $3
           AND (NOT $7::boolean OR v.settings -> 'customer' <> '{}')
         ORDER BY v.id DESC LIMIT $4::bigint + $5::bigint)
        UNION ALL
        (SELECT g.id FROM orders g
         WHERE 'expired' = ANY($6) AND g.org = $1 AND g.vendor <> $1 AND g.status = 'expired' AND g.id < $2 AND g.id >= $3
           AND (NOT $7::boolean OR g.settings -> 'customer' <> '{}')
         ORDER BY g.id DESC LIMIT $4::bigint + $5::bigint)) o
  ORDER BY o.id DESC
  LIMIT $4::bigint + $5::bigint
), floor AS (
  SELECT CASE WHEN count(*) < $4::bigint + $5::bigint THEN $3 ELSE min(e.id) END AS id FROM ended e
)
SELECT o.id
FROM (SELECT e.id FROM ended e
      UNION ALL
      SELECT p.id
      FROM floor f, unnest('{executed,in_progress}'::text[]) AS s(status)
      CROSS JOIN LATERAL (
        (SELECT v.id FROM orders v
         WHERE $6 && '{executed,in_progress,expired}' AND v.vendor = $1 AND v.status = s.status AND v.id < $2 AND v.id >= f.id
           AND CASE WHEN (v.status = 'executed' AND v.expired_after <= $8) OR (v.status = 'in_progress' AND v.payment_till <= $8) THEN 'expired' ELSE v.status END = ANY($6)
           AND (NOT $7::boolean OR v.settings -> 'customer' <> '{}')
         ORDER BY v.id DESC LIMIT $4::bigint + $5::bigint)
        UNION ALL
        (SELECT g.id FROM orders g
         WHERE $6 && '{executed,in_progress,expired}' AND g.org = $1 AND g.vendor <> $1 AND g.status = s.status AND g.id < $2 AND g.id >= f.id
           AND CASE WHEN (g.status = 'executed' AND g.expired_after <= $8) OR (g.status = 'in_progress' AND g.payment_till <= $8) THEN 'expired' ELSE g.status END = ANY($6)
           AND (NOT $7::boolean OR g.settings -> 'customer' <> '{}')
         ORDER BY g.id DESC LIMIT $4::bigint + $5::bigint)) p) o
ORDER BY o.id DESC
LIMIT $4 OFFSET $5

-- name: ids_of_events
-- $6: null or statuses; $7, $8 as above; $9, $10: the shards and the ids of the events. From each shard no more than can be on the page.
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
-- $4: how many are below this id is counted too. All statuses are named, so that the index is read from $3 on in each.
SELECT count(*) FILTER (WHERE o.id < $4) AS settled, count(*) AS total
FROM (SELECT v.id FROM orders v
      WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
        AND v.status IN ('executed', 'in_progress', 'done', 'cancelled', 'expired')
      UNION ALL
      SELECT g.id FROM orders g
      WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3
        AND g.status IN ('executed', 'in_progress', 'done', 'cancelled', 'expired')) o

-- name: count_of_partner_by_status
-- $4: statuses; $5: now. Of ended orders nothing but the index is read, of open ones the rows, which have their times.
SELECT count(*) AS total
FROM (SELECT FROM orders v
      WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
        AND v.status = ANY($4::text[]) AND v.status IN ('done', 'cancelled', 'expired')
      UNION ALL
      SELECT FROM orders g
      WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3
        AND g.status = ANY($4) AND g.status IN ('done', 'cancelled', 'expired')
      UNION ALL
      SELECT FROM orders v
      WHERE $4 && '{executed,in_progress,expired}' AND v.vendor = $1 AND v.id < $2 AND v.id >= $3
        AND v.status IN ('executed', 'in_progress')
        AND CASE WHEN (v.status = 'executed' AND v.expired_after <= $5) OR (v.status = 'in_progress' AND v.payment_till <= $5) THEN 'expired' ELSE v.status END = ANY($4)
      UNION ALL
      SELECT FROM orders g
      WHERE $4 && '{executed,in_progress,expired}' AND g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3
        AND g.status IN ('executed', 'in_progress')
        AND CASE WHEN (g.status = 'executed' AND g.expired_after <= $5) OR (g.status = 'in_progress' AND g.payment_till <= $5) THEN 'expired' ELSE g.status END = ANY($4)) o

-- name: count_of_partner_with_customer
-- $4: statuses; $5: now. A statement of its own, since a customer is nowhere but in the row.
SELECT count(*) AS total
FROM (SELECT v.status, v.expired_after, v.payment_till, v.settings
      FROM orders v
      WHERE v.vendor = $1 AND v.id < $2 AND v.id >= $3
        AND v.status = ANY(CASE WHEN 'expired' = ANY($4::text[]) THEN $4 || '{executed,in_progress}'::text[] ELSE $4 END)
      UNION ALL
      SELECT g.status, g.expired_after, g.payment_till, g.settings
      FROM orders g
      WHERE g.org = $1 AND g.vendor <> $1 AND g.id < $2 AND g.id >= $3
        AND g.status = ANY(CASE WHEN 'expired' = ANY($4) THEN $4 || '{executed,in_progress}'::text[] ELSE $4 END)) o
WHERE CASE WHEN (o.status = 'executed' AND o.expired_after <= $5) OR (o.status = 'in_progress' AND o.payment_till <= $5) THEN 'expired' ELSE o.status END = ANY($4)
  AND o.settings -> 'customer' <> '{}'

-- name: count_of_events
-- $4: as in count_of_partner; $5, $6: the shards and the ids of the events.
SELECT count(*) FILTER (WHERE o.id < $4) AS settled, count(*) AS total
FROM orders o
WHERE o.shard = ANY($5::smallint[]) AND o.id < $2 AND o.id >= $3 AND o.event = ANY($6::text[]) AND $1 IN (o.vendor, o.org)

-- name: count_of_events_filtered
-- $4: null or statuses; $5: only with a customer; $6: now; $7, $8: the shards and the ids of the events.
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
