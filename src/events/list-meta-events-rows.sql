-- name: meta_events_after
-- $1 to $4: the events that are listed (listable.ts); $5: the organizer whose groups are listed without events too; $8, $9:
-- the last group of the slice before, and how many come now. A group has events of its own organizer alone.
SELECT m.id, m.org, m.name, m."desc", m.age_rating, m.media, min(e.start) AS first_start, max(e.finish) AS last_finish
FROM meta_events m
LEFT JOIN events e ON e.org = m.org AND e.meta = m.id
  AND (e.org = ANY($2::text[]) OR e.id IN (SELECT unnest($3::text[])))
  AND ($4::text[] IS NULL OR e.id IN (SELECT unnest($4)))
  AND e.status = ANY($6::text[])
WHERE m.org = ANY($1::text[])
  AND ($7::text[] IS NULL OR m.id IN (SELECT unnest($7)))
  AND m.id > $8::text
GROUP BY m.id
HAVING count(e.id) > 0 OR m.org = $5::text
ORDER BY m.id
LIMIT $9
