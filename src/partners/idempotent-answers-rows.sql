-- name: find_answer
SELECT a.hash, a.status, a.body, a.location FROM idempotent_answers a
WHERE a.api_key = $1 AND a.key = $2 AND a.created_at > clock_timestamp() - interval '24 hours'

-- name: drop_outdated_answers
DELETE FROM idempotent_answers a
USING unnest($1::text[], $2::text[]) AS u(api_key, key)
WHERE a.api_key = u.api_key AND a.key = u.key AND a.created_at <= clock_timestamp() - interval '24 hours'

-- name: keep_answers
-- One that is kept already is an error: its request has had its effect.
INSERT INTO idempotent_answers (api_key, key, hash, status, body, location, created_at)
SELECT u.api_key, u.key, u.hash, u.status, u.body, u.location, clock_timestamp()
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::integer[], $5::text[], $6::text[])
  AS u(api_key, key, hash, status, body, location)
ORDER BY u.api_key, u.key

-- name: keep_answer_alone
INSERT INTO idempotent_answers (api_key, key, hash, status, body, location, created_at)
VALUES ($1, $2, $3, $4, $5, NULL, clock_timestamp())
ON CONFLICT DO NOTHING

-- name: forget_answers
DELETE FROM idempotent_answers a
WHERE (a.api_key, a.key) IN (
  SELECT o.api_key, o.key FROM idempotent_answers o
  WHERE o.created_at <= clock_timestamp() - interval '24 hours'
  ORDER BY o.created_at LIMIT 1000)
