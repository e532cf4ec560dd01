-- name: list_labels
-- $1 to $4: the events that are listed (listable.ts); $5: the field that has the labels; $6: the only labels, or null.
SELECT labels.label
FROM events e
CROSS JOIN LATERAL unnest(CASE $5
                          WHEN 'tags' THEN e.tags
                          WHEN 'artists' THEN e.artists
                          WHEN 'category' THEN array_remove(ARRAY[e.category], NULL) END) AS labels (label)
WHERE e.org = ANY ($1::text[])
  AND (e.org = ANY ($2::text[]) OR e.id IN (SELECT unnest($3::text[])))
  AND ($4::text[] IS NULL OR e.id IN (SELECT unnest($4)))
  AND ($6::text[] IS NULL OR labels.label = ANY ($6))
GROUP BY labels.label
ORDER BY labels.label COLLATE "ru-x-icu"
