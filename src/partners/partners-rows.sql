-- Whom an operator means by $1: an id, a ref or a whole name; the first of these that fits anyone.
-- name: find_partners
SELECT id, name
FROM (
  SELECT id, name, rank() OVER (ORDER BY CASE $1 WHEN id THEN 1 WHEN ref THEN 2 ELSE 3 END) AS fit
  FROM partners
  WHERE id = $1 OR ref = $1 OR name = $1
) AS found
WHERE fit = 1
