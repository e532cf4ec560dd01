/**
 * A small store without a fault, one breach after another planted in it, and what `verify` says of each. Where the schema
 * itself refuses a breach, the constraint is dropped first; the second table is what the constraints refuse.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Breach, verify } from '../../src/main/verify/verify.ts'
import { parseStatements } from '../../src/platform/db/sql-file.ts'
import { createTestDatabase } from '../support/database.ts'

const { db, sql } = await createTestDatabase()

const SHARD = -2

/** The id with this number; -2 is fffe in it. */
const id = (number: number, shard_digits = 'fffe') =>
  `6919b2c0${shard_digits}aaaaaa${number.toString(16).padStart(6, '0')}`
const plainId = (number: number) => id(number, '0000')

const [ORG, VENDOR, OTHER_ORG] = [plainId(1), plainId(2), plainId(3)]
const [DEAL, OTHER_DEAL] = [plainId(4), plainId(5)]
const [VENUE, MAP, SECTOR, OTHER_SECTOR] = [plainId(6), plainId(7), plainId(8), plainId(9)]
const [VENDOR_ACCOUNT, ORG_ACCOUNT, CASH, OTHER_ACCOUNT, CASH_EUR] = [
  plainId(0x10),
  plainId(0x11),
  plainId(0x12),
  plainId(0x13),
  plainId(0x14),
]
const [EVENT, NEXT_EVENT] = [id(1), id(2)]
const [STANDING, SEATS, NEXT_SET] = [id(3), id(4), id(5)]
const [RULE, PROMOTION, PROMOCODE, PROMOKEY, FIELD] = [id(6), id(7), id(8), id(9), id(10)]
/** The key of all sets; a promocode and a promokey that no order has. */
const [OPEN_KEY, UNUSED_PROMOCODE, UNUSED_PROMOKEY] = [id(11), id(12), id(13)]
/** Of DONE: half of a seat's nominal was paid back; all of a ticket's is asked for, once it was refused. */
const [REFUNDED, ASKED, REFUSED_REQUEST] = [id(0x30), id(0x31), id(0x32)]
/** Two tickets held; one seat held while it is being paid; five sold by the vendor; one sold by the organizer itself. */
const [OPEN, PAYING, DONE, OWN] = [id(0x20), id(0x21), id(0x22), id(0x23)]
const [PENDING_PAYMENT, PAID_PAYMENT] = [id(0x50), id(0x51)]
const [CANCELLED, EXPIRED] = [id(0x24), id(0x25)]
const ticket = (number: number) => id(0x100 + number)

const EXPIRED_AFTER = '2026-11-20 12:15:00+00'
const PAYMENT_TILL = '2026-11-20 12:25:00+00'

/** Fees are 2.5 % and the organizer gets 95 %, each rounded half to even; [set, status, order, price, discount, extra]. */
const TICKETS: [string, string, string | null, number?, number?, number?][] = [
  [STANDING, 'sold', DONE, 10_020, 0, 250],
  [STANDING, 'sold', DONE, 10_060, 0, 252],
  [STANDING, 'sold', DONE, 10_110, 100, 250],
  [STANDING, 'sold', DONE, 10_030, 0, 251],
  [STANDING, 'sold', DONE, 900_000_000_000_010, 0, 22_500_000_000_000],
  [STANDING, 'sold', OWN, 10_000, 0, 0],
  [STANDING, 'reserved', OPEN, 10_000, 0, 250],
  [STANDING, 'reserved', OPEN, 10_000, 0, 250],
  [SEATS, 'reserved', PAYING, 20_000, 0, 500],
  [SEATS, 'vacant', null],
  [SEATS, 'vacant', null],
  [STANDING, 'pending', null],
  [NEXT_SET, 'vacant', null],
]
/** The organizer's shares of DONE's tickets, one by one. */
const CHARGE = 9519 + 9557 + 9510 + 9528 + 855_000_000_000_010
/** The seat was sold for 200.10, of which the organizer got 190.095, and half of it gave back 95.0475. */
const [SALE, REFUND] = [CHARGE + 19_010, 9505]
const DEPOSIT = 1_000_000_000_000_000

beforeAll(async () => {
  await insertPlaces()
  await insertEvents()
  await insertTickets()
  await insertOrders()
  await insertPayments()
  await insertRefundRequests()
  await insertLedger()
})

test('a store without a fault', async () => {
  expect(await verify(db)).toEqual([])
})

const MISSING = id(0xffff)
const TAKEN = [
  'ALTER TABLE tickets DROP CONSTRAINT tickets_order_when_taken, DROP CONSTRAINT tickets_price_when_taken',
]
/** Makes every balance what the transfers make again, so that a breach elsewhere in the ledger stands alone. */
const REBALANCE = `
  UPDATE accounts a
  SET balance = (SELECT coalesce(sum(CASE WHEN t.credit_account = a.id THEN t.amount ELSE -t.amount END), 0)
                 FROM transfers t WHERE a.id IN (t.debit_account, t.credit_account))`

/** What is planted, and every invariant that is then broken. */
type Case = [name: string, plant: string[], broken: string[]]

