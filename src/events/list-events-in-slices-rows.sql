-- name: events_after
-- $1 to $4: the events that are listed (listable.ts); $13 to $15: the last event of the slice before, and how many come now.
-- Lists of events may be long: as subqueries they are hashed, as arrays they would be searched for each event.
SELECT e.id, e.start::text AS start
FROM events e
WHERE e.org = ANY($1::text[])
  AND (e.org = ANY($2::text[]) OR e.id IN (SELECT unnest($3::text[])))
  AND ($4::text[] IS NULL OR e.id IN (SELECT unnest($4)))
  AND ($5::text[] IS NULL OR e.id IN (SELECT unnest($5)))
  AND ($6::text IS NULL OR e.meta = $6)
  AND (NOT $7::boolean OR e.meta IS NULL)
  AND e.status = ANY($8::text[])
  AND ($9::timestamptz IS NULL OR e.start >= $9)
  AND ($10::timestamptz IS NULL OR e.start < $10)
  AND ($11::timestamptz IS NULL OR e.finish >= $11)
  AND ($12::timestamptz IS NULL OR e.finish < $12)
  AND (e.start, e.id) > ($13::timestamptz, $14::text)
ORDER BY e.start, e.id
LIMIT $15
