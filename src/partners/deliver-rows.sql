-- name: claim_deliveries
-- Due deliveries of enabled webhooks. $1, $2: webhooks this process is sending to, and how many to each; $3: how many to
-- one at most; $4: how many more in all; $5: milliseconds until an attempt of which nothing is heard is made again.
WITH due AS MATERIALIZED (
  SELECT d.notification, d.webhook, w.url, w.secret
  FROM (SELECT id, url, secret FROM webhooks WHERE disabled_at IS NULL ORDER BY random()) w
  LEFT JOIN unnest($1::text[], $2::integer[]) AS busy (webhook, sending) ON busy.webhook = w.id
  CROSS JOIN LATERAL (
    SELECT notification, webhook
    FROM webhook_deliveries
    WHERE webhook = w.id AND status = 'pending' AND next_at <= now()
    ORDER BY next_at
    LIMIT $3::integer - coalesce(busy.sending, 0)
    FOR UPDATE SKIP LOCKED
  ) d
  LIMIT $4
)
UPDATE webhook_deliveries d
SET attempts = d.attempts + 1, next_at = now() + $5::integer * interval '1 millisecond'
FROM due
JOIN notifications n ON n.id = due.notification
WHERE d.notification = due.notification AND d.webhook = due.webhook
RETURNING d.notification, d.webhook, d.attempts, due.url, due.secret, n.type, n.created_at, n.record

-- name: set_delivered
UPDATE webhook_deliveries
SET status = 'delivered', delivered_at = now(), next_at = NULL, last_status = $3, last_error = NULL
WHERE notification = $1 AND webhook = $2 AND status <> 'delivered'

-- name: set_not_delivered
-- $3: the attempt; when another one has been begun since, that one counts. $6: milliseconds to the next, null: no more.
UPDATE webhook_deliveries
SET status = CASE WHEN $6::bigint IS NULL THEN 'failed' ELSE 'pending' END,
    next_at = now() + $6::bigint * interval '1 millisecond', last_status = $4, last_error = $5
WHERE notification = $1 AND webhook = $2 AND attempts = $3 AND status = 'pending'

-- name: disable_webhook
UPDATE webhooks SET disabled_at = now()
WHERE id = $1 AND disabled_at IS NULL

-- name: fail_pending
-- A delivery that is locked is being claimed; that attempt is told for itself.
UPDATE webhook_deliveries
SET status = 'failed', next_at = NULL, last_status = $2, last_error = $3
WHERE webhook = $1 AND notification IN (
  SELECT notification
  FROM webhook_deliveries
  WHERE webhook = $1 AND status = 'pending'
  FOR UPDATE SKIP LOCKED)
