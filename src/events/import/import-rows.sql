-- What the import of a catalog file reads and writes. Rows come as a JSON list; a row that is there already and is the
-- same is left alone, and only those that were made or changed are returned.

-- name: lock_imports
SELECT pg_advisory_xact_lock(hashtext('parterre import'));

-- name: next_shard
SELECT nextval('event_shard')::integer AS shard;

-- name: find_partners
SELECT id, ref, NULL AS owner, name
FROM partners
WHERE id = ANY ($1::text[]) OR ref = ANY ($1) OR (ref IS NULL AND name = ANY ($2::text[]));

-- name: find_venues
SELECT id, ref, NULL AS owner, name
FROM venues
WHERE id = ANY ($1::text[]) OR ref = ANY ($1) OR (ref IS NULL AND name = ANY ($2::text[]));

-- name: find_maps
SELECT id, ref, venue AS owner, name
FROM maps
WHERE id = ANY ($1::text[]) OR ref = ANY ($1) OR (ref IS NULL AND name = ANY ($2::text[]));

-- name: find_groups
SELECT id, ref, org AS owner, name
FROM meta_events
WHERE id = ANY ($1::text[]) OR ref = ANY ($1) OR (ref IS NULL AND name = ANY ($2::text[]));

-- name: find_events
SELECT id, ref, org AS owner, title ->> 'text' AS name, start, currency, serial
FROM events
WHERE id = ANY ($1::text[]) OR ref = ANY ($1) OR (ref IS NULL AND title ->> 'text' = ANY ($2::text[]));

-- name: find_deals
SELECT id, ref, org AS owner, vendor AS name
FROM deals
WHERE id = ANY ($1::text[]) OR ref = ANY ($1) OR (ref IS NULL AND vendor = ANY ($2::text[]));

-- name: find_sectors
SELECT id, ref, map AS owner, name, pos, with_seats, rows
FROM sectors
WHERE map = ANY ($1::text[]) OR id = ANY ($2::text[]);

-- name: find_sets
SELECT s.id, s.ref, s.event AS owner, s.name, s.with_seats, s.sector, c.amount, c.vacant, c.pending
FROM sets s
JOIN set_counts c ON c.shard = s.shard AND c."set" = s.id
WHERE s.shard = $1 AND (s.event = $2 OR s.id = ANY ($3::text[]));

-- name: find_rules
SELECT id, NULL AS ref, "set" AS owner, start, finish
FROM set_rules
WHERE shard = $1 AND ("set" = ANY ($2::text[]) OR id = ANY ($3::text[]));

-- name: find_promotions
SELECT id
FROM promotions
WHERE shard = $1 AND event = $2
ORDER BY pos, id;

-- name: find_promocodes
SELECT id, NULL AS ref, event AS owner, code AS name, uses
FROM promocodes
WHERE shard = $1 AND (event = $2 OR id = ANY ($3::text[]));

-- name: find_promokeys
SELECT id, NULL AS ref, event AS owner, code AS name, taken, sets
FROM promokeys
WHERE shard = $1 AND (event = $2 OR id = ANY ($3::text[]));

-- name: find_custom_fields
SELECT id, ref, event AS owner, name, scope
FROM custom_fields
WHERE shard = $1 AND (event = $2 OR id = ANY ($3::text[]));

-- name: find_webhooks
SELECT id, ref, partner AS owner, url AS name
FROM webhooks
WHERE partner = ANY ($1::text[]);

-- name: find_seats
SELECT id, seat_row, seat_number, row_pos, seat_pos, status
FROM tickets
WHERE shard = $1 AND "set" = $2;

-- name: save_partners
INSERT INTO partners (id, ref, name, "desc", tags, contact, legal_detail, media)
SELECT id, ref, name, "desc", tags, contact, legal_detail, media
FROM jsonb_populate_recordset(NULL::partners, $1)
ON CONFLICT (id) DO UPDATE SET
  ref = excluded.ref, name = excluded.name, "desc" = excluded."desc", tags = excluded.tags,
  contact = excluded.contact, legal_detail = excluded.legal_detail, media = excluded.media, updated_at = now()
WHERE (partners.ref, partners.name, partners."desc", partners.tags, partners.contact, partners.legal_detail, partners.media)
  IS DISTINCT FROM (excluded.ref, excluded.name, excluded."desc", excluded.tags, excluded.contact, excluded.legal_detail, excluded.media)
RETURNING id;

-- name: save_countries
INSERT INTO countries (id, name)
SELECT id, name
FROM jsonb_populate_recordset(NULL::countries, $1)
ON CONFLICT (id) DO UPDATE SET name = excluded.name
WHERE countries.name IS DISTINCT FROM excluded.name
RETURNING id;

