-- name: own_cities
-- $1: the only ids, or null.
SELECT c.id, c.name, c.timezone, c.country FROM cities c WHERE $1::integer[] IS NULL OR c.id = ANY ($1)

-- name: own_countries
SELECT y.id, y.name FROM countries y
