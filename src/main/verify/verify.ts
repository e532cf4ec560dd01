import type { Db } from '../../platform/db/db.ts'
import { loadStatements } from '../../platform/db/sql-file.ts'

/** In the order they are checked and answered; each is a block of verify-rows.sql. */
const INVARIANTS = [
  'ticket_order',
  'ticket_status',
  'ticket_money',
  'ticket_set',
  'ticket_number',
  'ticket_seat',
  'ticket_barcode',
  'set_counts',
  'order_state',
  'order_number',
  'order_parties',
  'order_money',
  'order_sale',
  'transfer_accounts',
  'account_balance',
  'account_credit',
  'ledger_sum',
  'promocode_uses',
  'id_shard',
] as const

const statements = loadStatements(new URL('./verify-rows.sql', import.meta.url), ['settings', ...INVARIANTS])

/** `count` is that of all breaches of the invariant, `examples` are lines about the first few, by id. */
export type Breach = { invariant: string; count: number; examples: string[] }

export async function verify(db: Db): Promise<Breach[]> {
  return db.transaction(async (tx) => {
    await tx.query(statements.settings)
    const breaches: Breach[] = []
    for (const name of INVARIANTS) {
      const rows = await tx.query<{ count: number; example: string }>(statements[name])
      const [first] = rows
      if (first)
        breaches.push({
          invariant: name.replaceAll('_', '-'),
          count: first.count,
          examples: rows.map((row) => row.example),
        })
    }
    return breaches
  }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
}