const TICKET_CASES: Case[] = [
  [
    'a ticket names an order that does not exist',
    [`UPDATE tickets SET "order" = '${MISSING}' WHERE id = '${ticket(1)}'`],
    ['ticket-order', 'order-tickets'],
  ],
  [
    'a ticket names an order that does not list it',
    [`UPDATE orders SET tickets = tickets[1:1] WHERE id = '${OPEN}'`],
    ['ticket-order', 'order-tickets', 'promokey-taken'],
  ],
  [
    'a ticket names an order of another event',
    [`UPDATE orders SET event = '${NEXT_EVENT}' WHERE id = '${OPEN}'`],
    ['ticket-order'],
  ],
  [
    'an ended order has tickets',
    [
      'ALTER TABLE orders DROP CONSTRAINT orders_empty_when_ended',
      `UPDATE orders SET status = 'cancelled' WHERE id = '${OPEN}'`,
    ],
    ['ticket-order', 'order-state', 'promokey-taken'],
  ],
  [
    'a ticket of a done order is still reserved',
    [
      `UPDATE tickets SET status = 'reserved', reserved_till = '${EXPIRED_AFTER}', barcode = NULL
       WHERE id = '${ticket(1)}'`,
    ],
    ['ticket-order', 'set-counts'],
  ],
  [
    'a ticket of an unpaid order is sold',
    [
      `UPDATE tickets SET status = 'sold', reserved_till = NULL, barcode = '75534000000000099'
       WHERE id = '${ticket(7)}'`,
    ],
    ['ticket-order', 'set-counts'],
  ],
  [
    'a hold ends at another time than its order',
    [`UPDATE tickets SET reserved_till = reserved_till + interval '1 second' WHERE id = '${ticket(7)}'`],
    ['ticket-order'],
  ],
  [
    'a hold lasts more than 30 minutes longer while it is being paid',
    [`UPDATE tickets SET reserved_till = reserved_till + interval '21 minutes' WHERE id = '${ticket(9)}'`],
    ['ticket-order'],
  ],
  [
    'a hold ends before its order while it is being paid',
    [`UPDATE tickets SET reserved_till = reserved_till - interval '11 minutes' WHERE id = '${ticket(9)}'`],
    ['ticket-order'],
  ],
  [
    'a hold without an end',
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_reserved_till_when_reserved',
      `UPDATE tickets SET reserved_till = NULL WHERE id = '${ticket(7)}'`,
    ],
    ['ticket-order'],
  ],
  [
    'a reserved ticket without an order',
    [
      ...TAKEN,
      `UPDATE tickets SET status = 'reserved', reserved_till = '${EXPIRED_AFTER}' WHERE id = '${ticket(10)}'`,
    ],
    ['ticket-order', 'set-counts'],
  ],
  [
    'a vacant ticket with a price',
    [...TAKEN, `UPDATE tickets SET price = 1 WHERE id = '${ticket(10)}'`],
    ['ticket-order'],
  ],
  [
    'a barcode on a ticket that is not sold',
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_barcode_when_sold',
      `UPDATE tickets SET barcode = '75534000000000099' WHERE id = '${ticket(7)}'`,
    ],
    ['ticket-order'],
  ],
  [
    'a sold ticket without a barcode',
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_barcode_when_sold',
      `UPDATE tickets SET barcode = NULL WHERE id = '${ticket(1)}'`,
    ],
    ['ticket-order'],
  ],
  [
    'a fee rounded half up',
    [
      `UPDATE tickets SET extra = extra + 1 WHERE id = '${ticket(1)}'`,
      `UPDATE orders SET extra = extra + 1 WHERE id = '${DONE}'`,
    ],
    ['ticket-money'],
  ],
  [
    'a fee rounded down',
    [
      `UPDATE tickets SET extra = extra - 1 WHERE id = '${ticket(2)}'`,
      `UPDATE orders SET extra = extra - 1 WHERE id = '${DONE}'`,
    ],
    ['ticket-money'],
  ],
  [
    'a nominal that is not price - discount',
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_price_when_taken',
      'ALTER TABLE orders DROP CONSTRAINT orders_totals',
      `UPDATE tickets SET discount = discount + 1 WHERE id = '${ticket(7)}'`,
      `UPDATE orders SET discount = discount + 1 WHERE id = '${OPEN}'`,
    ],
    ['ticket-money'],
  ],
  [
    'a discount below 0',
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_price_when_taken',
      'ALTER TABLE orders DROP CONSTRAINT orders_totals',
      `UPDATE tickets SET price = price - 20, discount = -20 WHERE id = '${ticket(7)}'`,
      `UPDATE orders SET price = price - 20, discount = -20 WHERE id = '${OPEN}'`,
    ],
    ['ticket-money'],
  ],
  [
    "a taken ticket without a nominal's fee",
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_price_when_taken',
      `UPDATE tickets SET extra = NULL WHERE id = '${ticket(7)}'`,
      `UPDATE orders SET extra = extra - 250 WHERE id = '${OPEN}'`,
    ],
    ['ticket-money'],
  ],
  [
    "a ticket in another event's set",
    [`UPDATE tickets SET "set" = '${NEXT_SET}' WHERE id = '${ticket(12)}'`],
    ['ticket-set', 'set-counts'],
  ],
  [
    'a ticket in no set',
    [
      'ALTER TABLE tickets DROP CONSTRAINT tickets_set',
      `UPDATE tickets SET "set" = '${MISSING}' WHERE id = '${ticket(12)}'`,
    ],
    ['ticket-set', 'set-counts'],
  ],
  [
    "a seat in another sector than its set's",
    [`UPDATE tickets SET sector = '${OTHER_SECTOR}' WHERE id = '${ticket(10)}'`],
    ['ticket-set'],
  ],
  [
    'a seat in a set without seats',
    [
      `UPDATE tickets SET sector = '${SECTOR}', seat_row = '9', seat_number = '9', row_pos = 9, seat_pos = 9
       WHERE id = '${ticket(12)}'`,
    ],
    ['ticket-set'],
  ],
  [
    'a ticket without a seat in a set with seats',
    [
      `UPDATE tickets SET sector = NULL, seat_row = NULL, seat_number = NULL, row_pos = NULL, seat_pos = NULL
       WHERE id = '${ticket(10)}'`,
    ],
    ['ticket-set'],
  ],
  [
    'a number twice in an event',
    [`UPDATE tickets SET number = 7 WHERE id = '${ticket(8)}'`],
    ['ticket-number'],
  ],
  [
    "a serial that is not the event's",
    [`UPDATE tickets SET serial = 'ZZZ' WHERE id = '${ticket(8)}'`],
    ['ticket-number'],
  ],
  [
    'a seat twice in an event',
    [`UPDATE tickets SET seat_number = '10' WHERE id = '${ticket(11)}'`],
    ['ticket-seat'],
  ],
  [
    'a barcode twice in a shard',
    [
      'DROP INDEX tickets_barcode_once',
      `UPDATE tickets SET barcode = '75534000000000001' WHERE id = '${ticket(2)}'`,
    ],
    ['ticket-barcode'],
  ],
  ...['7553400000000000', '755340000000000011', '75534a00000000001', '10000000000000001'].map(
    (barcode): Case => [
      `the barcode ${barcode}`,
      [`UPDATE tickets SET barcode = '${barcode}' WHERE id = '${ticket(1)}'`],
      ['ticket-barcode'],
    ],
  ),
]

