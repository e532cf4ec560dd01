-- name: list_seated_tickets
-- In no order: to sort a whole hall costs more here, where the sales are, than in the service.
SELECT t.id, t.number, t.serial, t."set", t.status, t.reserved_till, t.sector, t.seat_row, t.seat_number, t.row_pos, t.seat_pos
FROM tickets t
WHERE t.shard = $1 AND t.event = $2 AND t.sector IS NOT NULL
  AND t.status = ANY($3::text[])
  AND ($4::text[] IS NULL OR t.sector = ANY($4))
