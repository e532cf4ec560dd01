import { newId, NO_SHARD } from '../../kernel/ids.ts'
import { formatMoney } from '../../kernel/money.ts'
import type { Queryable } from '../../platform/db/db.ts'
import type { FaultList } from './import-faults.ts'
import { sql } from './import-rows.ts'
import { claimsOf, resolve, type Planning } from './planning.ts'
import { orNull, toMinor } from './values.ts'

type AccountKind = 'vendor' | 'org' | 'cash'

/** An entry of the document; money in minor units. */
type Entry = {
  path: string
  partner: string
  currency: string
  ref: string
  deposit: number
  /** null: stays as it is. */
  credit_limit: number | null
}

type AccountKey = { partner: string | null; kind: AccountKind; currency: string }

export type AccountPlan = {
  /** Accounts that must exist. */
  readonly wanted: Map<string, AccountKey>
  readonly entries: Entry[]
}

export function wantAccount({ wanted }: AccountPlan, account: AccountKey): void {
  wanted.set(`${account.partner} ${account.kind} ${account.currency}`, account)
}

/**
 * Vendors' prepaid accounts. A deposit is known by the ref of its entry, or without one by partner and currency,
 * so that it is posted once; a second one needs a ref of its own. A credit limit that is left out stays as it is.
 */
export function planAccounts(planning: Planning, plan: AccountPlan): void {
  const limits = new Map<string, { credit_limit: number; path: string }>()
  const refs = claimsOf(planning, 'accounts')
  for (const [index, entry] of (planning.document.accounts ?? []).entries()) {
    const path = `$.accounts[${index}]`
    const partner = resolve(planning, 'partners', entry.partner, `${path}.partner`)?.id
    if (partner === undefined) continue
    const { currency = 'RUB', deposit = '0.00' } = entry
    const ref = entry.ref ?? `deposit:${partner}:${currency}`
    const same = refs.get(ref)
    if (same !== undefined)
      planning.faults.add(`${path}.ref`, `is that of ${same}: every entry needs its own`)
    refs.set(ref, path)
    const credit_limit = orNull(entry.credit_limit, toMinor)
    const account = `${partner} ${currency}`
    const other = limits.get(account)
    if (credit_limit !== null && other && other.credit_limit !== credit_limit)
      planning.faults.add(`${path}.credit_limit`, `differs from what ${other.path} says of the account`)
    if (credit_limit !== null) limits.set(account, { credit_limit, path })
    wantAccount(plan, { partner, kind: 'vendor', currency })
    wantAccount(plan, { partner: null, kind: 'cash', currency })
    plan.entries.push({ path, partner, currency, ref, deposit: toMinor(deposit), credit_limit })
  }
}

type WriteOptions = { now: number; faults: FaultList }
type Account = { id: string; partner: string | null; currency: string; credit_limit: number }
type Placed = Entry & { account: Account; cash: string }

/**
 * Makes the accounts, posts the deposits that were not posted before, each a transfer from the platform's cash
 * account, and sets the credit limits. Accounts that change are locked in the order of their ids, as sales do.
 */
export async function writeAccounts(
  tx: Queryable,
  plan: AccountPlan,
  { now, faults }: WriteOptions,
): Promise<void> {
  await ensureAccounts(tx, plan, now)
  const entries = await placeEntries(tx, plan.entries)
  const due = await findDue(tx, entries, faults)
  const changes = new Map<string, { amount: number; credit_limit: number | null; path: string }>()
  const change = (
    account: string,
    amount: number,
    { credit_limit, path }: { credit_limit: number | null; path: string },
  ) => {
    const before = changes.get(account) ?? { amount: 0, credit_limit: null, path }
    changes.set(account, {
      ...before,
      amount: before.amount + amount,
      credit_limit: credit_limit ?? before.credit_limit,
    })
  }
  for (const { account, credit_limit, path } of entries)
    if (credit_limit !== null && credit_limit !== account.credit_limit)
      change(account.id, 0, { credit_limit, path })
  for (const { account, cash, deposit, path } of due) {
    change(account.id, deposit, { credit_limit: null, path })
    change(cash, -deposit, { credit_limit: null, path })
  }
  const cash_ids = new Set(entries.map((entry) => entry.cash))
  const ids = [...changes.keys()].sort()
  for (const id of ids) {
    const { amount, credit_limit, path } = changes.get(id)!
    const [locked] = await tx.query<{ balance: number; credit_limit: number }>(sql.lock_account, [id])
    const balance = locked!.balance + amount
    if (!cash_ids.has(id) && balance < -(credit_limit ?? locked!.credit_limit))
      faults.add(`${path}.credit_limit`, `is less than what the account owes, ${formatMoney(-balance)}`)
    if (!Number.isSafeInteger(balance)) faults.add(`${path}.deposit`, 'makes a balance too large to count')
  }
  faults.throwIfAny()
  for (const { account, cash, ref, deposit, path } of due) {
    const posted = await tx.query(sql.insert_deposit, [cash, ref, account.id, deposit, now])
    if (posted.length === 0) faults.add(`${path}.ref`, 'was posted by somebody else at this moment')
  }
  for (const id of ids) {
    const { amount, credit_limit } = changes.get(id)!
    await tx.query(sql.change_account, [id, amount, credit_limit])
  }
}

async function ensureAccounts(tx: Queryable, { wanted }: AccountPlan, now: number): Promise<void> {
  if (wanted.size === 0) return
  const rows = [...wanted.values()].map((account) => ({ id: newId(NO_SHARD, now), ...account }))
  await tx.query(sql.ensure_accounts, [JSON.stringify(rows)])
}

async function placeEntries(tx: Queryable, entries: readonly Entry[]): Promise<Placed[]> {
  if (entries.length === 0) return []
  const accounts = await tx.query<Account>(sql.find_accounts, [entries.map((entry) => entry.partner)])
  const find = (partner: string | null, currency: string) =>
    accounts.find((account) => account.partner === partner && account.currency === currency)!
  return entries.map((entry) => ({
    ...entry,
    account: find(entry.partner, entry.currency),
    cash: find(null, entry.currency).id,
  }))
}

/**
 * The entries whose deposit was not posted yet. One that was posted otherwise is a fault: money is never lost
 * quietly.
 */
async function findDue(tx: Queryable, entries: readonly Placed[], faults: FaultList): Promise<Placed[]> {
  const asked = entries.filter((entry) => entry.deposit > 0)
  if (asked.length === 0) return []
  const posted = await tx.query<{
    debit_account: string
    ref: string
    credit_account: string
    amount: number
  }>(sql.find_deposits, [asked.map((entry) => entry.cash), asked.map((entry) => entry.ref)])
  return asked.filter(({ cash, ref, account, deposit, path }) => {
    const before = posted.find((transfer) => transfer.debit_account === cash && transfer.ref === ref)
    if (before && before.credit_account !== account.id)
      faults.add(`${path}.ref`, 'is that of a deposit to another account')
    else if (before && before.amount !== deposit)
      faults.add(
        `${path}.deposit`,
        `was posted before as ${formatMoney(before.amount)}: one more needs an entry with a ref of its own`,
      )
    return !before
  })
}