const SET_CASES: Case[] = [
  [
    'counts that are wrong but add up',
    [`UPDATE set_counts SET vacant = vacant + 1, held = held - 1 WHERE "set" = '${SEATS}'`],
    ['set-counts'],
  ],
  [
    'counts of sold and pending exchanged',
    [`UPDATE set_counts SET sold = sold - 1, pending = pending + 1 WHERE "set" = '${STANDING}'`],
    ['set-counts'],
  ],
  [
    'an amount that the counts do not add up to',
    [
      'ALTER TABLE set_counts DROP CONSTRAINT set_counts_add_up',
      `UPDATE set_counts SET amount = amount + 1 WHERE "set" = '${SEATS}'`,
    ],
    ['set-counts'],
  ],
  [
    'a ticket more than is counted',
    [`UPDATE set_counts SET amount = amount - 1, vacant = vacant - 1 WHERE "set" = '${NEXT_SET}'`],
    ['set-counts'],
  ],
  ['a set without counts', [`DELETE FROM set_counts WHERE "set" = '${SEATS}'`], ['set-counts']],
  [
    'counts under another event',
    [`UPDATE set_counts SET event = '${NEXT_EVENT}' WHERE "set" = '${SEATS}'`],
    ['set-counts'],
  ],
]

const ORDER_CASES: Case[] = [
  [
    'an order lists a vacant ticket',
    [`UPDATE orders SET tickets = array_append(tickets, '${ticket(10)}') WHERE id = '${OPEN}'`],
    ['order-tickets'],
  ],
  [
    "an order lists another's ticket",
    [`UPDATE orders SET tickets = array_append(tickets, '${ticket(1)}') WHERE id = '${OPEN}'`],
    ['order-tickets', 'promokey-taken'],
  ],
  [
    'an order lists a ticket twice',
    [`UPDATE orders SET tickets = array_append(tickets, '${ticket(7)}') WHERE id = '${OPEN}'`],
    ['order-tickets', 'promokey-taken'],
  ],
  [
    'an order lists a ticket twice and another not at all',
    [`UPDATE orders SET tickets = tickets[1:1] || tickets[1:1] WHERE id = '${OPEN}'`],
    ['ticket-order'],
  ],
  ...[
    'price = price + 1, nominal = nominal + 1',
    'price = price + 1, discount = discount + 1',
    'extra = extra + 1',
  ].map((change): Case => [
    `totals with ${change}`,
    [`UPDATE orders SET ${change} WHERE id = '${DONE}'`],
    ['order-tickets'],
  ]),
  [
    'a nominal that is not price - discount in the totals',
    [
      'ALTER TABLE orders DROP CONSTRAINT orders_totals',
      `UPDATE orders SET nominal = nominal + 1 WHERE id = '${DONE}'`,
    ],
    ['order-tickets'],
  ],
  [
    'an ended order with a total',
    [
      'ALTER TABLE orders DROP CONSTRAINT orders_nothing_without_tickets',
      `UPDATE orders SET price = 5, nominal = 5 WHERE id = '${EXPIRED}'`,
    ],
    ['order-tickets'],
  ],
  [
    'a charge of one too much, taken in full',
    [
      `UPDATE orders SET charge = charge + 1 WHERE id = '${DONE}'`,
      `UPDATE transfers SET amount = amount + 1 WHERE ref = '${DONE}'`,
      REBALANCE,
    ],
    ['order-tickets'],
  ],
  [
    "a charge for the organizer's own sale",
    [`UPDATE orders SET charge = 9500 WHERE id = '${OWN}'`],
    ['order-tickets', 'order-sale'],
  ],
  ...["code = 'ABCD1234'", "code = 'abcd123'", "done_at = expired_after + interval '31 minutes'"].map(
    (change): Case => [
      `a done order with ${change}`,
      [`UPDATE orders SET ${change} WHERE id = '${DONE}'`],
      ['order-state'],
    ],
  ),
  ...['code = NULL', 'done_at = NULL'].map((change): Case => [
    `a done order with ${change}`,
    ['ALTER TABLE orders DROP CONSTRAINT orders_done', `UPDATE orders SET ${change} WHERE id = '${DONE}'`],
    ['order-state'],
  ]),
  ...["code = 'abcd1234'", "done_at = '2026-11-20'"].flatMap((change) =>
    [OPEN, PAYING, CANCELLED, EXPIRED].map((order): Case => [
      `an order that is not done (${order}) with ${change}`,
      ['ALTER TABLE orders DROP CONSTRAINT orders_done', `UPDATE orders SET ${change} WHERE id = '${order}'`],
      ['order-state'],
    ]),
  ),
  [
    'a charge before completion',
    [
      'ALTER TABLE orders DROP CONSTRAINT orders_charge_when_done',
      `UPDATE orders SET charge = 19000 WHERE id = '${OPEN}'`,
    ],
    ['order-tickets', 'order-state'],
  ],
  [
    'a cancelled order that lists a ticket',
    [
      'ALTER TABLE orders DROP CONSTRAINT orders_empty_when_ended',
      `UPDATE orders SET tickets = '{${ticket(10)}}' WHERE id = '${CANCELLED}'`,
    ],
    ['order-tickets', 'order-state'],
  ],
  [
    'a state that does not exist',
    [
      'ALTER TABLE orders DROP CONSTRAINT orders_status',
      `UPDATE orders SET status = 'lost' WHERE id = '${CANCELLED}'`,
    ],
    ['order-state'],
  ],
  ['a number twice', [`UPDATE orders SET number = 1 WHERE id = '${OWN}'`], ['order-number']],
  ['a code twice', [`UPDATE orders SET code = 'abcd0003' WHERE id = '${OWN}'`], ['order-number']],
  ...[
    `event = '${MISSING}'`,
    `org = '${OTHER_ORG}'`,
    `currency = 'EUR'`,
    `deal = NULL`,
    `deal = '${MISSING}'`,
    `deal = '${OTHER_DEAL}'`,
    `vendor = org`,
  ].map((change): Case => [
    `an order with ${change}`,
    [`UPDATE orders SET ${change} WHERE id = '${CANCELLED}'`],
    ['order-parties'],
  ]),
  [
    "a fee on the organizer's own sale",
    [`UPDATE orders SET extra_share = 1 WHERE id = '${OWN}'`],
    ['order-parties'],
  ],
]

