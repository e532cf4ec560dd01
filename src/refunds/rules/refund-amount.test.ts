import { expect, test } from 'vitest'
import { shareOf } from '../../kernel/money.ts'
import { policyName, refundOfTicket, refundPercent } from './refund-amount.ts'
import type { Culprit, RefundFault, RefundPolicy } from './refund-amount.ts'

const START = Date.UTC(2026, 10, 30, 19)
const DAY_MS = 24 * 60 * 60 * 1000
const OWN: RefundPolicy = [
  { days: 0, percent: 100_000 },
  { days: 30, percent: 1_000_000 },
  { days: 7, percent: 333_333 },
]

/** [policy, culprit, days before the start, milliseconds nearer to it, percentage or fault] */
const PERCENTS: [RefundPolicy, Culprit, number, number, number | RefundFault][] = [
  ['general', 'user', 300, 0, 1_000_000],
  ['general', 'user', 0, -1, 1_000_000],
  ['general', 'user', 0, 0, 'refund_event_started'],
  ['general', 'user', 0, 1, 'refund_event_started'],
  ['general', 'org', 0, 1, 1_000_000],
  ['general', 'org', 10, 0, 1_000_000],
  ['law_ru_193', 'user', 11, 0, 1_000_000],
  ['law_ru_193', 'user', 10, 0, 1_000_000],
  ['law_ru_193', 'user', 10, 1, 500_000],
  ['law_ru_193', 'user', 5, 0, 500_000],
  ['law_ru_193', 'user', 5, 1, 300_000],
  ['law_ru_193', 'user', 3, 0, 300_000],
  ['law_ru_193', 'user', 3, 1, 'refund_too_late'],
  ['law_ru_193', 'user', 0, -1, 'refund_too_late'],
  ['law_ru_193', 'user', 0, 0, 'refund_event_started'],
  ['law_ru_193', 'org', 3, 1, 1_000_000],
  ['law_ru_193', 'org', -2, 0, 1_000_000],
  [OWN, 'user', 31, 0, 1_000_000],
  [OWN, 'user', 30, 1, 333_333],
  [OWN, 'user', 7, 1, 100_000],
  [OWN, 'user', 0, -1, 100_000],
  [OWN, 'user', 0, 0, 'refund_event_started'],
  [OWN, 'org', 0, 0, 1_000_000],
  [[{ days: 14, percent: 0 }], 'user', 14, 0, 0],
  [[{ days: 14, percent: 0 }], 'user', 14, 1, 'refund_too_late'],
]

test.each(PERCENTS)(
  '%j by %s, %i days and less %i ms: %s',
  (...[policy, culprit, days, nearer_ms, percent]) => {
    const requested_at = START - days * DAY_MS + nearer_ms
    expect(refundPercent({ policy, culprit, requested_at, start: START })).toBe(percent)
  },
)

test.each([
  // nominal, percent, org_share; refunded, share
  [10_000, 1_000_000, 950_000, 10_000, 9_500],
  [10_000, 500_000, 950_000, 5_000, 4_750],
  [10_000, 300_000, 950_000, 3_000, 2_850],
  [10_000, 0, 950_000, 0, 0],
  [0, 1_000_000, 950_000, 0, 0],
  [10_000, 1_000_000, 0, 10_000, 0],
  [10_000, 333_333, 1_000_000, 3_333, 3_333],
  // Half to even, twice: 2.5 -> 2, 7.5 -> 8; then 12.5 -> 12 and 37.5 -> 38 of what that gives.
  [5, 500_000, 500_000, 2, 1],
  [15, 500_000, 500_000, 8, 4],
  [25, 1_000_000, 500_000, 25, 12],
  [75, 1_000_000, 500_000, 75, 38],
])('%i at %i of share %i: %i, share %i', (...[nominal, percent, org_share, refunded, share]) => {
  expect(refundOfTicket(nominal, { percent, org_share })).toEqual({ refunded, share })
})

test('at 100 % the share is what completion charged for the ticket', () => {
  for (let nominal = 0; nominal < 2_000; nominal++)
    for (const org_share of [1, 333_333, 500_000, 925_000, 999_999])
      expect(refundOfTicket(nominal, { percent: 1_000_000, org_share }).share).toBe(
        shareOf(nominal, org_share),
      )
})

test.each([
  ['general', 'general'],
  ['law_ru_193', 'law_ru_193'],
  [OWN, 'schedule'],
] as const)('the policy %j is called %s', (policy, name) => {
  expect(policyName(policy)).toBe(name)
})
