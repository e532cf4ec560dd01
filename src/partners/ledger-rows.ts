import { loadStatements } from '../platform/db/sql-file.ts'

export const statements = loadStatements(new URL('./ledger-rows.sql', import.meta.url), [
  'lock_account',
  'read_accounts',
  'read_vendor_accounts',
  'insert_transfers',
  'move_balances',
])

export type AccountRow = {
  id: string
  kind: 'vendor' | 'org' | 'cash'
  balance: number
  credit_limit: number
}

/** The accounts that moved, as they are then. */
export type MovedRow = { accounts: AccountRow[] }
