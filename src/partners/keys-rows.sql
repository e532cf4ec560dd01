-- name: load_by_hash
SELECT k.id, k.partner, p.name AS partner_name, k.origin, k.permissions, k.events, k.expires_at, k.revoked_at
FROM api_keys k
JOIN partners p ON p.id = k.partner
WHERE k.hash = $1

-- name: insert
INSERT INTO api_keys (id, name, partner, hash, hint, origin, permissions, events, expires_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9::double precision / 1000), to_timestamp($10::double precision / 1000))
ON CONFLICT ON CONSTRAINT api_keys_name_once DO NOTHING
RETURNING id

-- name: missing_events
SELECT wanted.id
FROM unnest($1::text[], $2::smallint[]) AS wanted (id, shard)
WHERE NOT EXISTS (SELECT FROM events e WHERE e.shard = wanted.shard AND e.id = wanted.id)

-- $1: a partner, or null for all.
-- name: list
SELECT k.id, k.name, k.partner, p.name AS partner_name, k.hint, k.origin, k.permissions, k.events, k.created_at,
       k.expires_at, k.revoked_at
FROM api_keys k
JOIN partners p ON p.id = k.partner
WHERE $1::text IS NULL OR k.partner = $1
ORDER BY p.name, p.id, k.name

-- $1: an id or a name; $2: the partner, or null for any.
-- name: find
SELECT id, name
FROM api_keys
WHERE (id = $1 OR name = $1) AND ($2::text IS NULL OR partner = $2)

-- name: revoke
UPDATE api_keys
SET revoked_at = coalesce(revoked_at, to_timestamp($2::double precision / 1000))
WHERE id = $1
RETURNING revoked_at
