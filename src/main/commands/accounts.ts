import { formatMoney, parseMoney } from '../../kernel/money.ts'
import { deposit, showAccounts } from '../../partners/accounts.ts'
import { defineCommand, printJson } from '../command.ts'
import { explainPartnerError } from '../partner-error-texts.ts'
import { withStore } from '../store.ts'
import { UserError } from '../user-error.ts'

export const depositCommand = defineCommand({
  name: 'accounts deposit',
  summary: "Add to a vendor's prepaid account",
  about: [
    'PARTNER is an id, a ref or a whole name; AMOUNT has two digits after the point, such as 1500.00.',
    'The account is made when there is none.',
  ].join('\n'),
  arguments: ['PARTNER', 'AMOUNT'],
  options: {
    currency: { type: 'string', value: 'CODE', description: 'ISO 4217. Default: RUB.' },
    ref: {
      type: 'string',
      value: 'REF',
      description: 'Names the payment: the same one is posted once, however often it is sent.',
    },
  },
  async run({ config, log, arguments: [partner, amount_text], values: { currency = 'RUB', ref } }) {
    const amount = parseMoney(amount_text)
    if (amount === undefined || amount === 0) {
      throw new UserError('AMOUNT must be above zero and have two digits after the point, such as 1500.00', {
        exit_code: 2,
      })
    }
    if (!/^[A-Z]{3}$/.test(currency)) {
      throw new UserError('--currency must be three capital letters, such as RUB', { exit_code: 2 })
    }
    if (ref === '') throw new UserError('--ref must not be empty', { exit_code: 2 })
    const result = await withStore(config, log, (db) =>
      deposit({ db, partner, currency, amount, ref, now: Date.now() }),
    ).catch(explainPartnerError)
    printJson({ ...result, balance: formatMoney(result.balance) })
  },
})

export const showAccountsCommand = defineCommand({
  name: 'accounts show',
  summary: 'Show the accounts of a partner and what moved on them last',
  about:
    'PARTNER is an id, a ref or a whole name. `available` is what a vendor may still spend: balance and credit.',
  arguments: ['PARTNER'],
  options: {
    transfers: {
      type: 'string',
      value: 'COUNT',
      description: 'How many transfers of each account. Default: 20.',
    },
  },
  async run({ config, log, arguments: [partner], values: { transfers = '20' } }) {
    if (!/^\d{1,5}$/.test(transfers)) throw new UserError('--transfers must be a count', { exit_code: 2 })
    const accounts = await withStore(config, log, (db) => showAccounts(db, partner, Number(transfers))).catch(
      explainPartnerError,
    )
    printJson(
      accounts.map((account) => ({
        ...account,
        balance: formatMoney(account.balance),
        credit_limit: formatMoney(account.credit_limit),
        available: account.available === null ? null : formatMoney(account.available),
        transfers: account.transfers.map(({ kind, ref, created_at, amount }) => ({
          at: new Date(created_at).toISOString(),
          kind,
          ref,
          amount: formatMoney(amount),
        })),
      })),
    )
  },
})
