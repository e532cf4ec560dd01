-- name: load_subscriptions
SELECT partner, types
FROM webhooks
WHERE disabled_at IS NULL

-- name: write_notifications
-- A notification for which its partner has no webhook is not written. Webhooks are found by the list of partners because
-- sessions of the desk join by hash.
WITH receivers AS MATERIALIZED (
  SELECT n.id, n.partner, n.type, to_timestamp(n.at / 1000) AS created_at, n.record, w.id AS webhook
  FROM unnest($1::text[], $2::text[], $3::text[], $4::double precision[], $5::text[]) AS n (id, partner, type, at, record)
  JOIN webhooks w ON w.partner = n.partner
  WHERE w.partner = ANY ($2::text[]) AND w.disabled_at IS NULL AND (w.types = '{}' OR n.type = ANY (w.types))
), written AS (
  INSERT INTO notifications (id, partner, type, created_at, record)
  SELECT DISTINCT ON (id) id, partner, type, created_at, record::jsonb
  FROM receivers
)
INSERT INTO webhook_deliveries (notification, webhook, status, next_at)
SELECT id, webhook, 'pending', created_at
FROM receivers

-- name: forget_notifications
-- $1: the beginning of an id, which is a time.
DELETE FROM notifications
WHERE id IN (SELECT id FROM notifications WHERE id < $1 ORDER BY id LIMIT $2)
