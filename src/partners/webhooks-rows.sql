-- $1: a partner, or null for all.
-- name: list_webhooks
SELECT w.id, w.ref, w.partner, p.name AS partner_name, w.url, w.types, w.disabled_at,
       count(d.notification) FILTER (WHERE d.status = 'pending') AS pending,
       count(d.notification) FILTER (WHERE d.status = 'failed') AS failed
FROM webhooks w
JOIN partners p ON p.id = w.partner
LEFT JOIN webhook_deliveries d ON d.webhook = w.id AND d.status IN ('pending', 'failed')
WHERE $1::text IS NULL OR w.partner = $1
GROUP BY w.id, p.name
ORDER BY p.name, w.partner, w.id

-- name: find_webhook
SELECT secret, disabled_at
FROM webhooks
WHERE id = $1

-- name: replace_secret
UPDATE webhooks SET secret = $2
WHERE id = $1
RETURNING secret

-- name: enable_webhook
UPDATE webhooks SET disabled_at = NULL
WHERE id = $1
RETURNING id

-- $1: a partner; $2: one of its webhooks, or null for all; $3: a status, or null for any; $4, $5: limit, offset.
-- name: list_deliveries
SELECT n.id AS notification, n.type, n.created_at, d.webhook, w.url, d.status, d.attempts, d.last_status, d.last_error,
       d.next_at, d.delivered_at
FROM notifications n
JOIN webhook_deliveries d ON d.notification = n.id
JOIN webhooks w ON w.id = d.webhook
WHERE n.partner = $1 AND ($2::text IS NULL OR d.webhook = $2) AND ($3::text IS NULL OR d.status = $3)
ORDER BY n.id DESC, d.webhook
LIMIT $4 OFFSET $5

-- name: count_deliveries
SELECT count(*)
FROM notifications n
JOIN webhook_deliveries d ON d.notification = n.id
WHERE n.partner = $1 AND ($2::text IS NULL OR d.webhook = $2) AND ($3::text IS NULL OR d.status = $3)

-- $1: a partner; $2: one of its notifications. Answers nothing when there is no such notification.
-- name: replay_notification
WITH asked AS MATERIALIZED (
  SELECT d.webhook, w.disabled_at
  FROM notifications n
  JOIN webhook_deliveries d ON d.notification = n.id
  JOIN webhooks w ON w.id = d.webhook
  WHERE n.partner = $1 AND n.id = $2
), replayed AS (
  UPDATE webhook_deliveries d
  SET status = 'pending', attempts = 0, next_at = now(), delivered_at = NULL
  FROM asked
  WHERE d.notification = $2 AND d.webhook = asked.webhook AND asked.disabled_at IS NULL
)
SELECT webhook, disabled_at IS NULL AS replayed
FROM asked
ORDER BY webhook

-- $1: an enabled webhook; $2: a notification, or null for what was made at or after $3 and failed.
-- name: replay_to_webhook
UPDATE webhook_deliveries d
SET status = 'pending', attempts = 0, next_at = now(), delivered_at = NULL
FROM notifications n
WHERE d.webhook = $1 AND n.id = d.notification
  AND CASE WHEN $2::text IS NULL THEN d.status = 'failed' AND n.created_at >= to_timestamp($3::double precision / 1000)
           ELSE n.id = $2 END
