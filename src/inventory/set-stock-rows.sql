-- name: amounts_of_sets
-- All in one row: a page of events has thousands of sets, and as rows they would take the driver longer than the database.
SELECT coalesce(string_agg(c."set", ','), '') AS sets, coalesce(string_agg(c.amount::text, ','), '') AS amounts,
       coalesce(string_agg(c.vacant::text, ','), '') AS vacant
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, event)
JOIN set_counts c ON c.shard = wanted.shard AND c.event = wanted.event

-- name: seats_of_sets
SELECT t."set", t.seat_row AS "row", array_agg(t.seat_number ORDER BY t.row_pos, t.seat_pos) AS numbers
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, event)
JOIN tickets t ON t.shard = wanted.shard AND t.event = wanted.event
WHERE t.sector IS NOT NULL
GROUP BY t.shard, t."set", t.seat_row
ORDER BY min(t.row_pos), t.seat_row
