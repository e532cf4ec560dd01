import { loadStatements } from '../platform/db/sql-file.ts'
import type { Queryable } from '../platform/db/db.ts'

const sql = loadStatements(new URL('./accounts-rows.sql', import.meta.url), [
  'ensure_account',
  'find_account',
  'lock_account',
  'insert_transfer',
  'find_transfer',
  'move_balance',
  'accounts_of_partner',
  'last_transfers',
])

export type AccountKind = 'vendor' | 'org' | 'cash'

/** `partner` is null for the platform's own `cash`. */
export type AccountKey = { partner: string | null; kind: AccountKind; currency: string }

/** Money is minor units. */
export type AccountRow = {
  id: string
  kind: AccountKind
  currency: string
  balance: number
  credit_limit: number
}

/** Times are epoch milliseconds; `amount` is what it added to the account, in minor units. */
export type TransferRow = {
  kind: 'deposit' | 'sale' | 'refund'
  ref: string
  created_at: number
  amount: number
}

/** The account's id; `new_id` is used when there is no such account yet. */
export async function ensureAccount(tx: Queryable, key: AccountKey, new_id: string): Promise<string> {
  await tx.query(sql.ensure_account, [new_id, key.partner, key.kind, key.currency])
  const [row] = await tx.query<{ id: string }>(sql.find_account, [key.partner, key.kind, key.currency])
  return row!.id
}

/** The balance, which stays as it is until the transaction ends. */
export async function lockAccount(tx: Queryable, id: string): Promise<number> {
  const [row] = await tx.query<{ balance: number }>(sql.lock_account, [id])
  return row!.balance
}

export type NewTransfer = {
  debit_account: string
  kind: TransferRow['kind']
  ref: string
  credit_account: string
  amount: number
  created_at: number
}

/** False when the debited account has a transfer of this kind and ref. */
export async function insertTransfer(tx: Queryable, transfer: NewTransfer): Promise<boolean> {
  const { debit_account, kind, ref, credit_account, amount, created_at } = transfer
  const rows = await tx.query(sql.insert_transfer, [
    debit_account,
    kind,
    ref,
    credit_account,
    amount,
    created_at,
  ])
  return rows.length > 0
}

export async function findTransfer(
  tx: Queryable,
  { debit_account, kind, ref }: Pick<NewTransfer, 'debit_account' | 'kind' | 'ref'>,
): Promise<{ credit_account: string; amount: number } | undefined> {
  const [row] = await tx.query<{ credit_account: string; amount: number }>(sql.find_transfer, [
    debit_account,
    kind,
    ref,
  ])
  return row
}

export async function moveBalance(tx: Queryable, id: string, amount: number): Promise<void> {
  await tx.query(sql.move_balance, [id, amount])
}

export function accountsOfPartner(db: Queryable, partner: string): Promise<AccountRow[]> {
  return db.query<AccountRow>(sql.accounts_of_partner, [partner])
}

export function lastTransfers(db: Queryable, account: string, count: number): Promise<TransferRow[]> {
  return db.query<TransferRow>(sql.last_transfers, [account, count])
}
