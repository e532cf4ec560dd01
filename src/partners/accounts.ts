/**
 * The ledger, as an operator sees it. A deposit is a transfer from the platform's cash account to the vendor's, so that all
 * balances of a currency add up to zero.
 */
import { DomainError } from '../kernel/domain-error.ts'
import { newId, NO_SHARD } from '../kernel/ids.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import {
  accountsOfPartner,
  ensureAccount,
  findTransfer,
  insertTransfer,
  lastTransfers,
  lockAccount,
  moveBalance,
  type AccountRow,
  type TransferRow,
} from './accounts-rows.ts'
import type { PartnerAdminErrorCode } from './partner-errors.ts'
import { findPartner } from './partners-rows.ts'

export type DepositOptions = {
  db: Db
  /** Id, ref or whole name. */
  partner: string
  /** ISO 4217. */
  currency: string
  /** Minor units, above zero. */
  amount: number
  /** What names the payment, unique in its currency: the same one is posted once. */
  ref?: string | undefined
  now: number
}

/** `posted` is false when the same deposit was posted before; `balance` is that of the account now, in minor units. */
export type DepositResult = { account: string; ref: string; posted: boolean; balance: number }

/**
 * Adds to a vendor's prepaid account, which is made when there is none. DomainError `partner_not_found`,
 * `partner_ambiguous`; `deposit_ref_taken` when the ref names another deposit; `balance_too_large`.
 */
export async function deposit(options: DepositOptions): Promise<DepositResult> {
  const { db, currency, amount, now } = options
  const ref = options.ref ?? newId(NO_SHARD, now)
  return db.transaction(async (tx) => {
    const partner = await findPartner(tx, options.partner)
    const cash = await ensureAccount(tx, { partner: null, kind: 'cash', currency }, newId(NO_SHARD, now))
    const account = await ensureAccount(
      tx,
      { partner: partner.id, kind: 'vendor', currency },
      newId(NO_SHARD, now),
    )
    const balances = await lockInOrder(tx, [cash, account])
    const before = balances.get(account)!
    const is_new = await insertTransfer(tx, {
      debit_account: cash,
      kind: 'deposit',
      ref,
      credit_account: account,
      amount,
      created_at: now,
    })
    if (!is_new) {
      const earlier = await findTransfer(tx, { debit_account: cash, kind: 'deposit', ref })
      if (earlier?.credit_account !== account || earlier.amount !== amount) {
        throw new DomainError<PartnerAdminErrorCode>('deposit_ref_taken', { ref })
      }
      return { account, ref, posted: false, balance: before }
    }
    if (!Number.isSafeInteger(before + amount) || !Number.isSafeInteger(balances.get(cash)! - amount)) {
      throw new DomainError<PartnerAdminErrorCode>('balance_too_large')
    }
    await moveBalance(tx, cash, -amount)
    await moveBalance(tx, account, amount)
    return { account, ref, posted: true, balance: before + amount }
  })
}

/** Locks the accounts one by one in the order of ids, as sales do, and answers their balances by id. */
async function lockInOrder(tx: Queryable, ids: string[]): Promise<Map<string, number>> {
  const balances = new Map<string, number>()
  for (const id of ids.toSorted()) balances.set(id, await lockAccount(tx, id))
  return balances
}

/** `available` is what may still be spent: balance and credit; null for an account that is not spent from. */
export type ShownAccount = AccountRow & { available: number | null; transfers: TransferRow[] }

/** The accounts of a partner (id, ref or whole name), each with its last `transfers`, newest first. */
export async function showAccounts(db: Db, partner: string, transfers: number): Promise<ShownAccount[]> {
  return db.transaction(async (tx) => {
    const { id } = await findPartner(tx, partner)
    const shown: ShownAccount[] = []
    for (const account of await accountsOfPartner(tx, id)) {
      const available = account.kind === 'vendor' ? account.balance + account.credit_limit : null
      shown.push({ ...account, available, transfers: await lastTransfers(tx, account.id, transfers) })
    }
    return shown
  }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
}