-- name: save_cities
INSERT INTO cities (id, name, timezone, country)
SELECT id, name, timezone, country
FROM jsonb_populate_recordset(NULL::cities, $1)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone, country = excluded.country
WHERE (cities.name, cities.timezone, cities.country)
  IS DISTINCT FROM (excluded.name, excluded.timezone, excluded.country)
RETURNING id;

-- name: save_venues
INSERT INTO venues (id, ref, name, "desc", address, city, country, point)
SELECT id, ref, name, "desc", address, city, country, point
FROM jsonb_populate_recordset(NULL::venues, $1)
ON CONFLICT (id) DO UPDATE SET
  ref = excluded.ref, name = excluded.name, "desc" = excluded."desc", address = excluded.address,
  city = excluded.city, country = excluded.country, point = excluded.point
WHERE (venues.ref, venues.name, venues."desc", venues.address, venues.city, venues.country, venues.point)
  IS DISTINCT FROM (excluded.ref, excluded.name, excluded."desc", excluded.address, excluded.city, excluded.country, excluded.point)
RETURNING id;

-- name: save_maps
INSERT INTO maps (id, ref, venue, name, svg)
SELECT id, ref, venue, name, svg
FROM jsonb_populate_recordset(NULL::maps, $1)
ON CONFLICT (id) DO UPDATE SET
  ref = excluded.ref, venue = excluded.venue, name = excluded.name, svg = excluded.svg
WHERE (maps.ref, maps.venue, maps.name, maps.svg)
  IS DISTINCT FROM (excluded.ref, excluded.venue, excluded.name, excluded.svg)
RETURNING id;

-- name: save_sectors
INSERT INTO sectors (id, ref, map, pos, name, with_seats, rows)
SELECT id, ref, map, pos, name, with_seats, rows
FROM jsonb_populate_recordset(NULL::sectors, $1)
ON CONFLICT (id) DO UPDATE SET ref = excluded.ref, pos = excluded.pos, name = excluded.name, rows = excluded.rows
WHERE (sectors.ref, sectors.pos, sectors.name, sectors.rows)
  IS DISTINCT FROM (excluded.ref, excluded.pos, excluded.name, excluded.rows)
RETURNING id;

-- name: save_meta_events
INSERT INTO meta_events (id, ref, org, name, "desc", age_rating, media)
SELECT id, ref, org, name, "desc", age_rating, media
FROM jsonb_populate_recordset(NULL::meta_events, $1)
ON CONFLICT (id) DO UPDATE SET
  ref = excluded.ref, name = excluded.name, "desc" = excluded."desc", age_rating = excluded.age_rating,
  media = excluded.media
WHERE (meta_events.ref, meta_events.name, meta_events."desc", meta_events.age_rating, meta_events.media)
  IS DISTINCT FROM (excluded.ref, excluded.name, excluded."desc", excluded.age_rating, excluded.media)
RETURNING id;

-- name: save_events
INSERT INTO events (
  shard, id, ref, org, venue, map, meta, title, status, start, finish, open_date, currency, age_rating, tags, category,
  artists, media, ticket_template, view_limits, order_lifetime_s, max_tickets_per_order, promokey_required,
  smart_tickets, refund_policy, serial)
SELECT
  shard, id, ref, org, venue, map, meta, title, status, start, finish, open_date, currency, age_rating, tags, category,
  artists, media, ticket_template, view_limits, order_lifetime_s, max_tickets_per_order, promokey_required,
  smart_tickets, refund_policy, serial
FROM jsonb_populate_recordset(NULL::events, $1)
ON CONFLICT (shard, id) DO UPDATE SET
  ref = excluded.ref, venue = excluded.venue, map = excluded.map, meta = excluded.meta, title = excluded.title,
  status = excluded.status, start = excluded.start, finish = excluded.finish, open_date = excluded.open_date,
  age_rating = excluded.age_rating, tags = excluded.tags, category = excluded.category, artists = excluded.artists,
  media = excluded.media, ticket_template = excluded.ticket_template, view_limits = excluded.view_limits,
  order_lifetime_s = excluded.order_lifetime_s, max_tickets_per_order = excluded.max_tickets_per_order,
  promokey_required = excluded.promokey_required, smart_tickets = excluded.smart_tickets,
  refund_policy = excluded.refund_policy
WHERE (events.ref, events.venue, events.map, events.meta, events.title, events.status, events.start, events.finish,
       events.open_date, events.age_rating, events.tags, events.category, events.artists, events.media,
       events.ticket_template, events.view_limits, events.order_lifetime_s, events.max_tickets_per_order,
       events.promokey_required, events.smart_tickets, events.refund_policy)
  IS DISTINCT FROM
      (excluded.ref, excluded.venue, excluded.map, excluded.meta, excluded.title, excluded.status, excluded.start, excluded.finish,
       excluded.open_date, excluded.age_rating, excluded.tags, excluded.category, excluded.artists, excluded.media,
       excluded.ticket_template, excluded.view_limits, excluded.order_lifetime_s, excluded.max_tickets_per_order,
       excluded.promokey_required, excluded.smart_tickets, excluded.refund_policy)
RETURNING id;

-- name: save_sets
INSERT INTO sets (shard, id, event, ref, pos, name, "desc", price, with_seats, sector, promokey_required)
SELECT shard, id, event, ref, pos, name, "desc", price, with_seats, sector, promokey_required
FROM jsonb_populate_recordset(NULL::sets, $1)
ON CONFLICT (shard, id) DO UPDATE SET
  ref = excluded.ref, pos = excluded.pos, name = excluded.name, "desc" = excluded."desc", price = excluded.price,
  sector = excluded.sector, promokey_required = excluded.promokey_required
WHERE (sets.ref, sets.pos, sets.name, sets."desc", sets.price, sets.sector, sets.promokey_required)
  IS DISTINCT FROM (excluded.ref, excluded.pos, excluded.name, excluded."desc", excluded.price, excluded.sector, excluded.promokey_required)
RETURNING event AS id;

-- name: save_set_rules
INSERT INTO set_rules (shard, id, "set", start, finish, price)
SELECT shard, id, "set", start, finish, price
FROM jsonb_populate_recordset(NULL::set_rules, $1)
ON CONFLICT (shard, id) DO UPDATE SET start = excluded.start, finish = excluded.finish, price = excluded.price
WHERE (set_rules.start, set_rules.finish, set_rules.price)
  IS DISTINCT FROM (excluded.start, excluded.finish, excluded.price)
RETURNING "set" AS id;

-- name: delete_rules
DELETE FROM set_rules
WHERE shard = $1 AND id = ANY ($2::text[]);

-- name: save_promotions
INSERT INTO promotions (shard, id, event, pos, start, finish, sets, percentage, fix, levels)
SELECT shard, id, event, pos, start, finish, sets, percentage, fix, levels
FROM jsonb_populate_recordset(NULL::promotions, $1)
ON CONFLICT (shard, id) DO UPDATE SET
  pos = excluded.pos, start = excluded.start, finish = excluded.finish, sets = excluded.sets,
  percentage = excluded.percentage, fix = excluded.fix, levels = excluded.levels
WHERE (promotions.pos, promotions.start, promotions.finish, promotions.sets, promotions.percentage, promotions.fix, promotions.levels)
  IS DISTINCT FROM (excluded.pos, excluded.start, excluded.finish, excluded.sets, excluded.percentage, excluded.fix, excluded.levels)
RETURNING event AS id;

-- name: delete_promotions
DELETE FROM promotions
WHERE shard = $1 AND id = ANY ($2::text[]);

-- name: save_promocodes
INSERT INTO promocodes (
  shard, id, event, code, percentage, fix, start, finish, sets, min_tickets, max_tickets, use_limit, viral)
SELECT shard, id, event, code, percentage, fix, start, finish, sets, min_tickets, max_tickets, use_limit, viral
FROM jsonb_populate_recordset(NULL::promocodes, $1)
ORDER BY id
ON CONFLICT (shard, id) DO UPDATE SET
  code = excluded.code, percentage = excluded.percentage, fix = excluded.fix, start = excluded.start,
  finish = excluded.finish, sets = excluded.sets, min_tickets = excluded.min_tickets,
  max_tickets = excluded.max_tickets, use_limit = excluded.use_limit, viral = excluded.viral
WHERE (promocodes.code, promocodes.percentage, promocodes.fix, promocodes.start, promocodes.finish, promocodes.sets,
       promocodes.min_tickets, promocodes.max_tickets, promocodes.use_limit, promocodes.viral)
  IS DISTINCT FROM
      (excluded.code, excluded.percentage, excluded.fix, excluded.start, excluded.finish, excluded.sets,
       excluded.min_tickets, excluded.max_tickets, excluded.use_limit, excluded.viral)
RETURNING event AS id;

-- name: save_promokeys
INSERT INTO promokeys (shard, id, event, code, sets, start, finish, tickets_limit, single_order)
SELECT shard, id, event, code, sets, start, finish, tickets_limit, single_order
FROM jsonb_populate_recordset(NULL::promokeys, $1)
ORDER BY id
ON CONFLICT (shard, id) DO UPDATE SET
  code = excluded.code, sets = excluded.sets, start = excluded.start, finish = excluded.finish,
  tickets_limit = excluded.tickets_limit, single_order = excluded.single_order
WHERE (promokeys.code, promokeys.sets, promokeys.start, promokeys.finish, promokeys.tickets_limit, promokeys.single_order)
  IS DISTINCT FROM (excluded.code, excluded.sets, excluded.start, excluded.finish, excluded.tickets_limit, excluded.single_order)
RETURNING event AS id;

-- name: count_orders_of_keys
-- Live and done orders with tickets, whether or not these are of the sets of the key.
SELECT k.id, count(*) AS orders
FROM unnest($1::smallint[], $2::text[]) AS k (shard, id)
JOIN orders o ON o.shard = k.shard AND o.promokey = k.id AND o.tickets <> '{}'
GROUP BY k.id;

-- name: save_custom_fields
INSERT INTO custom_fields (shard, id, event, ref, pos, scope, kind, name, required, bounds)
SELECT shard, id, event, ref, pos, scope, kind, name, required, bounds
FROM jsonb_populate_recordset(NULL::custom_fields, $1)
ON CONFLICT (shard, id) DO UPDATE SET
  ref = excluded.ref, pos = excluded.pos, scope = excluded.scope, kind = excluded.kind, name = excluded.name,
  required = excluded.required, bounds = excluded.bounds
WHERE (custom_fields.ref, custom_fields.pos, custom_fields.scope, custom_fields.kind, custom_fields.name,
       custom_fields.required, custom_fields.bounds)
  IS DISTINCT FROM
      (excluded.ref, excluded.pos, excluded.scope, excluded.kind, excluded.name, excluded.required, excluded.bounds)
RETURNING event AS id;

-- name: touch_events
-- By the clock: of two imports that began in one order and wrote in the other, the later writing has the later time.
UPDATE events SET updated_at = clock_timestamp()
WHERE (shard, id) IN (SELECT * FROM unnest($1::smallint[], $2::text[]));

-- Of each event its organizer and the vendors that have a deal for it, now or later, as far as they have webhooks.
-- name: partners_to_notify
SELECT c.event, c.partner
FROM (
  SELECT e.id AS event, e.org AS partner
  FROM events e
  WHERE (e.shard, e.id) IN (SELECT * FROM unnest($1::smallint[], $2::text[]))
  UNION
  SELECT e.id, d.vendor
  FROM events e
  JOIN deals d ON d.org = e.org
  WHERE (e.shard, e.id) IN (SELECT * FROM unnest($1::smallint[], $2::text[]))
    AND d.active AND (d.finish IS NULL OR d.finish > now()) AND (d.events IS NULL OR e.id = ANY (d.events))
) c
WHERE c.partner IN (SELECT partner FROM webhooks WHERE disabled_at IS NULL);

-- name: save_deals
INSERT INTO deals (id, ref, org, vendor, events, org_share, agent, extra, start, finish, active, refund_approval)
SELECT id, ref, org, vendor, events, org_share, agent, extra, start, finish, active, refund_approval
FROM jsonb_populate_recordset(NULL::deals, $1)
ON CONFLICT (id) DO UPDATE SET
  ref = excluded.ref, events = excluded.events, org_share = excluded.org_share, agent = excluded.agent,
  extra = excluded.extra, start = excluded.start, finish = excluded.finish, active = excluded.active,
  refund_approval = excluded.refund_approval
WHERE (deals.ref, deals.events, deals.org_share, deals.agent, deals.extra, deals.start, deals.finish, deals.active,
       deals.refund_approval)
  IS DISTINCT FROM
      (excluded.ref, excluded.events, excluded.org_share, excluded.agent, excluded.extra, excluded.start,
       excluded.finish, excluded.active, excluded.refund_approval)
RETURNING id;

-- name: save_api_keys
INSERT INTO api_keys (id, name, partner, hash, hint, origin, permissions, events, expires_at)
SELECT id, name, partner, hash, hint, origin, permissions, events, expires_at
FROM jsonb_populate_recordset(NULL::api_keys, $1)
ON CONFLICT (partner, name) DO UPDATE SET
  origin = excluded.origin, permissions = excluded.permissions, events = excluded.events,
  expires_at = excluded.expires_at
