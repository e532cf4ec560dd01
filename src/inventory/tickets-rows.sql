-- name: lock_vacant
-- The wanted tickets that are vacant, locked in the order they are named in, which is that of shards and ids; waits for a
-- transaction that is changing one.
SELECT locked.*
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
CROSS JOIN LATERAL (
  SELECT t.id, t.event, t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number
  FROM tickets t
  WHERE t.shard = u.shard AND t.id = u.id AND t.status = 'vacant'
  FOR UPDATE OF t) AS locked

-- name: lock_vacant_unless_busy
-- The same without waiting: for the second and later tries of a transaction that holds locks already.
SELECT locked.*
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
CROSS JOIN LATERAL (
  SELECT t.id, t.event, t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number
  FROM tickets t
  WHERE t.shard = u.shard AND t.id = u.id AND t.status = 'vacant'
  FOR UPDATE OF t SKIP LOCKED) AS locked

-- name: lock_any_vacant
-- Vacant tickets of a set, front rows first, locked; those that another transaction has locked are left out.
SELECT t.id, t.event, t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND t."set" = $3 AND t.status = 'vacant'
ORDER BY t.row_pos, t.seat_pos, t.id
LIMIT $4
FOR UPDATE OF t SKIP LOCKED

-- name: places_of_tickets
SELECT place.*
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
CROSS JOIN LATERAL (
  SELECT t.id, t.event, t."set" FROM tickets t WHERE t.shard = u.shard AND t.id = u.id OFFSET 0) AS place

-- name: tickets_of_orders
-- The tickets of the orders as they are now, when the orders are already locked.
SELECT held.*
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
CROSS JOIN LATERAL (SELECT o.tickets FROM orders o WHERE o.shard = u.shard AND o.id = u.id OFFSET 0) AS o
CROSS JOIN LATERAL unnest(o.tickets) AS named(id)
CROSS JOIN LATERAL (
  SELECT t.id, t."order", t."set", t.serial, t.number, t.sector, t.seat_row, t.seat_number,
         t.price, t.discount, t.nominal, t.extra, t.barcode
  FROM tickets t
  WHERE t.shard = u.shard AND t.id = named.id
  OFFSET 0) AS held

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

-- name: seated_sets
SELECT s.id, c.amount
FROM sets s
JOIN set_counts c ON c.shard = s.shard AND c."set" = s.id
WHERE s.shard = $1 AND s.event = $2 AND s.with_seats

-- name: rows_of_set
-- The seats of a set, a row of seats in one row: of a hall of thousands they would take the driver longer than the database.
SELECT t.sector, t.seat_row, t.row_pos, t.serial, string_agg(t.id, ' ') AS ids, json_agg(t.seat_number) AS seat_numbers,
       json_agg(t.seat_pos) AS seat_positions, json_agg(t.number) AS numbers, json_agg(t.status = 'vacant') AS vacant
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND t."set" = $3
GROUP BY t.row_pos, t.sector, t.seat_row, t.serial

-- name: vacant_places
-- Ids and numbers of vacant tickets of the set, after $4 and up to $5, the first $6: in one text each, which costs a tenth of as
-- many rows. serial: of all of them; null when they have not the same.
SELECT coalesce(string_agg(v.id, ' '), '') AS ids, coalesce(string_agg(v.number::text, ' '), '') AS numbers,
       CASE WHEN min(v.serial) = max(v.serial) THEN min(v.serial) END AS serial
FROM (SELECT t.id, t.number, t.serial
      FROM tickets t
      WHERE t.shard = $1 AND t.event = $2 AND t."set" = $3 AND t.status = 'vacant' AND t.id > $4 AND t.id <= $5
      ORDER BY t.id
      LIMIT $6) v

-- name: vacant_counts
SELECT c."set", c.vacant FROM set_counts c WHERE c.shard = $1 AND c."set" = ANY($2::text[])

-- name: still_taken
-- Fails by a division by zero when one of the tickets is vacant.
SELECT 1 / (count(*) = 0)::integer
FROM unnest($1::smallint[], $2::text[]) AS u(shard, id)
CROSS JOIN LATERAL (
  SELECT FROM tickets t WHERE t.shard = u.shard AND t.id = u.id AND t.status = 'vacant' OFFSET 0) AS vacant

-- The changes of a batch: COMMIT travels with them, so each fails by a division by zero, and the transaction with it, unless it
-- changes as many rows as it names.

-- name: change_tickets
-- vacant -> reserved or sold, reserved -> reserved at another price, sold or vacant. holder: the order that has the ticket
-- before, whose lock is the ticket's too; null: it is vacant, and is locked now unless another transaction has it. "order": that
-- has it then; with a barcode it is sold. The arrays of one element keep the planner from a join by hash (ARCHITECTURE.md, Plans
-- are pinned).
WITH changed AS (
  UPDATE tickets t
  SET status = CASE WHEN u."order" IS NULL THEN 'vacant' WHEN u.barcode IS NULL THEN 'reserved' ELSE 'sold' END,
      "order" = u."order", reserved_till = u.reserved_till, price = u.price, discount = u.discount,
      nominal = u.nominal, extra = u.extra, barcode = u.barcode
  FROM unnest($1::smallint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::bigint[],
              $8::bigint[], $9::bigint[], $10::text[])
    AS u(shard, id, holder, "order", reserved_till, price, discount, nominal, extra, barcode)
  LEFT JOIN LATERAL (
    SELECT true AS is_vacant FROM tickets v
    WHERE u.holder IS NULL AND v.shard = u.shard AND v.id = u.id AND v.status = 'vacant'
    FOR UPDATE OF v SKIP LOCKED) AS locked ON true
  WHERE t.shard = ANY (ARRAY[u.shard]) AND t.id = ANY (ARRAY[u.id])
    AND CASE WHEN u.holder IS NULL THEN locked.is_vacant AND t.status = 'vacant'
             ELSE t.status = 'reserved' AND t."order" = u.holder END
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
-- By how much the counts of the sets move; sets in the order of shards and ids. They are not locked before, so their places may
-- change while this waits.
WITH changed AS (
  UPDATE set_counts c
  SET vacant = c.vacant + u.vacant, held = c.held + u.held, sold = c.sold + u.sold
  FROM unnest($1::smallint[], $2::text[], $3::integer[], $4::integer[], $5::integer[]) AS u(shard, "set", vacant, held, sold)
  WHERE c.shard = ANY($1::smallint[]) AND c."set" = ANY($2::text[]) AND c.shard = u.shard AND c."set" = u."set"
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed
