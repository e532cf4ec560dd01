import { loadStatements } from '../platform/db/sql-file.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { TransferKind } from './ledger.ts'
import type { AccountRow } from './ledger-rows.ts'

const sql = loadStatements(new URL('./accounts-rows.sql', import.meta.url), [
  'ensure_account',
  'notify_catalog',
  'find_account',
  'find_transfer',
  'accounts_of_partner',
  'last_transfers',
])

/** `partner` is null for the platform's own `cash`. */
export type AccountKey = { partner: string | null; kind: AccountRow['kind']; currency: string }

/** Money is minor units. */
export type ShownAccountRow = AccountRow & { currency: string }

/** Times are epoch milliseconds; `amount` is what it added to the account, in minor units. */
export type TransferRow = { kind: TransferKind; ref: string; created_at: number; amount: number }

/** Makes the account when there is none, under the id `new_id`. */
export async function ensureAccount(tx: Queryable, key: AccountKey, new_id: string): Promise<void> {
  const made = await tx.execute(sql.ensure_account, [new_id, key.partner, key.kind, key.currency])
  if (made > 0) await tx.query(sql.notify_catalog)
}

/** An account that is there. */
export async function findAccount(tx: Queryable, key: AccountKey): Promise<{ id: string; balance: number }> {
  const [row] = await tx.query<{ id: string; balance: number }>(sql.find_account, [
    key.partner,
    key.kind,
    key.currency,
  ])
  return row!
}

export async function findTransfer(
  tx: Queryable,
  { debit_account, kind, ref }: { debit_account: string; kind: TransferKind; ref: string },
): Promise<{ credit_account: string; amount: number } | undefined> {
  const [row] = await tx.query<{ credit_account: string; amount: number }>(sql.find_transfer, [
    debit_account,
    kind,
    ref,
  ])
  return row
}

export function accountsOfPartner(db: Queryable, partner: string): Promise<ShownAccountRow[]> {
  return db.query<ShownAccountRow>(sql.accounts_of_partner, [partner])
}

export function lastTransfers(db: Queryable, account: string, count: number): Promise<TransferRow[]> {
  return db.query<TransferRow>(sql.last_transfers, [account, count])
}
