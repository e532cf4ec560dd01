-- name: settings
-- For this transaction only: the joins of a big store are hashed in memory, and compiling the statements costs more than it saves.
SELECT set_config('work_mem', '256MB', true), set_config('jit', 'off', true)

-- Every block below answers the breaches of one invariant: how many there are in all (on every row) and the first few,
-- each a line for people. Money in the lines is minor units.

-- name: ticket_order
SELECT count(*) OVER () AS count,
       format('ticket %s of event %s is %s (reserved till %s, barcode %s) in order %s, which is %s', t.id, t.event, t.status,
              coalesce(t.reserved_till::text, 'none'), coalesce(t.barcode, 'none'), coalesce(t."order", 'none'),
              CASE WHEN o.id IS NULL THEN 'none'
                   ELSE format('of event %s, %s (expires after %s) and %s it', o.event, o.status, o.expired_after,
                               CASE WHEN t.id = ANY (o.tickets) THEN 'lists' ELSE 'does not list' END) END) AS example
FROM tickets t
LEFT JOIN orders o ON o.shard = t.shard AND o.id = t."order"
WHERE CASE
        WHEN t."order" IS NULL THEN
          t.status IN ('vacant', 'pending')
          AND num_nonnulls(t.reserved_till, t.price, t.discount, t.nominal, t.extra, t.barcode) = 0
        WHEN t.event <> o.event OR t.id <> ALL (o.tickets) THEN
          false
        WHEN o.status = 'executed' THEN
          t.status = 'reserved' AND t.barcode IS NULL AND t.reserved_till = o.expired_after
        WHEN o.status = 'in_progress' THEN
          t.status = 'reserved' AND t.barcode IS NULL
          AND t.reserved_till BETWEEN o.expired_after AND o.expired_after + interval '30 minutes'
        WHEN o.status = 'done' THEN
          t.status = 'sold' AND t.barcode IS NOT NULL AND t.reserved_till IS NULL
      END IS NOT TRUE
ORDER BY example
LIMIT 5

-- name: ticket_money
-- extra is rounded half to even. The nominal is cut in millions and rest, so that no product leaves bigint.
SELECT count(*) OVER () AS count,
       format('ticket %s: price %s, discount %s, nominal %s, extra %s where %s is due', t.id,
              t.price, t.discount, t.nominal, t.extra, due.extra) AS example
FROM tickets t
JOIN orders o ON o.shard = t.shard AND o.id = t."order"
CROSS JOIN LATERAL (
  SELECT t.nominal / 1000000 * o.extra_share + t.nominal % 1000000 * o.extra_share / 1000000 AS below,
         t.nominal % 1000000 * o.extra_share % 1000000 AS rest
) share
CROSS JOIN LATERAL (
  SELECT share.below + (share.rest > 500000 OR (share.rest = 500000 AND share.below % 2 = 1))::integer AS extra
) due
WHERE (t.discount >= 0 AND t.nominal >= 0 AND t.nominal = t.price - t.discount AND t.extra = due.extra) IS NOT TRUE
ORDER BY example
LIMIT 5

-- name: ticket_set
SELECT count(*) OVER () AS count,
       format('ticket %s of event %s in sector %s is in set %s of event %s in sector %s', t.id, t.event,
              coalesce(t.sector, 'none'), t."set", coalesce(s.event, 'none'), coalesce(s.sector, 'none')) AS example
FROM tickets t
LEFT JOIN sets s ON s.shard = t.shard AND s.id = t."set"
WHERE s.event IS DISTINCT FROM t.event OR t.sector IS DISTINCT FROM CASE WHEN s.with_seats THEN s.sector END
ORDER BY example
LIMIT 5

-- name: ticket_number
SELECT count(*) OVER () AS count, b.example
FROM (
  SELECT format('ticket %s has serial %s, its event %s has %s', t.id, t.serial, t.event, coalesce(e.serial, 'none')) AS example
  FROM tickets t
  LEFT JOIN events e ON e.shard = t.shard AND e.id = t.event
  WHERE e.serial IS DISTINCT FROM t.serial
  UNION ALL
  SELECT format('event %s has number %s on %s tickets', t.event, t.number, count(*))
  FROM tickets t
  GROUP BY t.shard, t.event, t.number
  HAVING count(*) > 1
) b
ORDER BY b.example
LIMIT 5

