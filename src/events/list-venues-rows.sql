-- name: list_venues
-- $1 to $4: the events that are listed (listable.ts); $5: the only venues, or null; $6: the last venue of the page before.
SELECT v.id, v.name, v."desc", v.address, v.city, v.point
FROM venues v
WHERE v.id > $6::text
  AND ($5::text[] IS NULL OR v.id = ANY ($5))
  AND v.id IN (SELECT e.venue
               FROM events e
               WHERE e.org = ANY ($1::text[])
                 AND (e.org = ANY ($2::text[]) OR e.id IN (SELECT unnest($3::text[])))
                 AND ($4::text[] IS NULL OR e.id IN (SELECT unnest($4))))
ORDER BY v.id
LIMIT $7
