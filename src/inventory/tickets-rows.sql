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

-- name: vacancy_of_event
SELECT t.id, t."set", t.row_pos, t.seat_pos, t.status = 'vacant' AS vacant
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND (t.status = 'vacant' OR t.sector IS NOT NULL)
ORDER BY t.id

-- name: vacant_counts
SELECT c."set", c.vacant FROM set_counts c WHERE c.shard = $1 AND c."set" = ANY($2::text[])

-- name: hold_tickets
-- vacant -> reserved, or a new price for a ticket the order holds.
UPDATE tickets t
SET status = 'reserved', "order" = u."order", reserved_till = u.reserved_till,
    price = u.price, discount = u.discount, nominal = u.nominal, extra = u.extra
FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
  AS u(id, "order", reserved_till, price, discount, nominal, extra)
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id
  AND (t.status = 'vacant' OR (t.status = 'reserved' AND t."order" = u."order"))

-- name: sell_tickets
UPDATE tickets t
SET status = 'sold', reserved_till = NULL, barcode = u.barcode
FROM unnest($2::text[], $3::text[], $4::text[]) AS u(id, "order", barcode)
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id AND t.status = 'reserved' AND t."order" = u."order"

-- name: release_tickets
UPDATE tickets t
SET status = 'vacant', "order" = NULL, reserved_till = NULL,
    price = NULL, discount = NULL, nominal = NULL, extra = NULL
FROM unnest($2::text[], $3::text[]) AS u(id, "order")
WHERE t.shard = $1 AND t.id = ANY($2::text[]) AND t.id = u.id AND t.status = 'reserved' AND t."order" = u."order"

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
UPDATE set_counts c
SET vacant = c.vacant + u.vacant, held = c.held + u.held, sold = c.sold + u.sold
FROM unnest($2::text[], $3::integer[], $4::integer[], $5::integer[]) AS u("set", vacant, held, sold)
WHERE c.shard = $1 AND c."set" = ANY($2::text[]) AND c."set" = u."set"