-- name: ticket_seat
SELECT count(*) OVER () AS count,
       format('event %s has %s tickets for sector %s row %s seat %s', t.event, count(*), t.sector, t.seat_row,
              t.seat_number) AS example
FROM tickets t
WHERE t.sector IS NOT NULL
GROUP BY t.shard, t.event, t.sector, t.seat_row, t.seat_number
HAVING count(*) > 1
ORDER BY example
LIMIT 5

-- name: ticket_barcode
-- The first five digits are the shard, so a barcode that two shards share is wrong in one of them.
SELECT count(*) OVER () AS count, b.example
FROM (
  SELECT format('ticket %s of shard %s has barcode %s', t.id, t.shard, t.barcode) AS example
  FROM tickets t
  WHERE length(t.barcode) <> 17 OR btrim(t.barcode, '0123456789') <> ''
     OR left(t.barcode, 5) <> (10000 + (t.shard & 65535))::text
  UNION ALL
  SELECT format('barcode %s is on %s tickets', t.barcode, count(*))
  FROM tickets t
  WHERE t.barcode IS NOT NULL
  GROUP BY t.shard, t.barcode
  HAVING count(*) > 1
) b
ORDER BY b.example
LIMIT 5

-- name: set_counts
SELECT count(*) OVER () AS count,
       format('set %s: counts (amount, vacant, held, sold, pending) = (%s), tickets (%s)', s.id,
              CASE WHEN c."set" IS NULL THEN 'none'
                   ELSE concat_ws(', ', c.amount, c.vacant, c.held, c.sold, c.pending) END,
              concat_ws(', ', coalesce(t.amount, 0), coalesce(t.vacant, 0), coalesce(t.held, 0), coalesce(t.sold, 0),
                        coalesce(t.pending, 0))) AS example
FROM sets s
LEFT JOIN set_counts c ON c.shard = s.shard AND c."set" = s.id
LEFT JOIN (
  SELECT shard, "set", count(*) AS amount,
         count(*) FILTER (WHERE status = 'vacant') AS vacant,
         count(*) FILTER (WHERE status = 'reserved') AS held,
         count(*) FILTER (WHERE status = 'sold') AS sold,
         count(*) FILTER (WHERE status = 'pending') AS pending
  FROM tickets
  GROUP BY shard, "set"
) t ON t.shard = s.shard AND t."set" = s.id
WHERE (c.event, c.amount, c.vacant, c.held, c.sold, c.pending)
      IS DISTINCT FROM (s.event, coalesce(t.amount, 0), coalesce(t.vacant, 0), coalesce(t.held, 0),
                        coalesce(t.sold, 0), coalesce(t.pending, 0))
ORDER BY example
LIMIT 5

-- name: order_state
SELECT count(*) OVER () AS count,
       format('order %s is %s: done at %s, expires after %s, code %s, %s tickets, charge %s', o.id, o.status,
              coalesce(o.done_at::text, 'none'), o.expired_after, coalesce(o.code, 'none'), cardinality(o.tickets),
              o.charge) AS example
FROM orders o
WHERE CASE
        WHEN o.status = 'done' THEN
          o.code ~ '^[a-z0-9]{8}$'
          AND o.done_at IS NOT NULL
          AND (o.done_at <= o.expired_after + interval '30 minutes'
               OR EXISTS (SELECT FROM payments p
                          WHERE p.shard = o.shard AND p."order" = o.id AND p.status = 'confirmed'))
        WHEN o.status IN ('executed', 'in_progress') THEN
          num_nonnulls(o.done_at, o.code) = 0 AND o.charge = 0
        WHEN o.status IN ('cancelled', 'expired') THEN
          num_nonnulls(o.done_at, o.code) = 0 AND o.charge = 0 AND o.tickets = '{}'
      END IS NOT TRUE
ORDER BY example
LIMIT 5

-- name: order_number
SELECT count(*) OVER () AS count, b.example
FROM (
  SELECT format('number %s is on %s orders', o.number, count(*)) AS example
  FROM orders o
  GROUP BY o.number
  HAVING count(*) > 1
  UNION ALL
  SELECT format('code %s is on %s orders', o.code, count(*))
  FROM orders o
  WHERE o.code IS NOT NULL
  GROUP BY o.code
  HAVING count(*) > 1
) b
ORDER BY b.example
LIMIT 5

