-- name: group_by_hash
-- For this transaction. Before its statistics are read, and often after, the planner would sort the seats to group them, which
-- takes half as long again.
SELECT set_config('enable_sort', 'off', true)

-- name: rows_of_seats
-- Of the first $4 seats behind a ticket's id. A row of seats is one row here: 50,000 of them would take the driver longer than
-- the database. In no order: to sort a whole hall costs more here, where the sales are, than in the service.
SELECT t.sector, t.seat_row, t.row_pos, t."set", t.serial, string_agg(t.id, '') AS ids,
       json_agg(t.seat_number) AS seat_numbers, json_agg(t.seat_pos) AS seat_positions, json_agg(t.number) AS numbers
FROM (
  SELECT * FROM tickets
  WHERE shard = $1 AND event = $2 AND id > $3 AND sector IS NOT NULL
  ORDER BY id
  LIMIT $4
) t
GROUP BY t.sector, t.seat_row, t.row_pos, t."set", t.serial

-- name: statuses_of_seats
-- Of the seats from one ticket's id to another's, in the order of ids: the first letter of the status of each, and of those
-- that are reserved until when, in epoch milliseconds.
SELECT coalesce(string_agg(left(t.status, 1), '' ORDER BY t.id), '') AS statuses,
       string_agg((date_part('epoch', t.reserved_till) * 1000)::bigint::text, ',' ORDER BY t.id) AS reserved_till
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND t.id BETWEEN $3 AND $4 AND t.sector IS NOT NULL
