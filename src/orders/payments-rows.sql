-- name: payments_of_order
-- The payment by its id, or, without one, the order's pending one.
SELECT p.shard, p.id, p."order", p.event, p.status, p.tickets, p.created_at, p.finished_at
FROM payments p
WHERE p.shard = $1 AND p."order" = $2 AND CASE WHEN $3::text IS NULL THEN p.status = 'pending' ELSE p.id = $3 END

-- name: order_of_payment
SELECT p."order"
FROM payments p JOIN orders o ON o.shard = p.shard AND o.id = p."order"
WHERE p.shard = $1 AND p.id = $2 AND o.vendor = $3

-- name: insert_payment
INSERT INTO payments (shard, id, "order", event, status, tickets, created_at)
VALUES ($1, $2, $3, $4, 'pending', $5, $6)

-- name: finish_payment
-- A pending one, or one that is confirmed after it expired. It fails by a division by zero when there is none.
WITH changed AS (
  UPDATE payments p
  SET status = $4, finished_at = $5
  WHERE p.shard = $1 AND p."order" = $2 AND ($3::text IS NULL OR p.id = $3)
    AND (p.status = 'pending' OR (p.status = 'expired' AND p.id = $3 AND $4 = 'confirmed'))
  RETURNING 1
)
SELECT 1 / (count(*) = 1)::integer FROM changed
