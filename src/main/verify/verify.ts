import type { Db } from '../../platform/db/db.ts'
import { loadStatements } from '../../platform/db/sql-file.ts'

/** The blocks of verify-rows.sql, in the order they are checked and answered. */
const INVARIANTS = [
  'ticket_order',
  'ticket_money',
  'ticket_set',
  'ticket_number',
  'ticket_seat',
  'ticket_barcode',
  'set_counts',
  'order_tickets',
  'order_state',
  'order_number',
  'order_parties',
  'order_sale',
  'refund_request',
  'refund_ticket',
  'refund_transfer',
  'payment',
  'transfer_accounts',
  'account_balance',
  'account_credit',
  'ledger_sum',
  'promocode_uses',
  'promokey_taken',
  'id_shard',
] as const

const statements = loadStatements(new URL('./verify-rows.sql', import.meta.url), ['settings', ...INVARIANTS])

/**
 * An invariant that does not hold: its name, how many records or groups of records break it, and a line for people about
 * each of the first few, with ids and figures (money in minor units).
 */
export type Breach = { invariant: string; count: number; examples: string[] }

/**
 * Checks what must be true of the store at every commit, in one read-only transaction that sees one moment of it, so that
 * it may run beside the service. Answers the invariants that are broken; none when all is well.
 *
 * | invariant         | holds when                                                                                    |
 * | ----------------- | --------------------------------------------------------------------------------------------- |
 * | ticket-order      | a taken ticket names an order of its event that lists it; it is reserved till the order's     |
 * |                   | expired_after while that is executed (up to 30 minutes longer in in_progress), sold with a    |
 * |                   | barcode once it is done; no other order has tickets; any other ticket carries nothing of one  |
 * | ticket-money      | nominal = price - discount, none negative; extra is the order's share of nominal, half to even |
 * | ticket-set        | the set is of the ticket's event, and a seat is in the set's sector                           |
 * | ticket-number     | the serial is the event's, the number is once in the event                                    |
 * | ticket-seat       | a seat is once in the event                                                                   |
 * | ticket-barcode    | 17 digits that begin with the shard, on one ticket of the platform                            |
 * | set-counts        | every set has its counts, and they are those of its tickets                                   |
 * | order-tickets     | an order lists the tickets that name it, each once; its totals are their sums, and its charge |
 * |                   | their organizer's shares when it is done by a vendor, else 0                                  |
 * | order-state       | done orders, and no others, have done_at (not after the longest hold), a code of the right    |
 * |                   | form, perhaps a charge; cancelled and expired ones list nothing                               |
 * | order-number      | number and code are each on one order of the platform                                         |
 * | order-parties     | org and currency are the event's, the deal is between org and vendor; the organizer sells     |
 * |                   | without a deal and without a fee                                                              |
 * | order-sale        | a done order that was charged has one `sale` transfer, from the vendor's account to the       |
 * |                   | organizer's, in its currency: of its charge and the organizer's shares of the tickets that     |
 * |                   | were refunded; there is no other `sale`                                                        |
 * | refund-request    | it is of a done order between its parties; what it pays back is the sum over its tickets, of  |
 * |                   | each no more than its nominal, and all of that when the culprit is org; its share is the      |
 * |                   | organizer's of what each pays back, half to even, 0 when the organizer sold the order itself   |
 * | refund-ticket     | the order has the tickets of an open request and none of an approved one's; a ticket of an    |
 * |                   | order is in one request that is not rejected                                                  |
 * | refund-transfer   | an approved request with a share has one `refund` transfer: of the share, from the            |
 * |                   | organizer's account to the vendor's, in the order's currency; there is no other `refund`       |
 * | payment           | an order in progress has one pending payment; a payment that is confirmed, failed or expired    |
 * |                   | has an order that is done, cancelled or expired                                                |
 * | transfer-accounts | a transfer moves more than 0 between accounts of one currency, of the kinds that go with its own |
 * | account-balance   | a balance is what the account's transfers make                                                |
 * | account-credit    | a vendor's account is not below its credit limit                                              |
 * | ledger-sum        | the balances of a currency add up to 0                                                        |
 * | promocode-uses    | a promocode was used once for each done order that lists it, no more often than its limit      |
 * | promokey-taken    | the tickets taken under a promokey are those of its sets in the orders that have it, no more    |
 * |                   | than its limit; its holder is a live order that has it                                          |
 * | id-shard          | the shard in an id is that of the record                                                      |
 *
 * That only legal moves lead from state to state is held by the conditions of the updates (orders/desk-rows.sql,
 * inventory/tickets-rows.sql): no history is kept, so here only the traces a state leaves are checked. An unpaid order that
 * is past its lifetime and not yet ended is no breach: it is what a store holds when the service was away.
 */
export async function verify(db: Db): Promise<Breach[]> {
  return db.longTransaction(async (tx) => {
    await tx.query(statements.settings)
    const breaches: Breach[] = []
    for (const name of INVARIANTS) {
      const rows = await tx.query<{ count: number; example: string }>(statements[name])
      if (rows[0] === undefined) continue
      breaches.push({
        invariant: name.replaceAll('_', '-'),
        count: rows[0].count,
        examples: rows.map((row) => row.example),
      })
    }
    return breaches
  }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
}