const REFUND_CASES: Case[] = [
  ...[
    'refund_nominal = refund_nominal + 1, customer_money = customer_money + 1',
    'customer_money = customer_money + 1',
    "culprit = 'user'",
    `"order" = '${MISSING}'`,
    `event = '${NEXT_EVENT}'`,
    `org = '${OTHER_ORG}'`,
    `vendor = '${OTHER_ORG}'`,
    `tickets = '{${ticket(11)}}'`,
    "created_at = finished_at + interval '1 second'",
    "ticket_records = jsonb_set(ticket_records, '{0,refunded}', '10019')",
  ].map((change): Case => [
    `a refund request with ${change}`,
    [`UPDATE refund_requests SET ${change} WHERE id = '${REFUSED_REQUEST}'`],
    ['refund-request'],
  ]),
  [
    'a share of one too much, paid back in full',
    [
      `UPDATE refund_requests SET share = share + 1 WHERE id = '${REFUNDED}'`,
      `UPDATE transfers SET amount = amount + 1 WHERE ref = '${REFUNDED}'`,
      REBALANCE,
    ],
    ['refund-request'],
  ],
  [
    'more paid back than the nominal',
    [
      `UPDATE refund_requests SET ticket_records = jsonb_set(ticket_records, '{0,refunded}', '20011'),
         refund_nominal = 20011, customer_money = 20011, share = 19010
       WHERE id = '${REFUNDED}'`,
      `UPDATE transfers SET amount = 19010 WHERE ref = '${REFUNDED}'`,
      REBALANCE,
    ],
    ['refund-request'],
  ],
  [
    'less than all paid back for the organizer',
    [
      `UPDATE refund_requests SET ticket_records = jsonb_set(ticket_records, '{0,refunded}', '20'),
         refund_nominal = 20, customer_money = 270, share = 19
       WHERE id = '${ASKED}'`,
    ],
    ['refund-request'],
  ],
  [
    "a request's ticket at another nominal than it was charged for",
    [
      `UPDATE refund_requests SET ticket_records = jsonb_set(ticket_records, '{0,nominal}', '20000')
       WHERE id = '${REFUNDED}'`,
    ],
    ['order-sale'],
  ],
  [
    'an approved request whose tickets stayed in the order, and were not paid back',
    [`UPDATE refund_requests SET status = 'approved', finished_at = created_at WHERE id = '${ASKED}'`],
    ['order-sale', 'refund-ticket', 'refund-transfer'],
  ],
  [
    'an open request whose tickets left the order, and were paid back',
    [`UPDATE refund_requests SET status = 'in_progress', finished_at = NULL WHERE id = '${REFUNDED}'`],
    ['order-sale', 'refund-ticket', 'refund-transfer'],
  ],
  [
    'a ticket in two open requests',
    [`UPDATE refund_requests SET status = 'new', finished_at = NULL WHERE id = '${REFUSED_REQUEST}'`],
    ['refund-ticket'],
  ],
  [
    'an order in progress without a payment',
    [`DELETE FROM payments WHERE id = '${PENDING_PAYMENT}'`],
    ['payment'],
  ],
  ...[
    `status = 'confirmed', finished_at = now()`,
    `status = 'failed', finished_at = now()`,
    `status = 'expired', finished_at = now()`,
  ].map((change): Case => [
    `an order in progress whose payment has ${change}`,
    [`UPDATE payments SET ${change} WHERE id = '${PENDING_PAYMENT}'`],
    ['payment'],
  ]),
  [
    'two pending payments of an order',
    [
      'DROP INDEX payments_one_pending',
      `INSERT INTO payments SELECT shard, '${MISSING}', "order", event, status, tickets, created_at, finished_at
       FROM payments WHERE id = '${PENDING_PAYMENT}'`,
    ],
    ['payment'],
  ],
  [
    'a failed payment of a done order',
    [`UPDATE payments SET status = 'failed' WHERE id = '${PAID_PAYMENT}'`],
    ['payment'],
  ],
  [
    'a payment of no order',
    [`UPDATE payments SET "order" = '${MISSING}' WHERE id = '${PAID_PAYMENT}'`],
    ['payment'],
  ],
  [
    'a share that was never paid back',
    [`DELETE FROM transfers WHERE kind = 'refund'`, REBALANCE],
    ['refund-transfer'],
  ],
  [
    'a refund of another amount than the share',
    [`UPDATE transfers SET amount = amount - 1 WHERE kind = 'refund'`, REBALANCE],
    ['refund-transfer'],
  ],
  [
    'a refund paid by another organizer',
    [`UPDATE transfers SET debit_account = '${OTHER_ACCOUNT}' WHERE kind = 'refund'`, REBALANCE],
    ['refund-transfer'],
  ],
  [
    'a refund paid twice',
    [
      'ALTER TABLE transfers DROP CONSTRAINT transfers_once',
      `INSERT INTO transfers SELECT * FROM transfers WHERE kind = 'refund'`,
      REBALANCE,
    ],
    ['refund-transfer'],
  ],
  ...[MISSING, ASKED, REFUSED_REQUEST, DONE].map((ref): Case => [
    `a refund by what pays none (${ref})`,
    [
      `INSERT INTO transfers VALUES ('${ORG_ACCOUNT}', 'refund', '${ref}', '${VENDOR_ACCOUNT}', 1, now())`,
      REBALANCE,
    ],
    ['refund-transfer'],
  ]),
]