WHERE (api_keys.origin, api_keys.permissions, api_keys.events, api_keys.expires_at)
  IS DISTINCT FROM (excluded.origin, excluded.permissions, excluded.events, excluded.expires_at)
RETURNING id;

-- name: save_webhooks
INSERT INTO webhooks (id, ref, partner, url, types, secret)
SELECT id, ref, partner, url, types, secret
FROM jsonb_populate_recordset(NULL::webhooks, $1)
ON CONFLICT (id) DO UPDATE SET ref = excluded.ref, url = excluded.url, types = excluded.types
WHERE (webhooks.ref, webhooks.url, webhooks.types) IS DISTINCT FROM (excluded.ref, excluded.url, excluded.types)
RETURNING id;

-- name: insert_tickets
INSERT INTO tickets (
  shard, id, event, "set", serial, number, sector, seat_row, seat_number, row_pos, seat_pos, status)
SELECT
  $1, t.id, $2, $3, $4, $5 + t.nth - 1, $6, t.seat_row, t.seat_number, t.row_pos, t.seat_pos,
  CASE WHEN t.pending THEN 'pending' ELSE 'vacant' END
FROM unnest($7::text[], $8::boolean[], $9::text[], $10::text[], $11::integer[], $12::integer[])
  WITH ORDINALITY AS t (id, pending, seat_row, seat_number, row_pos, seat_pos, nth);

-- Waits for whoever has one of the tickets, so it must come before anything else is locked.
-- name: lock_tickets
SELECT id
FROM tickets
WHERE shard = $1 AND id = ANY ($2::text[])
ORDER BY id
FOR UPDATE;

-- name: move_seats
UPDATE tickets SET row_pos = m.row_pos, seat_pos = m.seat_pos
FROM unnest($2::text[], $3::integer[], $4::integer[]) AS m (id, row_pos, seat_pos)
WHERE tickets.shard = $1 AND tickets.id = m.id;

-- A ticket that somebody has locked is being sold, so it is passed over: waiting for it here could deadlock.
-- name: turn_seats
UPDATE tickets SET status = $4
WHERE shard = $1 AND id = ANY (ARRAY (
  SELECT id
  FROM tickets
  WHERE shard = $1 AND id = ANY ($2::text[]) AND status = $3
  FOR UPDATE SKIP LOCKED))
RETURNING id;

-- The withheld tickets of a set without seats are its last: withholding begins at the end, giving back at the front.
-- name: turn_some
UPDATE tickets SET status = $4
WHERE shard = $1 AND id = ANY (ARRAY (
  SELECT id
  FROM tickets
  WHERE shard = $1 AND "set" = $2 AND status = $3
  ORDER BY CASE $3 WHEN 'vacant' THEN -number ELSE number END
  LIMIT $5
  FOR UPDATE SKIP LOCKED))
RETURNING id;

-- name: insert_counts
INSERT INTO set_counts (shard, "set", event, amount, vacant, held, sold, pending)
VALUES ($1, $2, $3, $4::integer + $5::integer, $4, 0, 0, $5);

-- name: change_counts
UPDATE set_counts SET amount = amount + $3 + $4, vacant = vacant + $3, pending = pending + $4
WHERE shard = $1 AND "set" = $2;

-- name: ensure_accounts
INSERT INTO accounts (id, partner, kind, currency)
SELECT id, partner, kind, currency
FROM jsonb_populate_recordset(NULL::accounts, $1)
ON CONFLICT ON CONSTRAINT accounts_one_of_a_kind DO NOTHING;

-- name: find_accounts
SELECT id, partner, currency, credit_limit
FROM accounts
WHERE kind = 'cash' OR (kind = 'vendor' AND partner = ANY ($1::text[]));

-- name: find_deposits
SELECT debit_account, ref, credit_account, amount
FROM transfers
WHERE kind = 'deposit' AND debit_account = ANY ($1::text[]) AND ref = ANY ($2::text[]);

-- name: lock_account
SELECT balance, credit_limit
FROM accounts
WHERE id = $1
FOR UPDATE;

-- name: insert_deposit
INSERT INTO transfers (debit_account, kind, ref, credit_account, amount, created_at)
VALUES ($1, 'deposit', $2, $3, $4, to_timestamp($5::bigint / 1000.0))
ON CONFLICT ON CONSTRAINT transfers_once DO NOTHING
RETURNING ref;

-- name: change_account
UPDATE accounts SET balance = balance + $2, credit_limit = coalesce($3, credit_limit)
WHERE id = $1;

-- name: notify_catalog
SELECT pg_notify('catalog', '');