-- name: order_parties
SELECT count(*) OVER () AS count,
       format('order %s (org %s, vendor %s, %s) is of event %s (org %s, %s) under deal %s (org %s, vendor %s), fee share %s',
              o.id, o.org, o.vendor, o.currency, o.event, coalesce(e.org, 'none'), coalesce(e.currency, 'none'),
              coalesce(o.deal, 'none'), coalesce(d.org, 'none'), coalesce(d.vendor, 'none'), o.extra_share) AS example
FROM orders o
LEFT JOIN events e ON e.shard = o.shard AND e.id = o.event
LEFT JOIN deals d ON d.id = o.deal
WHERE (e.org, e.currency) IS DISTINCT FROM (o.org, o.currency)
   OR CASE WHEN o.vendor = o.org THEN o.deal IS NOT NULL OR o.extra_share <> 0
           ELSE (d.org, d.vendor) IS DISTINCT FROM (o.org, o.vendor) END
ORDER BY example
LIMIT 5

-- name: order_tickets
-- With ticket_order: each ticket that names the order is on its list, and the list is no longer than they are many, so no
-- list has a ticket twice or one of another order. The charge is rounded like ticket_money's extra: per ticket, half to
-- even.
SELECT count(*) OVER () AS count,
       format('order %s: (tickets, price, discount, nominal, extra, charge) = (%s), the tickets that name it make (%s)', o.id,
              concat_ws(', ', cardinality(o.tickets), o.price, o.discount, o.nominal, o.extra, o.charge),
              concat_ws(', ', coalesce(made.tickets, 0), coalesce(made.price, 0), coalesce(made.discount, 0),
                        coalesce(made.nominal, 0), coalesce(made.extra, 0), coalesce(made.charge, 0))) AS example
FROM orders o
LEFT JOIN (
  SELECT t.shard, t."order", count(*) AS tickets, sum(t.price) AS price, sum(t.discount) AS discount,
         sum(t.nominal) AS nominal, sum(t.extra) AS extra, sum(due.charge) AS charge
  FROM tickets t
  LEFT JOIN orders charged ON charged.shard = t.shard AND charged.id = t."order"
       AND charged.status = 'done' AND charged.vendor <> charged.org
  CROSS JOIN LATERAL (
    SELECT t.nominal / 1000000 * charged.org_share + t.nominal % 1000000 * charged.org_share / 1000000 AS below,
           t.nominal % 1000000 * charged.org_share % 1000000 AS rest
  ) share
  CROSS JOIN LATERAL (
    SELECT share.below + (share.rest > 500000 OR (share.rest = 500000 AND share.below % 2 = 1))::integer AS charge
  ) due
  WHERE t."order" IS NOT NULL
  GROUP BY t.shard, t."order"
) made ON made.shard = o.shard AND made."order" = o.id
WHERE (cardinality(o.tickets), o.price, o.discount, o.nominal, o.extra, o.charge)
      IS DISTINCT FROM (coalesce(made.tickets, 0), coalesce(made.price, 0), coalesce(made.discount, 0),
                        coalesce(made.nominal, 0), coalesce(made.extra, 0), coalesce(made.charge, 0))
ORDER BY example
LIMIT 5

-- name: order_sale
-- Completion charged what is now the charge of the tickets left, and the shares of those that were refunded since.
SELECT count(*) OVER () AS count,
       format('order %s: %s to move from %s to %s, moved %s from %s to %s by %s transfers', coalesce(due.id, paid.ref),
              coalesce(due.charge, 0), coalesce(due.debit_account, 'none'), coalesce(due.credit_account, 'none'),
              coalesce(paid.amount, 0), coalesce(paid.debit_account, 'none'), coalesce(paid.credit_account, 'none'),
              coalesce(paid.times, 0)) AS example