const LEDGER_CASES: Case[] = [
  ['a charge that was never taken', [`DELETE FROM transfers WHERE kind = 'sale'`, REBALANCE], ['order-sale']],
  [
    'a sale of another amount than the charge',
    [`UPDATE transfers SET amount = amount - 1 WHERE kind = 'sale'`, REBALANCE],
    ['order-sale'],
  ],
  [
    'a sale paid to another organizer',
    [`UPDATE transfers SET credit_account = '${OTHER_ACCOUNT}' WHERE kind = 'sale'`, REBALANCE],
    ['order-sale'],
  ],
  [
    'a sale taken again from another account',
    [
      `INSERT INTO accounts (id, partner, kind, currency, credit_limit)
       VALUES ('${plainId(0x15)}', '${OTHER_ORG}', 'vendor', 'RUB', ${DEPOSIT})`,
      `INSERT INTO transfers SELECT '${plainId(0x15)}', kind, ref, credit_account, amount, created_at
       FROM transfers WHERE kind = 'sale'`,
      REBALANCE,
    ],
    ['order-sale'],
  ],
  [
    'a sale taken twice',
    [
      'ALTER TABLE transfers DROP CONSTRAINT transfers_once',
      `UPDATE accounts SET credit_limit = ${DEPOSIT} WHERE kind = 'vendor'`,
      `INSERT INTO transfers SELECT * FROM transfers WHERE kind = 'sale'`,
      REBALANCE,
    ],
    ['order-sale'],
  ],
  ...[MISSING, OPEN, OWN, CANCELLED].map((order): Case => [
    `a sale of an order that has none (${order})`,
    [
      `INSERT INTO transfers VALUES ('${VENDOR_ACCOUNT}', 'sale', '${order}', '${ORG_ACCOUNT}', 1, now())`,
      REBALANCE,
    ],
    ['order-sale'],
  ]),
  [
    'a transfer from an account that does not exist',
    [`UPDATE transfers SET debit_account = '${MISSING}' WHERE kind = 'deposit'`],
    ['transfer-accounts', 'account-balance'],
  ],
  [
    'a transfer between currencies',
    [
      `INSERT INTO transfers VALUES ('${CASH_EUR}', 'deposit', 'euros', '${VENDOR_ACCOUNT}', 1, now())`,
      REBALANCE,
    ],
    ['transfer-accounts', 'ledger-sum'],
  ],
  [
    'a deposit that is not from the cash account',
    [
      `INSERT INTO transfers VALUES ('${ORG_ACCOUNT}', 'deposit', 'odd', '${VENDOR_ACCOUNT}', 1, now())`,
      REBALANCE,
    ],
    ['transfer-accounts'],
  ],
  [
    'a refund to an organizer',
    [
      `INSERT INTO transfers VALUES ('${VENDOR_ACCOUNT}', 'refund', 'odd', '${ORG_ACCOUNT}', 1, now())`,
      REBALANCE,
    ],
    ['refund-transfer', 'transfer-accounts'],
  ],
  [
    'a transfer of nothing',
    [
      'ALTER TABLE transfers DROP CONSTRAINT transfers_amount',
      `INSERT INTO transfers VALUES ('${CASH}', 'deposit', 'nothing', '${VENDOR_ACCOUNT}', 0, now())`,
    ],
    ['transfer-accounts'],
  ],
  [
    'a balance that no transfer made',
    [`UPDATE accounts SET balance = balance + 1 WHERE id = '${VENDOR_ACCOUNT}'`],
    ['account-balance', 'ledger-sum'],
  ],
  [
    'a balance moved without a transfer',
    [
      `UPDATE accounts SET balance = balance + 1 WHERE id = '${VENDOR_ACCOUNT}'`,
      `UPDATE accounts SET balance = balance - 1 WHERE id = '${ORG_ACCOUNT}'`,
    ],
    ['account-balance'],
  ],
  [
    'an account below its credit limit',
    [
      'ALTER TABLE accounts DROP CONSTRAINT accounts_within_credit',
      `UPDATE transfers SET amount = ${SALE - REFUND} - 501 WHERE kind = 'deposit'`,
      REBALANCE,
    ],
    ['account-credit'],
  ],
  [
    'a promocode used more often than its limit',
    [
      'ALTER TABLE promocodes DROP CONSTRAINT promocodes_uses_within_limit',
      `UPDATE promocodes SET uses = use_limit + 1 WHERE id = '${PROMOCODE}'`,
    ],
    ['promocode-uses'],
  ],
  [
    'a promocode used less than never',
    [
      'ALTER TABLE promocodes DROP CONSTRAINT promocodes_uses_within_limit',
      'UPDATE promocodes SET uses = -1, use_limit = NULL',
    ],
    ['promocode-uses'],
  ],
  [
    'a promocode used less often than done orders list it',
    ['UPDATE promocodes SET uses = 0'],
    ['promocode-uses'],
  ],
  [
    'a done order lists a promocode that there is not',
    [`UPDATE orders SET promocodes = promocodes || '{${MISSING}}' WHERE id = '${DONE}'`],
    ['promocode-uses'],
  ],
  [
    'more tickets taken under a promokey than its orders have',
    [`UPDATE promokeys SET taken = 1 WHERE id = '${UNUSED_PROMOKEY}'`],
    ['promokey-taken'],
  ],
  [
    'fewer tickets taken under a promokey than its orders have',
    [`UPDATE promokeys SET taken = 0 WHERE id = '${OPEN_KEY}'`],
    ['promokey-taken'],
  ],
  [
    'tickets of sets that the promokey does not open are counted',
    [`UPDATE promokeys SET sets = '{${SEATS}}' WHERE id = '${PROMOKEY}'`],
    ['promokey-taken'],
  ],
  [
    'more tickets under a promokey than its limit',
    [
      'ALTER TABLE promokeys DROP CONSTRAINT promokeys_taken_within_limit',
      `UPDATE promokeys SET tickets_limit = 6 WHERE id = '${PROMOKEY}'`,
    ],
    ['promokey-taken'],
  ],
  [
    'a promokey held by an order that is done',
    [`UPDATE promokeys SET holder = '${DONE}' WHERE id = '${PROMOKEY}'`],
    ['promokey-taken'],
  ],
  [
    'a promokey held by an order that has another',
    [`UPDATE promokeys SET holder = '${PAYING}' WHERE id = '${PROMOKEY}'`],
    ['promokey-taken'],
  ],
  [
    'an order has a promokey that there is not',
    [`UPDATE orders SET promokey = '${MISSING}' WHERE id = '${EXPIRED}'`],
    ['promokey-taken'],
  ],
]

