-- name: recall_page
-- The page of the list nearest before $3 that the key has read in the last hour.
SELECT p.page, p.last, p.total
FROM list_pages p
WHERE p.api_key = $1 AND p.list = $2 AND p.page < $3 AND p.read_at > now() - interval '1 hour'
ORDER BY p.page DESC
LIMIT 1

-- name: remember_page
INSERT INTO list_pages (api_key, list, page, last, total, read_at)
VALUES ($1, $2, $3, $4, $5, now())
ON CONFLICT (api_key, list, page) DO UPDATE SET last = excluded.last, total = excluded.total, read_at = excluded.read_at

-- name: forget_pages
-- What the key read more than an hour ago, and all but the last 1,000 pages it read.
DELETE FROM list_pages
WHERE ctid = ANY(ARRAY(
  SELECT p.ctid
  FROM list_pages p
  WHERE p.api_key = $1
    AND p.read_at < greatest(now() - interval '1 hour',
                             (SELECT r.read_at FROM list_pages r WHERE r.api_key = $1
                              ORDER BY r.read_at DESC LIMIT 1 OFFSET 999))
  ORDER BY p.read_at
  LIMIT 100
  FOR UPDATE SKIP LOCKED))
