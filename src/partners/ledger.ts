/**
 * The ledger: transfers from one account to another, never changed, and each account's balance, which equals what its
 * transfers make (contract, decisions 3). A transfer's `ref` names what moved the money, so that it moves once.
 */
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './ledger-rows.ts'
import type { AccountRow } from './ledger-rows.ts'

/** An account locked by the transaction at hand, with its balance as the transfers so far leave it. */
export type LockedAccount = {
  readonly id: string
  readonly kind: 'vendor' | 'org' | 'cash'
  readonly balance: number
  readonly credit_limit: number
}

export type TransferKind = 'deposit' | 'sale' | 'refund'

/** `amount` is positive minor units. */
export type Transfer = { debit_account: string; credit_account: string; ref: string; amount: number }

/** The accounts of one transaction: locked first, then moved in memory, then saved. */
export type Ledger = {
  /** Whether the account may pay the amount: its balance does not fall below its credit limit. */
  canPay(account: string, amount: number): boolean
  /** Notes a transfer between locked accounts. */
  post(transfer: Transfer): void
  /** Writes what was posted; the statements are sent at once. `at` is epoch milliseconds. */
  save(tx: Queryable, kind: TransferKind, at: number): Promise<unknown>[]
}

/** Locks the accounts one by one in the order of their ids; the statements are sent at once. */
export async function openLedger(tx: Queryable, accounts: Iterable<string>): Promise<Ledger> {
  const rows = await Promise.all(
    [...new Set(accounts)].toSorted().map((id) => tx.query<AccountRow>(statements.lock_account, [id])),
  )
  return createLedger(rows.flat())
}

function createLedger(locked: readonly LockedAccount[]): Ledger {
  const accounts = new Map(locked.map((account) => [account.id, account]))
  const moved = new Map<string, number>()
  const transfers: Transfer[] = []
  const move = (account: string, by: number) => moved.set(account, (moved.get(account) ?? 0) + by)
  return {
    canPay(id, amount) {
      const account = accounts.get(id)
      if (account === undefined) return false
      return account.balance + (moved.get(id) ?? 0) - amount >= -account.credit_limit
    },
    post(transfer) {
      move(transfer.debit_account, -transfer.amount)
      move(transfer.credit_account, transfer.amount)
      transfers.push(transfer)
    },
    save(tx, kind, at) {
      if (transfers.length === 0) return []
      return [
        tx.execute(statements.insert_transfers, [
          kind,
          new Date(at).toISOString(),
          transfers.map((transfer) => transfer.debit_account),
          transfers.map((transfer) => transfer.ref),
          transfers.map((transfer) => transfer.credit_account),
          transfers.map((transfer) => transfer.amount),
        ]),
        ...[...moved]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([account, by]) => tx.execute(statements.move_balance, [account, by])),
      ]
    },
  }
}