const ELSEWHERE = id(0x999, '0005')
const copyOf = (table: string, from: string) =>
  `INSERT INTO ${table} SELECT (jsonb_populate_record(r, '{"id": "${ELSEWHERE}"}')).* FROM ${table} r WHERE id = '${from}'`

const PLANTED_SHARDS: [table: string, plant: string[]][] = [
  ['events', [copyOf('events', EVENT)]],
  [
    'sets',
    [
      copyOf('sets', STANDING),
      `INSERT INTO set_counts VALUES (${SHARD}, '${ELSEWHERE}', '${EVENT}', 0, 0, 0, 0, 0)`,
    ],
  ],
  ['tickets', [`UPDATE tickets SET id = '${ELSEWHERE}' WHERE id = '${ticket(10)}'`]],
  ['orders', [`UPDATE orders SET id = '${ELSEWHERE}' WHERE id = '${CANCELLED}'`]],
  ['refund_requests', [`UPDATE refund_requests SET id = '${ELSEWHERE}' WHERE id = '${ASKED}'`]],
  ['set_rules', [`UPDATE set_rules SET id = '${ELSEWHERE}'`]],
  ['promotions', [`UPDATE promotions SET id = '${ELSEWHERE}'`]],
  ['promocodes', [`UPDATE promocodes SET id = '${ELSEWHERE}' WHERE id = '${UNUSED_PROMOCODE}'`]],
  ['promokeys', [`UPDATE promokeys SET id = '${ELSEWHERE}' WHERE id = '${UNUSED_PROMOKEY}'`]],
  ['custom_fields', [`UPDATE custom_fields SET id = '${ELSEWHERE}'`]],
]
const SHARD_CASES = PLANTED_SHARDS.map(([table, plant]): Case => [
  `an id of another shard in ${table}`,
  plant,
  ['id-shard'],
])

const CASES = [
  ...TICKET_CASES,
  ...SET_CASES,
  ...ORDER_CASES,
  ...REFUND_CASES,
  ...LEDGER_CASES,
  ...SHARD_CASES,
]

describe('verify finds', () => {
  test.each(CASES)('%s', async (_name, plant, broken) => {
    const breaches = await verifyAfter(plant)
    expect(breaches.map((breach) => breach.invariant)).toEqual(broken)
    for (const { count, examples } of breaches) expect(examples).toHaveLength(Math.min(count, 5))
  })

  test('a breach of every invariant there is', () => {
    const path = fileURLToPath(new URL('../../src/main/verify/verify-rows.sql', import.meta.url))
    const blocks = parseStatements(readFileSync(path, 'utf8'), path).map((block) =>
      block.key.replaceAll('_', '-'),
    )
    expect(new Set(CASES.flatMap(([, , broken]) => broken))).toEqual(
      new Set(blocks.filter((block) => block !== 'settings')),
    )
  })

  test('how many records break an invariant, and shows the first of them', async () => {
    const [breach, ...others] = await verifyAfter([`UPDATE orders SET currency = 'EUR'`])
    expect(breach).toEqual({
      invariant: 'order-parties',
      count: 6,
      examples: [OPEN, PAYING, DONE, OWN, CANCELLED].map((order) =>
        expect.stringContaining(`order ${order} `),
      ),
    })
    expect(others.map(({ invariant }) => invariant)).toEqual(['order-sale', 'refund-transfer'])
  })

  test('the ids and figures', async () => {
    expect(
      await verifyAfter([`UPDATE accounts SET balance = balance + 1 WHERE id = '${VENDOR_ACCOUNT}'`]),
    ).toEqual([
      {
        invariant: 'account-balance',
        count: 1,
        examples: [
          `account ${VENDOR_ACCOUNT}: balance ${DEPOSIT - SALE + REFUND + 1}, transfers make ${DEPOSIT - SALE + REFUND}`,
        ],
      },
      { invariant: 'ledger-sum', count: 1, examples: ['the accounts in RUB add up to 1'] },
    ])
  })
})

const REFUSED: [constraint: string, statement: string][] = [
  ['tickets_status', `UPDATE tickets SET status = 'lost' WHERE id = '${ticket(10)}'`],
  [
    'tickets_order_when_taken',
    `UPDATE tickets SET status = 'vacant', reserved_till = NULL WHERE id = '${ticket(7)}'`,
  ],
  [
    'tickets_reserved_till_when_reserved',
    `UPDATE tickets SET reserved_till = NULL WHERE id = '${ticket(7)}'`,
  ],
  ['tickets_price_when_taken', `UPDATE tickets SET nominal = nominal + 1 WHERE id = '${ticket(7)}'`],
  ['tickets_price_when_taken', `UPDATE tickets SET extra = -1 WHERE id = '${ticket(7)}'`],
  ['tickets_price_when_taken', `UPDATE tickets SET price = 1 WHERE id = '${ticket(10)}'`],
  ['tickets_barcode_when_sold', `UPDATE tickets SET barcode = '75534000000000099' WHERE id = '${ticket(7)}'`],
  ['tickets_barcode_when_sold', `UPDATE tickets SET barcode = NULL WHERE id = '${ticket(1)}'`],
  ['tickets_barcode_once', `UPDATE tickets SET barcode = '75534000000000001' WHERE id = '${ticket(2)}'`],
  ['tickets_seat', `UPDATE tickets SET seat_row = NULL WHERE id = '${ticket(10)}'`],
  ['tickets_set', `UPDATE tickets SET "set" = '${MISSING}' WHERE id = '${ticket(10)}'`],
  [
    'set_counts_none_negative',
    `UPDATE set_counts SET vacant = -1, amount = amount - vacant - 1 WHERE "set" = '${SEATS}'`,
  ],
  ['set_counts_add_up', `UPDATE set_counts SET vacant = vacant + 1 WHERE "set" = '${SEATS}'`],
  ['set_counts_set', `UPDATE set_counts SET "set" = '${MISSING}' WHERE "set" = '${SEATS}'`],
  ['orders_status', `UPDATE orders SET status = 'lost' WHERE id = '${CANCELLED}'`],
  ['orders_done', `UPDATE orders SET done_at = NULL WHERE id = '${DONE}'`],
  ['orders_done', `UPDATE orders SET code = 'abcd1234' WHERE id = '${OPEN}'`],
  ['orders_charge_when_done', `UPDATE orders SET charge = 1 WHERE id = '${OPEN}'`],
  ['orders_charge_when_done', `UPDATE orders SET charge = -1 WHERE id = '${DONE}'`],
  ['orders_empty_when_ended', `UPDATE orders SET tickets = '{${ticket(10)}}' WHERE id = '${EXPIRED}'`],
  ['orders_totals', `UPDATE orders SET nominal = nominal + 1 WHERE id = '${OPEN}'`],
  ['orders_nothing_without_tickets', `UPDATE orders SET extra = 1 WHERE id = '${CANCELLED}'`],
  ['accounts_within_credit', `UPDATE accounts SET balance = -501 WHERE id = '${VENDOR_ACCOUNT}'`],
  ['accounts_one_of_a_kind', `INSERT INTO accounts (id, kind, currency) VALUES ('x', 'cash', 'RUB')`],
  ['accounts_partner_unless_cash', `INSERT INTO accounts (id, kind, currency) VALUES ('x', 'org', 'RUB')`],
  ['transfers_once', `INSERT INTO transfers SELECT * FROM transfers WHERE kind = 'sale'`],
  ['transfers_amount', 'UPDATE transfers SET amount = 0'],
  ['transfers_two_accounts', 'UPDATE transfers SET credit_account = debit_account'],
  ['promocodes_uses_within_limit', 'UPDATE promocodes SET uses = use_limit + 1'],
  ['promokeys_taken_within_limit', `UPDATE promokeys SET tickets_limit = 6 WHERE id = '${PROMOKEY}'`],
]

