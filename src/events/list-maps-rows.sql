-- name: list_maps
-- $1 to $4: the events that are listed (listable.ts); $5: the only maps, or null; $6: the only venue, or null.
SELECT m.id
FROM maps m
WHERE ($5::text[] IS NULL OR m.id = ANY ($5))
  AND ($6::text IS NULL OR m.venue = $6)
  AND m.id IN (SELECT e.map
               FROM events e
               WHERE e.org = ANY ($1::text[])
                 AND (e.org = ANY ($2::text[]) OR e.id IN (SELECT unnest($3::text[])))
                 AND ($4::text[] IS NULL OR e.id IN (SELECT unnest($4))))
ORDER BY m.id

-- name: load_map
SELECT m.id, m.name, m.venue, m.svg,
       coalesce((SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'with_seats', s.with_seats,
                                                   'rows', coalesce(s.rows, '[]'))
                                 ORDER BY s.pos, s.id)
                 FROM sectors s WHERE s.map = m.id), '[]') AS sectors
FROM maps m
WHERE m.id = $1
