-- name: find_promocodes
-- By code, in whatever case it is sent; pos is the place among the codes sent, from 1.
SELECT sent.pos::integer AS pos, p.id, p.event, p.code, p.percentage, p.fix, p.start, p.finish, p.sets,
       p.min_tickets, p.max_tickets, p.use_limit, p.uses, p.viral
FROM unnest($3::text[]) WITH ORDINALITY AS sent (code, pos)
JOIN promocodes p ON lower(p.code) = lower(sent.code)
WHERE p.shard = $1 AND p.event = $2
  AND lower(p.code) = ANY (ARRAY(SELECT lower(wanted) FROM unnest($3::text[]) AS wanted))
ORDER BY sent.pos

-- name: load_promocodes
SELECT p.id, p.event, p.code, p.percentage, p.fix, p.start, p.finish, p.sets,
       p.min_tickets, p.max_tickets, p.use_limit, p.uses, p.viral
FROM promocodes p
WHERE p.shard = $1 AND p.id = ANY ($2::text[])

-- name: find_promokey
SELECT p.id, p.event, p.code, p.sets, p.start, p.finish, p.tickets_limit, p.single_order, p.taken, p.holder
FROM promokeys p
WHERE p.shard = $1 AND p.event = $2 AND lower(p.code) = lower($3)

-- name: lock_promocodes
-- In the order they are named in, which is that of shards and ids; waits for a transaction that is taking a use.
SELECT locked.*
FROM unnest($1::smallint[], $2::text[]) AS u (shard, id)
CROSS JOIN LATERAL (
  SELECT p.id, p.use_limit, p.uses
  FROM promocodes p
  WHERE p.shard = u.shard AND p.id = u.id
  FOR UPDATE OF p) AS locked

-- name: lock_promokeys
-- In the same order; waits for a transaction that is changing one.
SELECT locked.*
FROM unnest($1::smallint[], $2::text[]) AS u (shard, id)
CROSS JOIN LATERAL (
  SELECT p.id, p.event, p.code, p.sets, p.start, p.finish, p.tickets_limit, p.single_order, p.taken, p.holder
  FROM promokeys p
  WHERE p.shard = u.shard AND p.id = u.id
  FOR UPDATE OF p) AS locked

-- name: take_promocode_uses
-- It fails by a division by zero unless it changes all of them; the next one too. Why arrays of one element: ARCHITECTURE.md,
-- Plans are pinned.
WITH changed AS (
  UPDATE promocodes p
  SET uses = p.uses + u.uses
  FROM unnest($1::smallint[], $2::text[], $3::integer[]) AS u (shard, id, uses)
  WHERE p.shard = ANY (ARRAY[u.shard]) AND p.id = ANY (ARRAY[u.id])
    AND (p.use_limit IS NULL OR p.uses + u.uses <= p.use_limit)
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed

-- name: move_promokeys
-- By how many tickets more or less, and who holds the key then; holder_before is who held it when it was locked.
WITH changed AS (
  UPDATE promokeys p
  SET taken = p.taken + u.taken, holder = u.holder
  FROM unnest($1::smallint[], $2::text[], $3::integer[], $4::text[], $5::text[])
    AS u (shard, id, taken, holder_before, holder)
  WHERE p.shard = ANY (ARRAY[u.shard]) AND p.id = ANY (ARRAY[u.id])
    AND p.holder IS NOT DISTINCT FROM u.holder_before
    AND (u.taken <= 0 OR p.tickets_limit IS NULL OR p.taken + u.taken <= p.tickets_limit)
  RETURNING 1
)
SELECT 1 / (count(*) = cardinality($2::text[]))::integer FROM changed
