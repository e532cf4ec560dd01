/**
 * The ledger, as an operator sees it. A deposit is a transfer from the platform's cash account to the vendor's, so that all
 * balances of a currency add up to zero.
 */
import { DomainError } from '../kernel/domain-error.ts'
import { newId, NO_SHARD } from '../kernel/ids.ts'
import type { Db } from '../platform/db/db.ts'
import { createSession } from '../platform/db/session.ts'
import {
  accountsOfPartner,
  ensureAccount,
  findAccount,
  findTransfer,
  lastTransfers,
  type AccountKey,
  type ShownAccountRow,
  type TransferRow,
} from './accounts-rows.ts'
import { openLedger } from './ledger.ts'
import type { PartnerAdminErrorCode } from './partner-errors.ts'
import { findPartner } from './partners-rows.ts'

type Account = { id: string; balance: number }

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
  const session = createSession(db, { name: 'deposit', settings: {} })
  const posted = session.transaction(async (tx) => {
    const partner = await findPartner(tx, options.partner)
    const keys: AccountKey[] = [
      { partner: null, kind: 'cash', currency },
      { partner: partner.id, kind: 'vendor', currency },
    ]
    for (const key of keys) await ensureAccount(tx, key, newId(NO_SHARD, now))
    const found = await Promise.all(keys.map((key) => findAccount(tx, key)))
    const ledger = await openLedger(
      tx,
      found.map(({ id }) => id),
    )
    // Read again: the balances may have moved before they were locked.
    const [cash, account] = (await Promise.all(keys.map((key) => findAccount(tx, key)))) as [Account, Account]
    const earlier = await findTransfer(tx, { debit_account: cash.id, kind: 'deposit', ref })
    if (earlier) {
      if (earlier.credit_account !== account.id || earlier.amount !== amount) {
        throw new DomainError<PartnerAdminErrorCode>('deposit_ref_taken', { ref })
      }
      return { result: { account: account.id, ref, posted: false, balance: account.balance }, sent: [] }
    }
    if (![cash.balance - amount, account.balance + amount].every(Number.isSafeInteger)) {
      throw new DomainError<PartnerAdminErrorCode>('balance_too_large')
    }
    ledger.post({ debit_account: cash.id, credit_account: account.id, ref, amount })
    const result = { account: account.id, ref, posted: true, balance: account.balance + amount }
    return { result, sent: ledger.save(tx, 'deposit', now) }
  })
  return posted.finally(() => session.close())
}

/** `available` is what may still be spent: balance and credit; null for an account that is not spent from. */
export type ShownAccount = ShownAccountRow & { available: number | null; transfers: TransferRow[] }

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
