-- name: order_of_partner
-- An order for the vendor that sold it or the organizer of its event.
SELECT o.shard, o.id, o.event, o.number, o.org, o.vendor, o.origin, o.status, o.deal, o.org_share, o.extra_share,
       o.currency, o.tickets, o.price, o.discount, o.nominal, o.extra, o.charge, o.expired_after, o.done_at, o.code,
       o.promocodes, o.promokey, o.settings, o.vendor_data, o.custom_fields, o.payment_till, clock_timestamp() AS now
FROM orders o
WHERE o.shard = $1 AND o.id = $2 AND $3 IN (o.vendor, o.org)

-- name: orders_to_lapse
-- now(), of a statement alone its beginning, ends the search in the index, which clock_timestamp() would not.
(SELECT o.id FROM orders o
 WHERE o.status = 'executed' AND o.expired_after <= now()
 ORDER BY o.expired_after
 LIMIT $1)
UNION ALL
(SELECT o.id FROM orders o
 WHERE o.status = 'in_progress' AND o.payment_till <= now()
 ORDER BY o.payment_till
 LIMIT $1)
