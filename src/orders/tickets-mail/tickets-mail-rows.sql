-- name: order_to_mail
SELECT o.id, o.event, o.status, o.currency, o.tickets, o.code, o.settings
FROM orders o
WHERE o.shard = $1 AND o.id = $2
