import { describe, expect, test } from 'vitest'
import { stateFault, statusAt } from './order-state.ts'
import type { StateFault } from './order-state.ts'

type State = Parameters<typeof stateFault>[0]

/** Everything that is neither `done` nor `cancelled`, as JSON may send it. */
const OTHERS = [
  'executed',
  'in_progress',
  'expired',
  'DONE',
  ' done',
  '',
  null,
  0,
  1,
  true,
  false,
  {},
  ['done'],
]

/** What a request sends for the status, whether it sends nothing else, and what forbids it. */
type Case = [status: 'absent' | 'done' | 'cancelled' | 'other', alone: boolean, fault: StateFault | undefined]

const TABLE: Record<State, Case[]> = {
  executed: [
    ['absent', true, undefined],
    ['absent', false, undefined],
    ['done', true, undefined],
    ['done', false, undefined],
    ['cancelled', true, undefined],
    ['cancelled', false, undefined],
    ['other', true, 'status_not_allowed'],
    ['other', false, 'status_not_allowed'],
  ],
  in_progress: [
    ['absent', true, 'only_cancel_allowed'],
    ['absent', false, 'only_cancel_allowed'],
    ['done', true, 'only_cancel_allowed'],
    ['done', false, 'only_cancel_allowed'],
    ['cancelled', true, undefined],
    ['cancelled', false, 'only_cancel_allowed'],
    ['other', true, 'status_not_allowed'],
    ['other', false, 'status_not_allowed'],
  ],
  done: [
    ['absent', true, 'update_not_allowed'],
    ['absent', false, 'update_not_allowed'],
    ['done', true, 'status_not_allowed'],
    ['done', false, 'status_not_allowed'],
    ['cancelled', true, 'order_not_cancellable'],
    ['cancelled', false, 'order_not_cancellable'],
    ['other', true, 'status_not_allowed'],
    ['other', false, 'status_not_allowed'],
  ],
  cancelled: [
    ['absent', true, 'update_not_allowed'],
    ['absent', false, 'update_not_allowed'],
    ['done', true, 'status_not_allowed'],
    ['done', false, 'status_not_allowed'],
    ['cancelled', true, 'order_not_cancellable'],
    ['cancelled', false, 'order_not_cancellable'],
    ['other', true, 'status_not_allowed'],
    ['other', false, 'status_not_allowed'],
  ],
  expired: [
    ['absent', true, 'update_not_allowed'],
    ['absent', false, 'update_not_allowed'],
    ['done', true, 'status_not_allowed'],
    ['done', false, 'status_not_allowed'],
    ['cancelled', true, 'order_not_cancellable'],
    ['cancelled', false, 'order_not_cancellable'],
    ['other', true, 'status_not_allowed'],
    ['other', false, 'status_not_allowed'],
  ],
}

describe.each(Object.entries(TABLE) as [State, Case[]][])('%s', (state, cases) => {
  test.each(cases)('status %s, alone: %s -> %s', (status, alone, fault) => {
    const values = { absent: [undefined], done: ['done'], cancelled: ['cancelled'], other: OTHERS }[status]
    for (const value of values)
      expect(stateFault(state, { status: value, alone }), JSON.stringify(value)).toBe(fault)
  })
})

test.each([
  ['executed', 1001, 'executed'],
  ['executed', 1000, 'expired'],
  ['executed', 999, 'expired'],
  ['in_progress', 999, 'in_progress'],
  ['done', 999, 'done'],
  ['cancelled', 999, 'cancelled'],
  ['expired', 1001, 'expired'],
] as const)('%s with a lifetime until %i is %s at 1000', (status, expired_after, by_the_clock) => {
  expect(statusAt({ status, expired_after, payment_till: null }, 1000)).toBe(by_the_clock)
})

test.each([
  [1001, 'in_progress'],
  [1000, 'expired'],
] as const)('a payment that may be confirmed until %i is %s at 1000', (payment_till, by_the_clock) => {
  const order = { status: 'in_progress', expired_after: 1, payment_till } as const
  expect(statusAt(order, 1000)).toBe(by_the_clock)
})
