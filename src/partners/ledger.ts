/**
 * The ledger: transfers from one account to another, never changed, and each account's balance, which equals what its
 * transfers make (contract, decisions 3). A transfer's `ref` names what moved the money, so that it moves once.
 */
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './ledger-rows.ts'
import type { AccountRow, MovedRow } from './ledger-rows.ts'

export type TransferKind = 'deposit' | 'sale' | 'refund'

/** `amount` is positive minor units. */
export type Transfer = { debit_account: string; credit_account: string; ref: string; amount: number }

/** What one transaction moves between accounts: read first, then moved in memory, then saved. */
export type Ledger = {
  /** Whether the account may pay the amount: its balance does not fall below its credit limit. */
  canPay(account: string, amount: number): boolean
  /** Notes a transfer between accounts of the ledger. */
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

/** What a sale may move, at most. */
export type PossibleSale = {
  readonly debit_account: string
  readonly credit_account: string
  /** Minor units. */
  readonly at_most: number
}

/**
 * For how many times what the transaction may spend an account must have room, so that it need not be locked: for what the
 * balance that was read does not show, because other transactions are about to spend it.
 */
const AMPLE = 16

/** The accounts that sales were paid from, as this process saw them last: a hint, since others spend from them too. */
export type KnownAccounts = Map<string, AccountBalance>

export type SaleAccounts = {
  readonly known: KnownAccounts
  /** Accounts that were read in the transaction already. */
  readonly read?: readonly AccountBalance[] | undefined
}

/**
 * Opens the accounts that sales move money between. A sold-out hall is thousands of sales from one account, and each
 * transaction would wait for the one before. Far from its limit an account is not locked: `save` moves the balance, and should
 * it have been spent meanwhile, the constraint `accounts_within_credit` fails the transaction. Near it all of the accounts are
 * locked, as `openLedger` does.
 */
export async function openLedgerOfSales(
  tx: Queryable,
  sales: readonly PossibleSale[],
  { known, read = [] }: SaleAccounts,
): Promise<Ledger> {
  const spending = spendingOf(sales)
  if (spending.size === 0) return createLedger([])
  const accounts = has(read, spending)
    ? read
    : await tx.query<AccountRow>(statements.read_accounts, [[...spending.keys()]])
  note(known, accounts)
  if (accounts.every((account) => isAmple(account, spending))) return createLedger(accounts, known)
  return openLedger(
    tx,
    sales.flatMap((sale) => [sale.debit_account, sale.credit_account]),
  )
}

/** The same without asking: undefined when an account is not known, or was not far from its limit when it was seen last. */
export function openKnownLedger(sales: readonly PossibleSale[], known: KnownAccounts): Ledger | undefined {
  const spending = spendingOf(sales)
  const accounts: AccountBalance[] = []
  for (const id of spending.keys()) {
    const account = known.get(id)
    if (account === undefined || !isAmple(account, spending)) return undefined
    accounts.push(account)
  }
  return createLedger(accounts, known)
}

/** By account. */
function spendingOf(sales: readonly PossibleSale[]): Map<string, number> {
  const spending = new Map<string, number>()
  for (const { debit_account, at_most } of sales)
    spending.set(debit_account, (spending.get(debit_account) ?? 0) + at_most)
  return spending
}

function isAmple({ id, balance, credit_limit }: AccountRow, spending: ReadonlyMap<string, number>): boolean {
  return balance + credit_limit >= AMPLE * (spending.get(id) ?? 0)
}

function note(known: KnownAccounts, accounts: readonly AccountRow[]): void {
  for (const account of accounts) if (account.kind === 'vendor') known.set(account.id, account)
}

/** An account with its balance at the time it was read; money in minor units. */
export type AccountBalance = AccountRow

/** The prepaid accounts of the partners in all currencies, not locked; the statement is sent at once. */
export function readVendorAccounts(tx: Queryable, partners: readonly string[]): Promise<AccountBalance[]> {
  return tx.query<AccountRow>(statements.read_vendor_accounts, [partners])
}

function has(accounts: readonly AccountRow[], wanted: ReadonlyMap<string, unknown>): boolean {
  const ids = new Set(accounts.map(({ id }) => id))
  return [...wanted.keys()].every((id) => ids.has(id))
}

/** `known`: where the balances are noted that `save` leaves behind. */
function createLedger(rows: readonly AccountRow[], known: KnownAccounts = new Map()): Ledger {
  const accounts = new Map(rows.map((account) => [account.id, account]))
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
      const moves = [...moved].toSorted(([a], [b]) => (a < b ? -1 : 1))
      const inserting = tx.execute(statements.insert_transfers, [
        kind,
        new Date(at).toISOString(),
        transfers.map((transfer) => transfer.debit_account),
        transfers.map((transfer) => transfer.ref),
        transfers.map((transfer) => transfer.credit_account),
        transfers.map((transfer) => transfer.amount),
      ])
      const moving = tx.query<MovedRow>(statements.move_balances, [
        moves.map(([id]) => id),
        moves.map(([, amount]) => amount),
      ])
      return [inserting, moving.then(([row]) => note(known, row?.accounts ?? []))]
    },
  }
}
