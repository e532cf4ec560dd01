-- name: list_events
-- $1 to $4: the events that are listed (listable.ts). $15: null, or who sees which set prices {org, events, from, to}, the
-- one that holds for an event first; $16: now. The price in force is that of pricing/rules/price-in-force. Lists of events
-- may be long: as subqueries they are hashed. Venues are looked up only when they are asked for: as a join, on a table
-- without statistics, they were looked up event by event.
SELECT e.id
FROM events e
WHERE e.org = ANY($1::text[])
  AND (e.org = ANY($2::text[]) OR e.id IN (SELECT unnest($3::text[])))
  AND ($4::text[] IS NULL OR e.id IN (SELECT unnest($4)))
  AND ($5::text[] IS NULL OR e.status = ANY($5))
  AND ($6::text[] IS NULL OR e.tags && $6)
  AND ($7::text IS NULL OR e.venue = $7)
  AND (($8::integer IS NULL AND $9::text IS NULL)
       OR e.venue IN (SELECT v.id FROM venues v WHERE ($8 IS NULL OR v.city = $8) AND ($9 IS NULL OR v.country = $9)))
  AND ($10::timestamptz IS NULL OR e.finish >= $10)
  AND ($11::timestamptz IS NULL OR e.start <= $11)
  AND ($12::text IS NULL OR (e.view_limits -> $12) IS DISTINCT FROM 'false')
  AND ($15::jsonb IS NULL OR EXISTS (
    SELECT
    FROM (SELECT coverage."from", coverage."to"
          FROM ROWS FROM (jsonb_to_recordset($15) AS (org text, events text[], "from" bigint, "to" bigint))
            WITH ORDINALITY AS coverage (org, events, "from", "to", pos)
          WHERE coverage.org = e.org AND (coverage.events IS NULL OR e.id = ANY(coverage.events))
          ORDER BY coverage.pos
          LIMIT 1) prices
    JOIN sets s ON s.shard = e.shard AND s.event = e.id
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT r.price
                       FROM set_rules r
                       WHERE r.shard = s.shard AND r."set" = s.id AND r.start <= $16::timestamptz AND $16 < r.finish
                       ORDER BY r.start DESC, r.id DESC
                       LIMIT 1), s.price) AS price) in_force
    WHERE (prices."from" IS NULL OR in_force.price >= prices."from")
      AND (prices."to" IS NULL OR in_force.price <= prices."to")))
ORDER BY e.start, e.id
LIMIT $13 OFFSET $14
