import { describe, expect, test } from 'vitest'
import { makeHeld, makeOrder, NOW } from '../../tests/support/sale.ts'
import type { Order } from './commands.ts'
import { isOnlyEnded } from './desk-rows.ts'

const open = makeOrder({ tickets: [makeHeld(1)], price: 100, nominal: 90, discount: 10, extra: 4 })
const empty = { tickets: [], price: 0, discount: 0, nominal: 0, extra: 0, payment_till: null }
const cancelled: Order = { ...open, ...empty, status: 'cancelled' }

describe('an order that only ended', () => {
  test.each<[Order['status'], Order['status'], boolean]>([
    ['executed', 'cancelled', true],
    ['executed', 'expired', true],
    ['in_progress', 'cancelled', true],
    ['in_progress', 'expired', true],
    ['executed', 'executed', false],
    ['executed', 'done', false],
    ['expired', 'expired', false],
  ])('from %s to %s: %s', (before, after, is_so) => {
    expect(isOnlyEnded({ ...open, status: before }, { ...cancelled, status: after })).toBe(is_so)
  })

  test.each<Partial<Order>>([
    { tickets: open.tickets },
    { price: 1 },
    { discount: 1 },
    { nominal: 1 },
    { extra: 1 },
    { payment_till: NOW },
    { expired_after: open.expired_after + 1 },
    { deal: 'other' },
    { org_share: 1 },
    { extra_share: 1 },
    { promocodes: ['code'] },
    { promokey: 'key' },
    { settings: { invitation: true } },
    { vendor_data: { order_id: '1' } },
    { custom_fields: {} },
  ])('not with %o', (change) => {
    expect(isOnlyEnded(open, { ...cancelled, ...change })).toBe(false)
  })
})
