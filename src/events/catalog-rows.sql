-- name: load_events
SELECT e.shard, e.id, e.title, e.status, e.start, e.finish, e.open_date, e.currency, e.age_rating, e.meta,
       e.category, e.tags, e.artists, e.media, e.ticket_template, e.view_limits, e.order_lifetime_s,
       e.max_tickets_per_order, e.promokey_required, e.smart_tickets, e.refund_policy, e.updated_at,
       json_build_object('id', p.id, 'name', p.name, 'desc', p."desc", 'tags', p.tags, 'contact', p.contact,
                         'legal_detail', p.legal_detail, 'media', p.media) AS org,
       json_build_object('id', v.id, 'name', v.name, 'desc', v."desc", 'address', v.address, 'point', v.point,
                         'city', json_build_object('id', c.id, 'name', c.name, 'timezone', c.timezone,
                                                   'country', c.country),
                         'country', json_build_object('id', y.id, 'name', y.name)) AS venue,
       CASE WHEN m.id IS NOT NULL
            THEN json_build_object('id', m.id, 'name', m.name,
                                   'svg', ARRAY(SELECT jsonb_object_keys(m.svg) COLLATE "C" ORDER BY 1)) END AS map,
       coalesce((SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'with_seats', s.with_seats)
                                 ORDER BY s.pos, s.id)
                 FROM sectors s WHERE s.map = m.id), '[]') AS sectors
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, id)
JOIN events e ON e.shard = wanted.shard AND e.id = wanted.id
JOIN partners p ON p.id = e.org
JOIN venues v ON v.id = e.venue
JOIN cities c ON c.id = v.city
JOIN countries y ON y.id = v.country
LEFT JOIN maps m ON m.id = e.map

-- name: load_sets
-- One row for each rule of a set, and one for a set without rules.
SELECT s.event, s.id, s.pos, s.name, s."desc", s.price, s.with_seats, s.sector, s.promokey_required,
       r.id AS rule, r.start AS rule_start, r.finish AS rule_finish, r.price AS rule_price
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, event)
JOIN sets s ON s.shard = wanted.shard AND s.event = wanted.event
LEFT JOIN set_rules r ON r.shard = s.shard AND r."set" = s.id
ORDER BY s.pos, s.id, r.start, r.id

-- name: load_promotions
SELECT p.event, p.id, p.start, p.finish, p.sets, p.percentage, p.fix, p.levels
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, event)
JOIN promotions p ON p.shard = wanted.shard AND p.event = wanted.event
ORDER BY p.pos, p.id

-- name: load_custom_fields
SELECT f.event, f.id, f.scope, f.kind, f.name, f.required, f.bounds
FROM unnest($1::smallint[], $2::text[]) AS wanted (shard, event)
JOIN custom_fields f ON f.shard = wanted.shard AND f.event = wanted.event
ORDER BY f.pos, f.id

-- name: load_deals
SELECT d.id, d.org, d.vendor, d.events, d.org_share, d.agent, d.extra, d.start, d.finish, d.active, d.refund_approval
FROM deals d
WHERE d.org = ANY($1::text[])
ORDER BY d.id DESC

-- name: load_accounts
-- Where the organizers' sales are paid to, and where their vendors pay from.
SELECT a.id, a.partner, a.kind, a.currency
FROM accounts a
WHERE (a.kind = 'org' AND a.partner = ANY($1::text[]))
   OR (a.kind = 'vendor' AND a.partner IN (SELECT d.vendor FROM deals d WHERE d.org = ANY($1::text[])))

-- name: load_partners
SELECT p.id, p.name, p."desc", p.tags, p.contact, p.legal_detail, p.media FROM partners p WHERE p.id = ANY($1::text[])
