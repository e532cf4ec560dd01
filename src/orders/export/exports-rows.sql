-- name: lock_partner
-- Whoever else asks for an export of this partner waits; orders do not.
SELECT FROM partners p WHERE p.id = $1 FOR NO KEY UPDATE

-- name: count_waiting
-- One that is older is about to be ended, or was lost with its job.
SELECT count(*) AS waiting
FROM exports e
WHERE e.partner = $1 AND e.status IN ('new', 'in_progress') AND e.created_at > clock_timestamp() - interval '1 day'

-- name: insert_export
INSERT INTO exports (id, partner, email, selection, status, created_at)
VALUES ($1, $2, $3, $4, 'new', $5)

-- name: find_export
SELECT e.id, e.status, e.orders_done, e.orders_total, e.error, e.created_at, e.finished_at
FROM exports e
WHERE e.id = $1 AND e.partner = $2

-- name: begin_export
-- One that began before and did not end begins anew.
UPDATE exports e
SET status = 'in_progress', orders_done = 0, orders_total = NULL, error = NULL
WHERE e.id = $1 AND e.status IN ('new', 'in_progress')
RETURNING e.email, e.selection, e.created_at

-- name: tell_progress
UPDATE exports e
SET orders_done = $2, orders_total = $3
WHERE e.id = $1 AND e.status = 'in_progress'

-- name: end_export
-- $2: why it failed, or null.
UPDATE exports e
SET status = CASE WHEN $2::text IS NULL THEN 'done' ELSE 'failed' END, error = $2, finished_at = clock_timestamp(),
    orders_total = CASE WHEN $2::text IS NULL THEN e.orders_done ELSE e.orders_total END
WHERE e.id = $1 AND e.status = 'in_progress'

-- name: forget_exports
-- $1: the beginning of an id, which is a time. One that has not ended by then was lost: its job is tried for three days.
DELETE FROM exports
WHERE id IN (SELECT id FROM exports WHERE id < $1 ORDER BY id LIMIT $2)
