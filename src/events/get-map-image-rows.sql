-- name: map_image
SELECT m.svg ->> $2 AS svg FROM maps m WHERE m.id = $1 AND m.svg ? $2
