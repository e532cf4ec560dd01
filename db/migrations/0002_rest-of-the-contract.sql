-- What the rest of the contract needs of orders, and the records beside them: payments, refund requests, kept answers,
-- notifications and their deliveries, exports.

-- promocodes: ids of those applied. promokey: id of the one the order holds.
-- settings, vendor_data, custom_fields: as the API shows them; absent ones are not stored.
-- payment_till: until when an outside payment may be confirmed; the hold does not lapse before.
ALTER TABLE orders
  ADD COLUMN promocodes    text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD COLUMN promokey      text COLLATE "C",
  ADD COLUMN settings      jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN vendor_data   jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN custom_fields jsonb,
  ADD COLUMN payment_till  timestamptz,
  ADD CONSTRAINT orders_payment_till CHECK ((payment_till IS NOT NULL) = (status = 'in_progress'));

-- taken: tickets of the live and done orders that hold the key. holder: the live order that has a single_order key.
ALTER TABLE promokeys
  ADD COLUMN taken  integer NOT NULL DEFAULT 0,
  ADD COLUMN holder text COLLATE "C",
  ADD CONSTRAINT promokeys_taken_within_limit CHECK (taken >= 0 AND (tickets_limit IS NULL OR taken <= tickets_limit));

-- An outside payment for an order. tickets: the order's at the time it began, at their prices, to be taken again when the
-- confirmation comes after the hold has ended.
CREATE TABLE payments (
  shard       smallint NOT NULL,
  id          text COLLATE "C" NOT NULL,
  "order"     text COLLATE "C" NOT NULL,
  event       text COLLATE "C" NOT NULL,
  status      text NOT NULL CONSTRAINT payments_status CHECK (status IN ('pending', 'confirmed', 'failed', 'expired')),
  tickets     jsonb NOT NULL,
  created_at  timestamptz NOT NULL,
  finished_at timestamptz,
  PRIMARY KEY (shard, id),
  CONSTRAINT payments_finished CHECK ((finished_at IS NULL) = (status = 'pending'))
);
CREATE INDEX orders_unanswered ON orders (payment_till) WHERE status = 'in_progress';
CREATE UNIQUE INDEX payments_one_pending ON payments (shard, "order") WHERE status = 'pending';

-- tickets: ids of the order's tickets at the time. ticket_records: what `refs.tickets` shows of them.
-- share: what approval gives back from the organizer's account to the vendor's.
CREATE TABLE refund_requests (
  shard          smallint NOT NULL,
  id             text COLLATE "C" NOT NULL,
  event          text COLLATE "C" NOT NULL,
  org            text COLLATE "C" NOT NULL,
  vendor         text COLLATE "C" NOT NULL,
  "order"        text COLLATE "C" NOT NULL,
  status         text NOT NULL CONSTRAINT refund_requests_status CHECK (status IN ('new', 'in_progress', 'approved', 'rejected')),
  culprit        text NOT NULL CONSTRAINT refund_requests_culprit CHECK (culprit IN ('user', 'org')),
  policy         text NOT NULL,
  tickets        text[] COLLATE "C" NOT NULL CONSTRAINT refund_requests_tickets CHECK (tickets <> '{}'),
  ticket_records jsonb NOT NULL,
  refund_nominal bigint NOT NULL,
  customer_money bigint NOT NULL,
  share          bigint NOT NULL,
  created_at     timestamptz NOT NULL,
  requested_at   timestamptz NOT NULL,
  finished_at    timestamptz,
  PRIMARY KEY (shard, id),
  CONSTRAINT refund_requests_money CHECK (refund_nominal >= 0 AND customer_money >= refund_nominal AND share >= 0),
  CONSTRAINT refund_requests_finished CHECK ((finished_at IS NOT NULL) = (status IN ('approved', 'rejected')))
);
CREATE INDEX refund_requests_of_order ON refund_requests (shard, "order");
CREATE INDEX refund_requests_of_vendor ON refund_requests (vendor, id);
CREATE INDEX refund_requests_of_org ON refund_requests (org, id);

-- The first answer to a request with an Idempotency-Key, kept for a day. hash: SHA-256 of method, path and body.
-- location: the header of that name, where the answer has one.
CREATE TABLE idempotent_answers (
  api_key    text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  hash       bytea NOT NULL,
  status     integer NOT NULL,
  body       text NOT NULL,
  location   text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (api_key, key)
);
CREATE INDEX idempotent_answers_to_forget ON idempotent_answers (created_at);

ALTER TABLE webhooks
  ADD COLUMN disabled_at timestamptz;

-- Written in the transaction of what it tells. record: the record as it was then, from which the data are presented.
CREATE TABLE notifications (
  id         text COLLATE "C" PRIMARY KEY,
  partner    text COLLATE "C" NOT NULL,
  type       text NOT NULL,
  created_at timestamptz NOT NULL,
  record     jsonb NOT NULL
);
CREATE INDEX notifications_of_partner ON notifications (partner, id);

CREATE TABLE webhook_deliveries (
  notification text COLLATE "C" NOT NULL CONSTRAINT webhook_deliveries_notification REFERENCES notifications ON DELETE CASCADE,
  webhook      text COLLATE "C" NOT NULL CONSTRAINT webhook_deliveries_webhook REFERENCES webhooks ON DELETE CASCADE,
  status       text NOT NULL CONSTRAINT webhook_deliveries_status CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts     integer NOT NULL DEFAULT 0,
  last_status  integer,
  last_error   text,
  next_at      timestamptz,
  delivered_at timestamptz,
  PRIMARY KEY (notification, webhook)
);
-- Webhook by webhook, so that one with many of them holds up no other.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook, next_at) WHERE status = 'pending';

-- selection: the orders to be written, as src/orders/order-selection.ts has it; orders_total: how many they were counted to be.
CREATE TABLE exports (
  id           text COLLATE "C" PRIMARY KEY,
  partner      text COLLATE "C" NOT NULL CONSTRAINT exports_partner REFERENCES partners,
  email        text NOT NULL,
  selection    jsonb NOT NULL,
  status       text NOT NULL CONSTRAINT exports_status CHECK (status IN ('new', 'in_progress', 'done', 'failed')),
  orders_done  integer NOT NULL DEFAULT 0,
  orders_total integer,
  error        text,
  created_at   timestamptz NOT NULL,
  finished_at  timestamptz
);

-- Lists: newest first, for the vendor that sold and for the organizer of the event.
CREATE INDEX orders_of_org ON orders (org, id) INCLUDE (vendor);

-- Where the pages of a list that a key has read end, so that the next page begins there. list: SHA-256 of what is listed.
-- last: id of the page's last record; total: how many the list had. Losing it costs a reader no more than the place.
CREATE UNLOGGED TABLE list_pages (
  api_key text COLLATE "C" NOT NULL,
  list    bytea NOT NULL,
  page    integer NOT NULL,
  last    text COLLATE "C" NOT NULL,
  total   bigint NOT NULL,
  read_at timestamptz NOT NULL,
  PRIMARY KEY (api_key, list, page)
);
CREATE INDEX list_pages_to_forget ON list_pages (api_key, read_at);