describe('the schema refuses', () => {
  test.each(REFUSED)('by %s: %s', async (constraint, statement) => {
    await expect(sql(statement)).rejects.toMatchObject({ constraint })
  })
})

/** What `verify` says after the statements, which are undone. */
async function verifyAfter(plant: string[]): Promise<Breach[]> {
  const undone = new Error('undone')
  let breaches: Breach[] = []
  await db
    .transaction(async (tx) => {
      for (const text of plant) await tx.query({ name: '', text })
      breaches = await verify({ ...db, longTransaction: (work) => work(tx) })
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  return breaches
}

/** Rows that all have the same columns. */
async function insert(table: string, rows: Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).map((column) => `"${column}"`)
  await sql(
    `INSERT INTO ${table} (${columns.join(', ')})
     SELECT ${columns.join(', ')} FROM jsonb_populate_recordset(NULL::${table}, $1)`,
    [JSON.stringify(rows)],
  )
}

async function insertPlaces(): Promise<void> {
  await insert(
    'partners',
    [ORG, VENDOR, OTHER_ORG].map((partner) => ({ id: partner, name: `Partner ${partner}` })),
  )
  await insert('countries', [{ id: 'RU', name: {} }])
  await insert('cities', [{ id: 1, name: {}, timezone: 'Europe/Moscow', country: 'RU' }])
  await insert('venues', [{ id: VENUE, name: 'Venue', address: 'Address', city: 1, country: 'RU' }])
  await insert('maps', [{ id: MAP, venue: VENUE, name: 'Map' }])
  await insert(
    'sectors',
    [SECTOR, OTHER_SECTOR].map((sector, pos) => ({
      id: sector,
      map: MAP,
      pos,
      name: 'Sector',
      with_seats: true,
    })),
  )
  await insert(
    'deals',
    [ORG, OTHER_ORG].map((org, index) => ({
      id: [DEAL, OTHER_DEAL][index],
      org,
      vendor: VENDOR,
      org_share: 950_000,
      agent: 50_000,
      extra: 25_000,
    })),
  )
}

async function insertEvents(): Promise<void> {
  await insert(
    'events',
    [EVENT, NEXT_EVENT].map((event, index) => ({
      shard: SHARD,
      id: event,
      org: ORG,
      venue: VENUE,
      title: {},
      status: 'public',
      start: '2026-12-01',
      finish: '2026-12-02',
      currency: 'RUB',
      serial: ['AAA', 'BBB'][index],
    })),
  )
  const of_event = { shard: SHARD, event: EVENT, pos: 0, name: 'Set', price: 10_000 }
  await insert('sets', [
    { ...of_event, id: STANDING, with_seats: false, sector: null },
    { ...of_event, id: SEATS, with_seats: true, sector: SECTOR },
    { ...of_event, id: NEXT_SET, event: NEXT_EVENT, with_seats: false, sector: null },
  ])
  await insert('set_rules', [
    { shard: SHARD, id: RULE, set: STANDING, start: '2026-11-01', finish: '2026-11-02', price: 1 },
  ])
  await insert('promotions', [{ shard: SHARD, id: PROMOTION, event: EVENT, pos: 0, fix: 1 }])
  await insert('promocodes', [
    { shard: SHARD, id: PROMOCODE, event: EVENT, code: 'TEN', fix: 10, use_limit: 1, uses: 1 },
    { shard: SHARD, id: UNUSED_PROMOCODE, event: EVENT, code: 'NONE', fix: 10, use_limit: null, uses: 0 },
  ])
  // Under the first are five tickets of DONE and two of OPEN, which holds it; under the second the seat of PAYING.
  const of_key = { shard: SHARD, event: EVENT, sets: [], single_order: false, taken: 0, holder: null }
  await insert('promokeys', [
    { ...of_key, id: PROMOKEY, code: 'KEY', sets: [STANDING], single_order: true, taken: 7, holder: OPEN },
    { ...of_key, id: OPEN_KEY, code: 'ALL', taken: 1 },
    { ...of_key, id: UNUSED_PROMOKEY, code: 'NONE' },
  ])
  await insert('custom_fields', [
    { shard: SHARD, id: FIELD, event: EVENT, pos: 0, scope: 'order', kind: 'text', name: 'Field' },
  ])
}

async function insertTickets(): Promise<void> {
  const rows = TICKETS.map(([set, status, order, price, discount, extra], index) => {
    const number = index + 1
    const is_seat = set === SEATS
    return {
      shard: SHARD,
      id: ticket(number),
      event: set === NEXT_SET ? NEXT_EVENT : EVENT,
      set,
      serial: set === NEXT_SET ? 'BBB' : 'AAA',
      number,
      sector: is_seat ? SECTOR : null,
      seat_row: is_seat ? '1' : null,
      seat_number: is_seat ? String(number) : null,
      row_pos: is_seat ? 0 : null,
      seat_pos: is_seat ? number : null,
      status,
      order,
      // The payment of PAYING has been going on for so long.
      reserved_till: { [OPEN]: EXPIRED_AFTER, [PAYING]: PAYMENT_TILL }[order ?? ''] ?? null,
      price: price ?? null,
      discount: discount ?? null,
      nominal: price === undefined ? null : price - (discount ?? 0),
      extra: extra ?? null,
      barcode: status === 'sold' ? `75534${String(number).padStart(12, '0')}` : null,
    }
  })
  await insert('tickets', rows)
  const counts = { shard: SHARD, event: EVENT, vacant: 0, held: 0, sold: 0, pending: 0 }
  await insert('set_counts', [
    { ...counts, set: STANDING, amount: 9, held: 2, sold: 6, pending: 1 },
    { ...counts, set: SEATS, amount: 3, vacant: 2, held: 1 },
    { ...counts, set: NEXT_SET, event: NEXT_EVENT, amount: 1, vacant: 1 },
  ])
}

async function insertOrders(): Promise<void> {
  const made = (order: string, status: string, fields: Record<string, unknown> = {}) => {
    const own = TICKETS.flatMap(([, , of, price = 0, discount = 0, extra = 0], index) =>
      of === order ? [{ id: ticket(index + 1), price, discount, extra }] : [],
    )
    const sum = (field: 'price' | 'discount' | 'extra') => own.reduce((total, one) => total + one[field], 0)
    return {
      shard: SHARD,
      id: order,
      event: EVENT,
      org: ORG,
      vendor: VENDOR,
      origin: 'api',
      status,
      deal: DEAL,
      org_share: 950_000,
      extra_share: 25_000,
      currency: 'RUB',
      tickets: own.map((one) => one.id),
      price: sum('price'),
      discount: sum('discount'),
      nominal: sum('price') - sum('discount'),
      extra: sum('extra'),
      charge: 0,
      expired_after: EXPIRED_AFTER,
      done_at: null,
      code: null,
      payment_till: null,
      promocodes: [],
      promokey: null,
      ...fields,
    }
  }
  const done = { done_at: '2026-11-20 12:05:00+00' }
  const without_deal = { vendor: ORG, deal: null, org_share: 0, extra_share: 0 }
  const orders = [
    made(OPEN, 'executed', { promocodes: [PROMOCODE], promokey: PROMOKEY }),
    made(PAYING, 'in_progress', { payment_till: PAYMENT_TILL, promokey: OPEN_KEY }),
    made(DONE, 'done', {
      ...done,
      code: 'abcd0003',
      charge: CHARGE,
      promocodes: [PROMOCODE],
      promokey: PROMOKEY,
    }),
    made(OWN, 'done', { ...done, code: 'abcd0004', ...without_deal }),
    made(CANCELLED, 'cancelled'),
    made(EXPIRED, 'expired'),
  ]
  await insert(
    'orders',
    orders.map((order, index) => ({ ...order, number: index + 1 })),
  )
}

async function insertPayments(): Promise<void> {
  const payment = { shard: SHARD, event: EVENT, tickets: [], created_at: '2026-11-20 12:04:00+00' }
  await insert('payments', [
    { ...payment, id: PENDING_PAYMENT, order: PAYING, status: 'pending', finished_at: null },
    { ...payment, id: PAID_PAYMENT, order: OWN, status: 'confirmed', finished_at: '2026-11-20 12:05:00+00' },
  ])
}

async function insertRefundRequests(): Promise<void> {
  const request = (request_id: string, status: string, fields: Record<string, unknown>) => ({
    shard: SHARD,
    id: request_id,
    event: EVENT,
    org: ORG,
    vendor: VENDOR,
    order: DONE,
    status,
    policy: 'schedule',
    created_at: '2026-11-20 12:10:00+00',
    requested_at: '2026-11-20 12:10:00+00',
    finished_at: status === 'new' ? null : '2026-11-20 12:11:00+00',
    ...fields,
  })
  const whole = {
    tickets: [ticket(1)],
    ticket_records: [{ id: ticket(1), nominal: 10_020, extra: 250, refunded: 10_020 }],
    culprit: 'org',
    refund_nominal: 10_020,
    customer_money: 10_270,
    share: 9519,
  }
  await insert('refund_requests', [
    request(REFUNDED, 'approved', {
      tickets: [ticket(10)],
      ticket_records: [{ id: ticket(10), nominal: 20_010, extra: 500, refunded: 10_005 }],
      culprit: 'user',
      refund_nominal: 10_005,
      customer_money: 10_005,
      share: REFUND,
    }),
    request(ASKED, 'new', whole),
    request(REFUSED_REQUEST, 'rejected', whole),
  ])
}

async function insertLedger(): Promise<void> {
  const account = { kind: 'org', currency: 'RUB', partner: null, balance: 0, credit_limit: 0 }
  await insert('accounts', [
    {
      ...account,
      id: VENDOR_ACCOUNT,
      partner: VENDOR,
      kind: 'vendor',
      balance: DEPOSIT - SALE + REFUND,
      credit_limit: 500,
    },
    { ...account, id: ORG_ACCOUNT, partner: ORG, balance: SALE - REFUND },
    { ...account, id: OTHER_ACCOUNT, partner: OTHER_ORG },
    { ...account, id: CASH, kind: 'cash', balance: -DEPOSIT },
    { ...account, id: CASH_EUR, kind: 'cash', currency: 'EUR' },
  ])
  const transfer = { credit_account: VENDOR_ACCOUNT, created_at: '2026-11-20 12:05:00+00' }
  await insert('transfers', [
    { ...transfer, debit_account: CASH, kind: 'deposit', ref: 'first', amount: DEPOSIT },
    {
      ...transfer,
      debit_account: VENDOR_ACCOUNT,
      kind: 'sale',
      ref: DONE,
      credit_account: ORG_ACCOUNT,
      amount: SALE,
    },
    { ...transfer, debit_account: ORG_ACCOUNT, kind: 'refund', ref: REFUNDED, amount: REFUND },
  ])
}