FROM (
  SELECT o.id, o.charge + coalesce(gone.charge, 0) AS charge, v.id AS debit_account, r.id AS credit_account
  FROM orders o
  LEFT JOIN (
    SELECT q.shard, q."order", sum(due.charge) AS charge
    FROM refund_requests q
    JOIN orders charged ON charged.shard = q.shard AND charged.id = q."order" AND charged.vendor <> charged.org
    CROSS JOIN LATERAL jsonb_to_recordset(q.ticket_records) AS t (nominal bigint)
    CROSS JOIN LATERAL (
      SELECT t.nominal / 1000000 * charged.org_share + t.nominal % 1000000 * charged.org_share / 1000000 AS below,
             t.nominal % 1000000 * charged.org_share % 1000000 AS rest
    ) share
    CROSS JOIN LATERAL (
      SELECT share.below + (share.rest > 500000 OR (share.rest = 500000 AND share.below % 2 = 1))::integer AS charge
    ) due
    WHERE q.status = 'approved'
    GROUP BY q.shard, q."order"
  ) gone ON gone.shard = o.shard AND gone."order" = o.id
  LEFT JOIN accounts v ON v.partner = o.vendor AND v.kind = 'vendor' AND v.currency = o.currency
  LEFT JOIN accounts r ON r.partner = o.org AND r.kind = 'org' AND r.currency = o.currency
  WHERE o.status = 'done' AND o.charge + coalesce(gone.charge, 0) > 0
) due
FULL JOIN (
  SELECT ref, debit_account, credit_account, count(*) AS times, sum(amount) AS amount
  FROM transfers
  WHERE kind = 'sale'
  GROUP BY ref, debit_account, credit_account
) paid ON paid.ref = due.id
WHERE (due.charge, due.debit_account, due.credit_account, 1)
      IS DISTINCT FROM (paid.amount, paid.debit_account, paid.credit_account, paid.times)
ORDER BY example
LIMIT 5

-- name: refund_request
-- The share is rounded like the charge, of what each ticket pays back.
SELECT count(*) OVER () AS count,
       format('refund request %s (%s, culprit %s) of order %s: (nominal, customer, share) = (%s), its %s tickets make (%s)',
              q.id, q.status, q.culprit, q."order", concat_ws(', ', q.refund_nominal, q.customer_money, q.share),
              coalesce(made.tickets, 0), concat_ws(', ', made.refunded, made.customer_money, made.share)) AS example
FROM refund_requests q
LEFT JOIN orders o ON o.shard = q.shard AND o.id = q."order"
CROSS JOIN LATERAL (
  SELECT count(*) AS tickets, array_agg(t.id ORDER BY t.nth) AS ids, sum(t.refunded) AS refunded,
         sum(t.refunded + CASE q.culprit WHEN 'org' THEN t.extra ELSE 0 END) AS customer_money,
         sum(CASE WHEN o.vendor = o.org THEN 0 ELSE due.share END) AS share,
         bool_and(t.refunded BETWEEN 0 AND t.nominal AND (q.culprit = 'user' OR t.refunded = t.nominal)) AS within
  FROM ROWS FROM (jsonb_to_recordset(q.ticket_records) AS (id text, nominal bigint, extra bigint, refunded bigint))
       WITH ORDINALITY AS t (id, nominal, extra, refunded, nth)
  CROSS JOIN LATERAL (
    SELECT t.refunded / 1000000 * o.org_share + t.refunded % 1000000 * o.org_share / 1000000 AS below,
           t.refunded % 1000000 * o.org_share % 1000000 AS rest
  ) share
  CROSS JOIN LATERAL (
    SELECT share.below + (share.rest > 500000 OR (share.rest = 500000 AND share.below % 2 = 1))::integer AS share
  ) due
) made
WHERE (o.status = 'done' AND (o.event, o.org, o.vendor) = (q.event, q.org, q.vendor) AND made.within
       AND made.ids = q.tickets AND q.created_at <= coalesce(q.finished_at, q.created_at)
       AND (made.refunded, made.customer_money, made.share) = (q.refund_nominal, q.customer_money, q.share)) IS NOT TRUE
ORDER BY example
LIMIT 5

-- name: refund_ticket
-- Tickets leave their order as a request is approved, and an ended order takes none, so they never come back to it.
SELECT count(*) OVER () AS count, b.example
FROM (
  SELECT format('refund request %s is %s: its tickets are %s, those of order %s are %s', q.id, q.status, q.tickets, q."order",
                coalesce(o.tickets::text, 'none')) AS example
  FROM refund_requests q
  LEFT JOIN orders o ON o.shard = q.shard AND o.id = q."order"
  WHERE CASE WHEN q.status IN ('new', 'in_progress') THEN q.tickets <@ o.tickets
             WHEN q.status = 'approved' THEN NOT q.tickets && o.tickets
             ELSE true END IS NOT TRUE
  UNION ALL
  SELECT format('ticket %s of order %s is in %s refund requests that are not rejected', t.id, q."order", count(*))
  FROM refund_requests q
  CROSS JOIN LATERAL unnest(q.tickets) AS t (id)
  WHERE q.status <> 'rejected'
  GROUP BY q.shard, q."order", t.id
  HAVING count(*) > 1
) b
ORDER BY b.example
LIMIT 5

-- name: refund_transfer
SELECT count(*) OVER () AS count,
       format('refund request %s: %s to move from %s to %s, moved %s from %s to %s by %s transfers',
              coalesce(due.id, paid.ref), coalesce(due.share, 0), coalesce(due.debit_account, 'none'),
              coalesce(due.credit_account, 'none'), coalesce(paid.amount, 0), coalesce(paid.debit_account, 'none'),
              coalesce(paid.credit_account, 'none'), coalesce(paid.times, 0)) AS example
FROM (
  SELECT q.id, q.share, r.id AS debit_account, v.id AS credit_account
  FROM refund_requests q
  LEFT JOIN orders o ON o.shard = q.shard AND o.id = q."order"
  LEFT JOIN accounts v ON v.partner = q.vendor AND v.kind = 'vendor' AND v.currency = o.currency
  LEFT JOIN accounts r ON r.partner = q.org AND r.kind = 'org' AND r.currency = o.currency
  WHERE q.status = 'approved' AND q.share > 0
) due
FULL JOIN (
  SELECT ref, debit_account, credit_account, count(*) AS times, sum(amount) AS amount
  FROM transfers
  WHERE kind = 'refund'
  GROUP BY ref, debit_account, credit_account
) paid ON paid.ref = due.id
WHERE (due.share, due.debit_account, due.credit_account, 1)
      IS DISTINCT FROM (paid.amount, paid.debit_account, paid.credit_account, paid.times)
ORDER BY example
LIMIT 5

-- name: payment
SELECT count(*) OVER () AS count, b.example
FROM (
  SELECT format('order %s is in_progress and has %s pending payments', o.id, count(p.id)) AS example
  FROM orders o
  LEFT JOIN payments p ON p.shard = o.shard AND p."order" = o.id AND p.status = 'pending'
  WHERE o.status = 'in_progress'
  GROUP BY o.shard, o.id
  HAVING count(p.id) <> 1
  UNION ALL
  SELECT format('payment %s is %s, its order %s is %s', p.id, p.status, p."order", coalesce(o.status, 'missing'))
  FROM payments p
  LEFT JOIN orders o ON o.shard = p.shard AND o.id = p."order" AND o.event = p.event
  WHERE o.status IS DISTINCT FROM CASE p.status WHEN 'pending' THEN 'in_progress' WHEN 'confirmed' THEN 'done'
                                                WHEN 'failed' THEN 'cancelled' ELSE p.status END
) b
ORDER BY b.example
LIMIT 5

-- name: transfer_accounts
SELECT count(*) OVER () AS count,
       format('%s %s of %s from %s (%s, %s) to %s (%s, %s)', x.kind, x.ref, x.amount,
              x.debit_account, coalesce(d.kind, 'none'), coalesce(d.currency, 'none'),
              x.credit_account, coalesce(c.kind, 'none'), coalesce(c.currency, 'none')) AS example
FROM transfers x
LEFT JOIN accounts d ON d.id = x.debit_account
LEFT JOIN accounts c ON c.id = x.credit_account
WHERE (x.amount > 0 AND d.currency = c.currency
       AND CASE x.kind WHEN 'deposit' THEN d.kind = 'cash' AND c.kind = 'vendor'
                       WHEN 'sale' THEN d.kind = 'vendor' AND c.kind = 'org'
                       WHEN 'refund' THEN d.kind = 'org' AND c.kind = 'vendor' END) IS NOT TRUE
ORDER BY example
LIMIT 5

-- name: account_balance
SELECT count(*) OVER () AS count,
       format('account %s: balance %s, transfers make %s', a.id, a.balance, coalesce(moved.amount, 0)) AS example
FROM accounts a
LEFT JOIN (
  SELECT m.account, sum(m.amount) AS amount
  FROM (
    SELECT credit_account AS account, amount FROM transfers
    UNION ALL
    SELECT debit_account, -amount FROM transfers
  ) m
  GROUP BY m.account
) moved ON moved.account = a.id
WHERE a.balance <> coalesce(moved.amount, 0)
ORDER BY example
LIMIT 5

