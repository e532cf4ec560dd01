import { expect, test } from 'vitest'
import { deposit, showAccounts } from '../../src/partners/accounts.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
const { db } = database
await database.sql(`INSERT INTO partners (id, ref, name) VALUES
  ('5f0000000000000000000001', 'box', 'Box office'),
  ('5f0000000000000000000002', NULL, 'Twin'),
  ('5f0000000000000000000003', NULL, 'Twin'),
  ('5f0000000000000000000004', 'late', 'Late seller')`)

function pay(partner: string, amount: number, options: { ref?: string; currency?: string } = {}) {
  return deposit({ db, partner, amount, currency: 'RUB', now: Date.now(), ...options })
}

async function balanceOf(partner: string): Promise<number | undefined> {
  const [account] = await showAccounts(db, partner, 0)
  return account?.balance
}

test('a deposit makes the account, and cash stands against it', async () => {
  const { account, posted, balance } = await pay('box', 15_050)
  expect({ posted, balance }).toEqual({ posted: true, balance: 15_050 })
  expect(await pay('5f0000000000000000000001', 50)).toMatchObject({ account, balance: 15_100 })
  expect(await pay('Box office', 100)).toMatchObject({ account, balance: 15_200 })
  expect(await database.sql(`SELECT balance FROM accounts WHERE kind = 'cash'`)).toEqual([
    { balance: -15_200 },
  ])
})

test('the same ref is posted once, also by twenty at a time', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, () => pay('late', 1000, { ref: 'payment 7' })))
  expect(results.filter((result) => result.posted)).toHaveLength(1)
  expect(await balanceOf('late')).toBe(1000)
})

test('a ref that named another deposit is refused, and nothing moves', async () => {
  await pay('late', 500, { ref: 'payment 8' })
  const before = await balanceOf('box')
  await expect(pay('box', 500, { ref: 'payment 8' })).rejects.toMatchObject({ code: 'deposit_ref_taken' })
  await expect(pay('late', 501, { ref: 'payment 8' })).rejects.toMatchObject({ code: 'deposit_ref_taken' })
  expect(await balanceOf('box')).toBe(before)
})

test('each currency has its own account', async () => {
  await pay('box', 700, { currency: 'EUR' })
  const currencies = (await showAccounts(db, 'box', 0)).map((account) => account.currency)
  expect(currencies).toEqual(['EUR', 'RUB'])
})

test('what is shown: balance, credit, what is left to spend, last transfers first', async () => {
  await database.sql(`UPDATE accounts SET credit_limit = 300 WHERE partner = '5f0000000000000000000004'`)
  const [account] = await showAccounts(db, 'late', 1)
  expect(account).toMatchObject({ kind: 'vendor', balance: 1500, credit_limit: 300, available: 1800 })
  expect(account?.transfers).toEqual([
    { kind: 'deposit', ref: 'payment 8', created_at: expect.any(Number), amount: 500 },
  ])
})

test.each([
  ['nobody', 'partner_not_found'],
  ['Twin', 'partner_ambiguous'],
])('%s: %s', async (partner, code) => {
  await expect(pay(partner, 100)).rejects.toMatchObject({ code })
  await expect(showAccounts(db, partner, 1)).rejects.toMatchObject({ code })
})

test('a balance past what a number holds exactly is refused', async () => {
  await pay('box', 999_999_999_999_999)
  for (let times = 0; times < 8; times++) await pay('box', 999_999_999_999_999)
  await expect(pay('box', 999_999_999_999_999)).rejects.toMatchObject({ code: 'balance_too_large' })
})
