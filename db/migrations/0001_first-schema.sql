-- The first schema. Names are the wire's own words. Money is bigint minor units, percentages are integers of 0.0001 %.
--
-- Every table of an event's records has shard first in its primary key and in its foreign keys, so that the same
-- schema can be spread over partitions (ARCHITECTURE.md). No triggers. What is changed for every sale (orders,
-- tickets, set_counts, accounts, transfers) has no foreign keys beyond its event's static records: a check per row
-- would cost more than the row; `parterre verify` proves those links.

CREATE TABLE platform_settings (
  name  text PRIMARY KEY,
  value text NOT NULL
);
-- The key of the permutation that turns an order's number into its code.
INSERT INTO platform_settings VALUES ('order_code_key', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

CREATE TABLE partners (
  id           text COLLATE "C" PRIMARY KEY,
  ref          text UNIQUE,
  name         text NOT NULL,
  "desc"       text NOT NULL DEFAULT '',
  tags         text[] NOT NULL DEFAULT '{}',
  contact      jsonb NOT NULL DEFAULT '{}',
  legal_detail jsonb,
  media        jsonb NOT NULL DEFAULT '{}',
  updated_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE countries (
  id   text PRIMARY KEY,
  name jsonb NOT NULL
);

CREATE TABLE cities (
  id       integer PRIMARY KEY,
  name     jsonb NOT NULL,
  timezone text NOT NULL,
  country  text NOT NULL CONSTRAINT cities_country REFERENCES countries
);

CREATE TABLE venues (
  id      text COLLATE "C" PRIMARY KEY,
  ref     text UNIQUE,
  name    text NOT NULL,
  "desc"  text NOT NULL DEFAULT '',
  address text NOT NULL,
  city    integer NOT NULL CONSTRAINT venues_city REFERENCES cities,
  country text NOT NULL CONSTRAINT venues_country REFERENCES countries,
  point   double precision[] CONSTRAINT venues_point_is_lon_lat CHECK (cardinality(point) = 2)
);

CREATE TABLE maps (
  id    text COLLATE "C" PRIMARY KEY,
  ref   text UNIQUE,
  venue text COLLATE "C" NOT NULL CONSTRAINT maps_venue REFERENCES venues,
  name  text NOT NULL,
  svg   jsonb NOT NULL DEFAULT '{}'
);

-- rows: [{row, seats: [number], x?, y?, step?}], front to back; null when the sector has no seats.
CREATE TABLE sectors (
  id         text COLLATE "C" PRIMARY KEY,
  ref        text,
  map        text COLLATE "C" NOT NULL CONSTRAINT sectors_map REFERENCES maps,
  pos        integer NOT NULL,
  name       text NOT NULL,
  with_seats boolean NOT NULL,
  rows       jsonb,
  CONSTRAINT sectors_ref_once UNIQUE (map, ref)
);

CREATE TABLE meta_events (
  id         text COLLATE "C" PRIMARY KEY,
  ref        text UNIQUE,
  org        text COLLATE "C" NOT NULL CONSTRAINT meta_events_org REFERENCES partners,
  name       text NOT NULL,
  "desc"     text NOT NULL DEFAULT '',
  age_rating integer NOT NULL DEFAULT 0,
  media      jsonb NOT NULL DEFAULT '{}'
);

-- Gives each new event the next shard; events come round to the same one after 65,536.
CREATE SEQUENCE event_shard AS integer MINVALUE -32768 MAXVALUE 32767 START 1 CYCLE;

CREATE TABLE events (
  shard                 smallint NOT NULL,
  id                    text COLLATE "C" NOT NULL,
  ref                   text,
  org                   text COLLATE "C" NOT NULL CONSTRAINT events_org REFERENCES partners,
  venue                 text COLLATE "C" NOT NULL CONSTRAINT events_venue REFERENCES venues,
  map                   text COLLATE "C" CONSTRAINT events_map REFERENCES maps,
  meta                  text COLLATE "C" CONSTRAINT events_meta REFERENCES meta_events,
  title                 jsonb NOT NULL,
  status                text NOT NULL CONSTRAINT events_status CHECK (status IN ('public', 'stand_by', 'finished', 'cancelled')),
  start                 timestamptz NOT NULL,
  finish                timestamptz NOT NULL,
  open_date             boolean NOT NULL DEFAULT false,
  currency              text NOT NULL CONSTRAINT events_currency CHECK (currency ~ '^[A-Z]{3}$'),
  age_rating            integer NOT NULL DEFAULT 0,
  tags                  text[] NOT NULL DEFAULT '{}',
  category              text,
  artists               text[] NOT NULL DEFAULT '{}',
  media                 jsonb NOT NULL DEFAULT '{}',
  ticket_template       jsonb NOT NULL DEFAULT '{}',
  view_limits           jsonb NOT NULL DEFAULT '{}',
  order_lifetime_s      integer NOT NULL DEFAULT 900 CONSTRAINT events_order_lifetime CHECK (order_lifetime_s > 0),
  max_tickets_per_order integer NOT NULL DEFAULT 50 CONSTRAINT events_max_tickets CHECK (max_tickets_per_order > 0),
  promokey_required     boolean NOT NULL DEFAULT false,
  smart_tickets         jsonb,
  refund_policy         jsonb NOT NULL DEFAULT '"general"',
  serial                text NOT NULL CONSTRAINT events_serial CHECK (serial ~ '^[A-Z]{3}$'),
  updated_at            timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (shard, id),
  CONSTRAINT events_lifetime CHECK (start < finish)
);
CREATE INDEX events_of_org ON events (org, start, id);
CREATE INDEX events_ref ON events (ref) WHERE ref IS NOT NULL;

CREATE TABLE sets (
  shard             smallint NOT NULL,
  id                text COLLATE "C" NOT NULL,
  event             text COLLATE "C" NOT NULL,
  ref               text,
  pos               integer NOT NULL,
  name              text NOT NULL,
  "desc"            text NOT NULL DEFAULT '',
  price             bigint NOT NULL CONSTRAINT sets_price CHECK (price >= 0),
  with_seats        boolean NOT NULL,
  sector            text COLLATE "C" CONSTRAINT sets_sector REFERENCES sectors,
  promokey_required boolean NOT NULL DEFAULT false,
  PRIMARY KEY (shard, id),
  CONSTRAINT sets_event FOREIGN KEY (shard, event) REFERENCES events
);

CREATE TABLE set_rules (
  shard  smallint NOT NULL,
  id     text COLLATE "C" NOT NULL,
  "set"  text COLLATE "C" NOT NULL,
  start  timestamptz NOT NULL,
  finish timestamptz NOT NULL,
  price  bigint NOT NULL CONSTRAINT set_rules_price CHECK (price >= 0),
  PRIMARY KEY (shard, id),
  CONSTRAINT set_rules_set FOREIGN KEY (shard, "set") REFERENCES sets,
  CONSTRAINT set_rules_lifetime CHECK (start < finish)
);

-- How many tickets of a set are in each status; equal to the truth in tickets at every commit.
CREATE TABLE set_counts (
  shard   smallint NOT NULL,
  "set"   text COLLATE "C" NOT NULL,
  event   text COLLATE "C" NOT NULL,
  amount  integer NOT NULL,
  vacant  integer NOT NULL,
  held    integer NOT NULL,
  sold    integer NOT NULL,
  pending integer NOT NULL,
  PRIMARY KEY (shard, "set"),
  CONSTRAINT set_counts_set FOREIGN KEY (shard, "set") REFERENCES sets,
  CONSTRAINT set_counts_none_negative CHECK (vacant >= 0 AND held >= 0 AND sold >= 0 AND pending >= 0),
  CONSTRAINT set_counts_add_up CHECK (vacant + held + sold + pending = amount)
) WITH (fillfactor = 20);

-- A ticket's price is fixed when it is reserved, so it stands here and not in the set.
-- reserved_till: the end of the hold; price ... extra: of the live or done order that has the ticket.
CREATE TABLE tickets (
  shard         smallint NOT NULL,
  id            text COLLATE "C" NOT NULL,
  event         text COLLATE "C" NOT NULL,
  "set"         text COLLATE "C" NOT NULL,
  serial        text NOT NULL,
  number        integer NOT NULL,
  sector        text COLLATE "C",
  seat_row      text,
  seat_number   text,
  row_pos       integer,
  seat_pos      integer,
  status        text NOT NULL,
  "order"       text COLLATE "C",
  reserved_till timestamptz,
  price         bigint,
  discount      bigint,
  nominal       bigint,
  extra         bigint,
  barcode       text COLLATE "C",
  PRIMARY KEY (shard, id),
  CONSTRAINT tickets_set FOREIGN KEY (shard, "set") REFERENCES sets,
  CONSTRAINT tickets_status CHECK (status IN ('vacant', 'reserved', 'sold', 'pending')),
  CONSTRAINT tickets_order_when_taken CHECK (("order" IS NOT NULL) = (status IN ('reserved', 'sold'))),
  CONSTRAINT tickets_reserved_till_when_reserved CHECK ((reserved_till IS NOT NULL) = (status = 'reserved')),
  CONSTRAINT tickets_price_when_taken CHECK (
    CASE WHEN "order" IS NULL THEN num_nonnulls(price, discount, nominal, extra) = 0
         ELSE num_nulls(price, discount, nominal, extra) = 0 AND price >= 0 AND discount >= 0 AND extra >= 0
              AND nominal >= 0 AND nominal = price - discount END),
  CONSTRAINT tickets_barcode_when_sold CHECK ((barcode IS NOT NULL) = (status = 'sold')),
  CONSTRAINT tickets_seat CHECK (num_nulls(sector, seat_row, seat_number, row_pos, seat_pos) IN (0, 5))
) WITH (fillfactor = 50);
-- A barcode begins with its shard, so unique in the shard is unique on the platform.
CREATE UNIQUE INDEX tickets_barcode_once ON tickets (shard, barcode) WHERE barcode IS NOT NULL;

CREATE TABLE promotions (
  shard      smallint NOT NULL,
  id         text COLLATE "C" NOT NULL,
  event      text COLLATE "C" NOT NULL,
  pos        integer NOT NULL,
  start      timestamptz,
  finish     timestamptz,
  sets       text[] NOT NULL DEFAULT '{}',
  percentage integer,
  fix        bigint,
  levels     jsonb,
  PRIMARY KEY (shard, id),
  CONSTRAINT promotions_event FOREIGN KEY (shard, event) REFERENCES events,
  CONSTRAINT promotions_one_discount CHECK (num_nonnulls(percentage, fix, levels) = 1)
);

CREATE TABLE promocodes (
  shard       smallint NOT NULL,
  id          text COLLATE "C" NOT NULL,
  event       text COLLATE "C" NOT NULL,
  code        text NOT NULL,
  percentage  integer,
  fix         bigint,
  start       timestamptz,
  finish      timestamptz,
  sets        text[] NOT NULL DEFAULT '{}',
  min_tickets integer,
  max_tickets integer,
  use_limit   integer,
  uses        integer NOT NULL DEFAULT 0,
  viral       boolean NOT NULL DEFAULT false,
  PRIMARY KEY (shard, id),
  CONSTRAINT promocodes_event FOREIGN KEY (shard, event) REFERENCES events,
  CONSTRAINT promocodes_one_discount CHECK (num_nonnulls(percentage, fix) = 1),
  CONSTRAINT promocodes_uses_within_limit CHECK (uses >= 0 AND (use_limit IS NULL OR uses <= use_limit))
);
CREATE UNIQUE INDEX promocodes_code_once ON promocodes (shard, event, lower(code));

CREATE TABLE promokeys (
  shard         smallint NOT NULL,
  id            text COLLATE "C" NOT NULL,
  event         text COLLATE "C" NOT NULL,
  code          text NOT NULL,
  sets          text[] NOT NULL DEFAULT '{}',
  start         timestamptz,
  finish        timestamptz,
  tickets_limit integer,
  single_order  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (shard, id),
  CONSTRAINT promokeys_event FOREIGN KEY (shard, event) REFERENCES events
);
CREATE UNIQUE INDEX promokeys_code_once ON promokeys (shard, event, lower(code));

-- bounds: {options?, min?, max?, gt?, gte?, lt?, lte?, pattern?}
CREATE TABLE custom_fields (
  shard    smallint NOT NULL,
  id       text COLLATE "C" NOT NULL,
  event    text COLLATE "C" NOT NULL,
  ref      text,
  pos      integer NOT NULL,
  scope    text NOT NULL CONSTRAINT custom_fields_scope CHECK (scope IN ('order', 'ticket')),
  kind     text NOT NULL CONSTRAINT custom_fields_kind CHECK (kind IN ('date', 'checkbox', 'multiple', 'single', 'text', 'long_text')),
  name     text NOT NULL,
  required boolean NOT NULL DEFAULT false,
  bounds   jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (shard, id),
  CONSTRAINT custom_fields_event FOREIGN KEY (shard, event) REFERENCES events
);

-- events: null means all of the organizer's.
CREATE TABLE deals (
  id              text COLLATE "C" PRIMARY KEY,
  ref             text UNIQUE,
  org             text COLLATE "C" NOT NULL CONSTRAINT deals_org REFERENCES partners,
  vendor          text COLLATE "C" NOT NULL CONSTRAINT deals_vendor REFERENCES partners,
  events          text[],
  org_share       integer NOT NULL,
  agent           integer NOT NULL,
  extra           integer NOT NULL,
  start           timestamptz,
  finish          timestamptz,
  active          boolean NOT NULL DEFAULT true,
  refund_approval text NOT NULL DEFAULT 'vendor' CONSTRAINT deals_refund_approval CHECK (refund_approval IN ('vendor', 'org')),
  CONSTRAINT deals_shares_are_whole CHECK (org_share >= 0 AND agent >= 0 AND org_share + agent = 1000000),
  CONSTRAINT deals_extra CHECK (extra BETWEEN 0 AND 1000000),
  CONSTRAINT deals_two_parties CHECK (org <> vendor)
);
CREATE INDEX deals_of_org ON deals (org);
CREATE INDEX deals_of_vendor ON deals (vendor);

-- The ledger. A balance is what the account's transfers make: credits less debits. `vendor`: a prepaid account;
-- `org`: what an organizer has earned; `cash`: the platform's side of deposits, negative by what was paid in.
CREATE TABLE accounts (
  id           text COLLATE "C" PRIMARY KEY,
  partner      text COLLATE "C" CONSTRAINT accounts_partner REFERENCES partners,
  kind         text NOT NULL CONSTRAINT accounts_kind CHECK (kind IN ('vendor', 'org', 'cash')),
  currency     text NOT NULL CONSTRAINT accounts_currency CHECK (currency ~ '^[A-Z]{3}$'),
  balance      bigint NOT NULL DEFAULT 0,
  credit_limit bigint NOT NULL DEFAULT 0 CONSTRAINT accounts_credit_limit CHECK (credit_limit >= 0),
  CONSTRAINT accounts_one_of_a_kind UNIQUE NULLS NOT DISTINCT (partner, kind, currency),
  CONSTRAINT accounts_partner_unless_cash CHECK ((partner IS NULL) = (kind = 'cash')),
  CONSTRAINT accounts_within_credit CHECK (kind <> 'vendor' OR balance >= -credit_limit)
) WITH (fillfactor = 20);

-- Append-only. ref names what moved the money (an order, a deposit), so that the same thing moves it once.
CREATE TABLE transfers (
  debit_account  text COLLATE "C" NOT NULL,
  kind           text NOT NULL CONSTRAINT transfers_kind CHECK (kind IN ('deposit', 'sale', 'refund')),
  ref            text COLLATE "C" NOT NULL,
  credit_account text COLLATE "C" NOT NULL,
  amount         bigint NOT NULL CONSTRAINT transfers_amount CHECK (amount > 0),
  created_at     timestamptz NOT NULL,
  CONSTRAINT transfers_once PRIMARY KEY (debit_account, kind, ref),
  CONSTRAINT transfers_two_accounts CHECK (debit_account <> credit_account)
);

-- Only the SHA-256 of a key is stored; hint is its visible beginning.
CREATE TABLE api_keys (
  id          text COLLATE "C" PRIMARY KEY,
  name        text NOT NULL,
  partner     text COLLATE "C" NOT NULL CONSTRAINT api_keys_partner REFERENCES partners,
  hash        bytea NOT NULL CONSTRAINT api_keys_hash_once UNIQUE,
  hint        text NOT NULL,
  origin      text NOT NULL CONSTRAINT api_keys_origin CHECK (origin IN ('api', 'salespoint', 'widget', 'control_panel')),
  permissions text[] NOT NULL CONSTRAINT api_keys_permissions CHECK (permissions <@ ARRAY['orders', 'refunds', 'events', 'admin']),
  events      text[],
  expires_at  timestamptz,
  revoked_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT api_keys_name_once UNIQUE (partner, name)
);

-- types: empty means all.
CREATE TABLE webhooks (
  id      text COLLATE "C" PRIMARY KEY,
  ref     text,
  partner text COLLATE "C" NOT NULL CONSTRAINT webhooks_partner REFERENCES partners,
  url     text NOT NULL,
  types   text[] NOT NULL DEFAULT '{}',
  secret  bytea NOT NULL,
  CONSTRAINT webhooks_ref_once UNIQUE (partner, ref)
);

CREATE SEQUENCE order_number;

-- tickets: in the order they were reserved; the same link as tickets."order", kept on both sides and verified.
-- org_share, extra_share: the terms of the deal when the order was made. charge: what completion took from the vendor.
CREATE TABLE orders (
  shard         smallint NOT NULL,
  id            text COLLATE "C" NOT NULL,
  event         text COLLATE "C" NOT NULL,
  number        bigint NOT NULL,
  org           text COLLATE "C" NOT NULL,
  vendor        text COLLATE "C" NOT NULL,
  origin        text NOT NULL CONSTRAINT orders_origin CHECK (origin IN ('api', 'salespoint', 'widget', 'control_panel')),
  status        text NOT NULL,
  deal          text COLLATE "C",
  org_share     integer NOT NULL,
  extra_share   integer NOT NULL,
  currency      text NOT NULL,
  tickets       text[] COLLATE "C" NOT NULL DEFAULT '{}',
  price         bigint NOT NULL DEFAULT 0,
  discount      bigint NOT NULL DEFAULT 0,
  nominal       bigint NOT NULL DEFAULT 0,
  extra         bigint NOT NULL DEFAULT 0,
  charge        bigint NOT NULL DEFAULT 0,
  expired_after timestamptz NOT NULL,
  done_at       timestamptz,
  code          text COLLATE "C",
  PRIMARY KEY (shard, id),
  CONSTRAINT orders_status CHECK (status IN ('executed', 'in_progress', 'done', 'cancelled', 'expired')),
  CONSTRAINT orders_done CHECK ((status = 'done') = (done_at IS NOT NULL) AND (status = 'done') = (code IS NOT NULL)),
  CONSTRAINT orders_charge_when_done CHECK (charge >= 0 AND (charge = 0 OR status = 'done')),
  CONSTRAINT orders_empty_when_ended CHECK (status NOT IN ('cancelled', 'expired') OR tickets = '{}'),
  CONSTRAINT orders_totals CHECK (discount >= 0 AND nominal >= 0 AND extra >= 0 AND nominal = price - discount),
  CONSTRAINT orders_nothing_without_tickets CHECK (tickets <> '{}' OR (price = 0 AND extra = 0))
) WITH (fillfactor = 70);
CREATE INDEX orders_of_vendor ON orders (vendor, id);
CREATE INDEX orders_to_lapse ON orders (expired_after) WHERE status = 'executed';
