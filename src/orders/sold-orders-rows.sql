-- name: lock_order
-- An order of a partner's, locked; none when another transaction has it.
SELECT o.shard, o.id, o.event, o.org, o.vendor, o.status, o.org_share, o.tickets, o.expired_after, o.payment_till, o.done_at,
       o.promokey, o.custom_fields, clock_timestamp() AS now
FROM orders o
WHERE o.shard = $1 AND o.id = $2 AND $3 IN (o.vendor, o.org)
FOR UPDATE OF o SKIP LOCKED

-- name: event_of_order
SELECT o.event FROM orders o WHERE o.shard = $1 AND o.id = $2 AND $3 IN (o.vendor, o.org)

-- name: take_out_tickets
UPDATE orders o
SET tickets = ARRAY(SELECT u.id FROM unnest(o.tickets) WITH ORDINALITY AS u(id, nth) WHERE u.id <> ALL ($3) ORDER BY u.nth),
    price = $4, discount = $5, nominal = $6, extra = $7, charge = $8, custom_fields = $9
WHERE o.shard = $1 AND o.id = $2 AND o.status = 'done' AND o.tickets @> $3::text[]