-- name: account_credit
SELECT count(*) OVER () AS count,
       format('account %s: balance %s, credit limit %s', a.id, a.balance, a.credit_limit) AS example
FROM accounts a
WHERE a.kind = 'vendor' AND a.balance < -a.credit_limit
ORDER BY example
LIMIT 5

-- name: ledger_sum
SELECT count(*) OVER () AS count,
       format('the accounts in %s add up to %s', a.currency, sum(a.balance)) AS example
FROM accounts a
GROUP BY a.currency
HAVING sum(a.balance) <> 0
ORDER BY example
LIMIT 5

-- name: promocode_uses
SELECT count(*) OVER () AS count,
       format('promocode %s: %s uses, limit %s; %s done orders list it', coalesce(p.id, used.id),
              coalesce(p.uses::text, 'none'), coalesce(p.use_limit::text, 'none'), coalesce(used.orders, 0)) AS example
FROM promocodes p
FULL JOIN (
  SELECT o.shard, c.id, count(*) AS orders
  FROM orders o
  CROSS JOIN LATERAL unnest(o.promocodes) AS c (id)
  WHERE o.status = 'done' AND o.promocodes <> '{}'
  GROUP BY o.shard, c.id
) used ON used.shard = p.shard AND used.id = p.id
WHERE p.uses IS DISTINCT FROM coalesce(used.orders, 0) OR p.uses > p.use_limit
ORDER BY example
LIMIT 5

-- name: promokey_taken
-- By the lists of the orders that have a key, which are few: an ended order lists nothing. A key that may be held by several
-- orders has no holder, nor has one that came to be for one order while several had it.
SELECT count(*) OVER () AS count,
       format('promokey %s: %s taken, limit %s, held by %s; orders that have it list %s tickets under it',
              coalesce(k.id, under.id), coalesce(k.taken::text, 'none'), coalesce(k.tickets_limit::text, 'none'),
              CASE WHEN h.id IS NULL THEN coalesce(k.holder || ', which has it not or is not live', 'none')
                   ELSE h.id END, coalesce(under.tickets, 0)) AS example
FROM promokeys k
FULL JOIN (
  SELECT o.shard, o.promokey AS id, count(t.id) AS tickets
  FROM orders o
  LEFT JOIN promokeys has ON has.shard = o.shard AND has.id = o.promokey
  LEFT JOIN LATERAL unnest(o.tickets) AS listed (id) ON true
  LEFT JOIN tickets t ON t.shard = o.shard AND t.id = listed.id AND (has.sets = '{}' OR t."set" = ANY (has.sets))
  WHERE o.promokey IS NOT NULL
  GROUP BY o.shard, o.promokey
) under ON under.shard = k.shard AND under.id = k.id
LEFT JOIN orders h ON h.shard = k.shard AND h.id = k.holder AND h.promokey = k.id AND h.status IN ('executed', 'in_progress')
WHERE k.taken IS DISTINCT FROM coalesce(under.tickets, 0) OR k.taken > k.tickets_limit
   OR k.holder IS NOT NULL AND h.id IS NULL
ORDER BY example
LIMIT 5

-- name: id_shard
-- Hexadecimal digits 9 to 12 of an id are its shard, unsigned.
SELECT count(*) OVER () AS count, format('%s %s is in shard %s', r.kind, r.id, r.shard) AS example
FROM (
  SELECT 'event' AS kind, shard, id FROM events
  UNION ALL SELECT 'set', shard, id FROM sets
  UNION ALL SELECT 'set rule', shard, id FROM set_rules
  UNION ALL SELECT 'ticket', shard, id FROM tickets
  UNION ALL SELECT 'order', shard, id FROM orders
  UNION ALL SELECT 'refund request', shard, id FROM refund_requests
  UNION ALL SELECT 'promotion', shard, id FROM promotions
  UNION ALL SELECT 'promocode', shard, id FROM promocodes
  UNION ALL SELECT 'promokey', shard, id FROM promokeys
  UNION ALL SELECT 'custom field', shard, id FROM custom_fields
) r
WHERE substr(r.id, 9, 4) <> lpad(to_hex(r.shard & 65535), 4, '0')
ORDER BY example
LIMIT 5
