-- name: lock_vacant
-- The wanted tickets that are vacant, locked in the order of their ids; waits for a transaction that is changing one.
SELECT t.id, t.event, t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number
FROM tickets t
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.status = 'vacant'
ORDER BY t.id
FOR UPDATE OF t

-- name: lock_vacant_unless_busy
-- The same without waiting: for the second and later tries of a transaction that holds locks already.
SELECT t.id, t.event, t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number
FROM tickets t
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.status = 'vacant'
ORDER BY t.id
FOR UPDATE OF t SKIP LOCKED

-- name: lock_any_vacant
-- Vacant tickets of a set, front rows first, locked; those that another transaction has locked are left out.
SELECT t.id, t.event, t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND t."set" = $3 AND t.status = 'vacant'
ORDER BY t.row_pos, t.seat_pos, t.id
LIMIT $4
FOR UPDATE OF t SKIP LOCKED

-- name: places_of_tickets
SELECT t.id, t.event, t."set" FROM tickets t WHERE t.shard = $1 AND t.id = ANY($2::text[])

-- name: tickets_of_orders
-- The tickets of the orders as they are now, when the orders are already locked.
SELECT t.id, t."order", t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number,
       t.price, t.discount, t.nominal, t.extra, t.barcode
FROM tickets t
WHERE t.shard = $1
  AND t.id = ANY(ARRAY(SELECT unnest(o.tickets) FROM orders o WHERE o.shard = $1 AND o.id = ANY($2::text[])))

-- name: tickets_by_id
-- Tickets of any shards.
SELECT t.id, t."order", t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number,
       t.price, t.discount, t.nominal, t.extra, t.barcode
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
JOIN tickets t ON t.shard = u.shard AND t.id = u.id

-- name: place_of_set
-- Whether the set has seats, and the range of ids that its tickets are in.
SELECT s.with_seats,
       (SELECT min(t.id) FROM tickets t WHERE t.shard = $1) AS first,
       (SELECT max(t.id) FROM tickets t WHERE t.shard = $1) AS last
FROM sets s
WHERE s.shard = $1 AND s.id = $2

-- name: seats_of_set
SELECT t.id, t.row_pos, t.seat_pos, t.status = 'vacant' AS vacant
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND t."set" = $3

-- name: vacant_places
-- Ids of vacant tickets of the set, after $4 and up to $5, the first $6: in one text, which costs a tenth of as many rows.
SELECT coalesce(string_agg(v.id, ' '), '') AS ids
FROM (SELECT t.id
      FROM tickets t
      WHERE t.shard = $1 AND t.event = $2 AND t."set" = $3 AND t.status = 'vacant' AND t.id > $4 AND t.id <= $5
      ORDER BY t.id
      LIMIT $6) v

-- name: vacant_counts
SELECT c."set", c.vacant FROM set_counts c WHERE c.shard = $1 AND c."set" = ANY($2::text[])

-- The changes of a batch: COMMIT travels with them, so each fails by a division by zero, and the transaction with it, unless it
-- changes as many rows as it names.

-- name: hold_tickets
-- vacant -> reserved, or a new price for a ticket the order holds.
WITH changed AS (
  UPDATE tickets t
  SET status = 'reserved', "order" = u."order", reserved_till = u.reserved_till,
      price = u.price, discount = u.discount, nominal = u.nominal, extra = u.extra
  FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
    AS u(id, "order", reserved_till, price, discount, nominal, extra)
  WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id
    AND (t.status = 'vacant' OR (t.status = 'reserved' AND t."order" = u."order"))
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed

-- name: sell_tickets
WITH changed AS (
  UPDATE tickets t
  SET status = 'sold', reserved_till = NULL, barcode = u.barcode
  FROM unnest($2::text[], $3::text[], $4::text[]) AS u(id, "order", barcode)
  WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id AND t.status = 'reserved' AND t."order" = u."order"
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed

-- name: release_tickets
WITH changed AS (
  UPDATE tickets t
  SET status = 'vacant', "order" = NULL, reserved_till = NULL,
      price = NULL, discount = NULL, nominal = NULL, extra = NULL
  FROM unnest($2::text[], $3::text[]) AS u(id, "order")
  WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id AND t.status = 'reserved' AND t."order" = u."order"
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed

-- name: lock_sold
-- Those of the tickets that the order has sold, locked in the order of their ids.
SELECT t.id FROM tickets t
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.status = 'sold' AND t."order" = $3
ORDER BY t.id
FOR UPDATE

-- name: return_tickets
-- sold -> vacant.
UPDATE tickets t
SET status = 'vacant', "order" = NULL, barcode = NULL, price = NULL, discount = NULL, nominal = NULL, extra = NULL
FROM unnest($2::text[], $3::text[]) AS u(id, "order")
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id AND t.status = 'sold' AND t."order" = u."order"

-- name: move_counts
-- By how much the counts of the sets move; sets in the order of their ids.
WITH changed AS (
  UPDATE set_counts c
  SET vacant = c.vacant + u.vacant, held = c.held + u.held, sold = c.sold + u.sold
  FROM unnest($2::text[], $3::integer[], $4::integer[], $5::integer[]) AS u("set", vacant, held, sold)
  WHERE c.shard = $1 AND c."set" = ANY($2::text[]) AND c."set" = u."set"
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed
