-- name: terms_of_order
-- What the event, the deal and the accounts of an order say about refunds.
SELECT e.status, e.start, e.finish, e.refund_policy, d.refund_approval, v.id AS vendor_account, r.id AS org_account
FROM orders o
JOIN events e ON e.shard = o.shard AND e.id = o.event
LEFT JOIN deals d ON d.id = o.deal
LEFT JOIN accounts v ON v.partner = o.vendor AND v.kind = 'vendor' AND v.currency = o.currency
LEFT JOIN accounts r ON r.partner = o.org AND r.kind = 'org' AND r.currency = o.currency
WHERE o.shard = $1 AND o.id = $2

-- name: tickets_in_use
-- Of an order that is locked: whether another request that may still be approved has one of the tickets.
SELECT 1 FROM refund_requests r
WHERE r.shard = $1 AND r."order" = $2 AND r.status IN ('new', 'in_progress') AND r.tickets && $3::text[]
LIMIT 1

-- name: insert_request
INSERT INTO refund_requests (shard, id, event, org, vendor, "order", status, culprit, policy, tickets, ticket_records,
                             refund_nominal, customer_money, share, created_at, requested_at)
VALUES ($1, $2, $3, $4, $5, $6, 'new', $7, $8, $9, $10, $11, $12, $13, $14, $15)

-- name: order_of_request
SELECT r."order" FROM refund_requests r WHERE r.shard = $1 AND r.id = $2 AND $3 IN (r.vendor, r.org)

-- name: load_request
SELECT r.id, r.event, r.org, r.vendor, r."order", o.number AS order_number, o.code AS order_code, r.status, r.culprit,
       r.policy, r.tickets, r.ticket_records, r.refund_nominal, r.customer_money, r.share, r.created_at, r.requested_at,
       r.finished_at
FROM refund_requests r
JOIN orders o ON o.shard = r.shard AND o.id = r."order"
WHERE r.shard = $1 AND r.id = $2

-- name: finish_request
-- In whole seconds, as created_at is: a filter by what was shown finds the request.
UPDATE refund_requests r
SET status = $3, finished_at = date_trunc('second', $4::timestamptz)
WHERE r.shard = $1 AND r.id = $2 AND r.status IN ('new', 'in_progress')

-- name: list_requests
-- A page, newest first, of what the vendor or the organizer $1 may see; null filters let everything through.
SELECT r.id, r.event, r.org, r.vendor, r."order", o.number AS order_number, o.code AS order_code, r.status, r.culprit,
       r.policy, r.tickets, r.ticket_records, r.refund_nominal, r.customer_money, r.share, r.created_at, r.requested_at,
       r.finished_at
FROM refund_requests r
JOIN orders o ON o.shard = r.shard AND o.id = r."order"
WHERE (r.vendor = $1 OR r.org = $1)
  AND ($2::text[] IS NULL OR r.event = ANY($2)) AND ($3::text[] IS NULL OR r.event = ANY($3))
  AND ($4::text[] IS NULL OR r.status = ANY($4))
  AND ($5::timestamptz IS NULL OR r.created_at >= $5) AND ($6::timestamptz IS NULL OR r.created_at <= $6)
  AND ($7::timestamptz IS NULL OR r.finished_at >= $7) AND ($8::timestamptz IS NULL OR r.finished_at <= $8)
ORDER BY r.id DESC
LIMIT $9 OFFSET $10

-- name: count_requests
SELECT count(*) AS count
FROM refund_requests r
WHERE (r.vendor = $1 OR r.org = $1)
  AND ($2::text[] IS NULL OR r.event = ANY($2)) AND ($3::text[] IS NULL OR r.event = ANY($3))
  AND ($4::text[] IS NULL OR r.status = ANY($4))
  AND ($5::timestamptz IS NULL OR r.created_at >= $5) AND ($6::timestamptz IS NULL OR r.created_at <= $6)
  AND ($7::timestamptz IS NULL OR r.finished_at >= $7) AND ($8::timestamptz IS NULL OR r.finished_at <= $8)
