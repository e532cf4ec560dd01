import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  CLOSED,
  DEAL,
  EVENT,
  MINUTE_MS,
  NOW,
  ORGANIZER,
  ORG_ACCOUNT,
  STANDING,
  VENDOR_ACCOUNT,
  VIP,
  makeCaller,
  makeChange,
  makeCreate,
  makeDealEntry,
  makeEntry,
  makeHeld,
  makeOrder,
  makeSetEntry,
} from '../../tests/support/sale.ts'
import type { EventEntry } from '../events/event-entry.ts'
import type { VacantTicket } from '../inventory/tickets.ts'
import { WHOLE } from '../kernel/money.ts'
import type { ChangeOrder, Order, OrderTicket } from './commands.ts'
import { planChange, planCreate, planEnd } from './plan-order.ts'
import type { OrderPlan } from './plan-order.ts'
import { NO_PROMO } from './load-promo.ts'
import { orderCode } from './rules/order-code.ts'
import { settleOrder } from './settle-order.ts'
import type { SettleOptions } from './settle-order.ts'

const options: SettleOptions = {
  now: NOW,
  code_key: 'key',
  canPay: () => true,
  hasUseLeft: () => true,
  promo: NO_PROMO,
}

function makeVacant(number: number, set = STANDING): VacantTicket {
  const { id, serial, seat } = makeHeld(number)
  return { id, set, serial, number, seat, event: EVENT }
}

/** The change of an order on `event`, and what it ended with once it got `granted`. */
function settle(
  { order, event, change }: { order?: Order; event?: Partial<EventEntry>; change: Partial<ChangeOrder> },
  granted: readonly VacantTicket[] = [],
  settle_options = options,
) {
  const before = order ?? makeOrder()
  const plan = planChange(makeChange(change), before, makeEntry(event), settle_options.now)
  return settleOrder(plan, granted, settle_options)
}

const holding = (...tickets: OrderTicket[]) => makeOrder({ tickets })

/** An event whose one set has the price. */
const priced = (price: number, deal: Partial<ReturnType<typeof makeDealEntry>> = {}) => ({
  sets: [makeSetEntry(STANDING, { price })],
  deals: [makeDealEntry(deal)],
})

describe('tickets', () => {
  test('what is kept, then what was granted, at their prices and with their sums', () => {
    const [kept, dropped] = [makeHeld(1), makeHeld(2)]
    const vip = makeVacant(3, VIP)
    const { order, ...parts } = settle(
      { order: holding(kept, dropped), change: { tickets: [vip.id, kept.id] } },
      [vip],
    )
    const { event: _, ...identity } = vip
    const added = { ...identity, price: 30_000, discount: 0, nominal: 30_000, extra: 1200, barcode: null }
    expect(order).toEqual(makeOrder({ tickets: [kept, added] }))
    expect(order).toMatchObject({ price: 40_000, discount: 0, nominal: 40_000, extra: 1600, charge: 0 })
    expect(parts).toMatchObject({ granted: [added], rewritten: [], released: [dropped], transfer: undefined })
  })

  test('what could not be had is left out', () => {
    const { order, granted } = settle({ change: { random: { [STANDING]: 3 } } }, [makeVacant(1)])
    expect(order.tickets).toEqual(granted)
    expect(granted).toHaveLength(1)
  })

  test('a ticket of a set that is too new to have a price is refused', () => {
    const ticket = makeVacant(1, DEAL)
    expect(() => settle({ change: { tickets: [ticket.id] } }, [ticket])).toThrow(
      expect.objectContaining({ code: 'ticket_of_another_event', details: { id: ticket.id } }),
    )
  })
})

describe('prices', () => {
  const rule = (id: string, start: number, finish: number, price: number) => ({
    id,
    lifetime: { start: NOW + start * MINUTE_MS, finish: NOW + finish * MINUTE_MS },
    price,
  })
  const rules = [rule('1', 0, 60, 8000), rule('2', 10, 20, 5000), rule('3', 60, 90, 9000)]
  const event = {
    sets: [makeSetEntry(STANDING, { price: 10_000, rules })],
    lifetime: { start: NOW, finish: NOW + 500 * MINUTE_MS },
  }

  test.each([
    [-1, 10_000],
    [0, 8000],
    [9, 8000],
    [10, 5000],
    [20, 8000],
    [60, 9000],
    [90, 10_000],
  ])('%i minutes from now: %i', (minutes, price) => {
    const now = NOW + minutes * MINUTE_MS
    const order = makeOrder({ expired_after: now + MINUTE_MS })
    const { granted } = settle({ order, event, change: { random: { [STANDING]: 1 } } }, [makeVacant(1)], {
      ...options,
      now,
    })
    expect(granted).toMatchObject([{ price, discount: 0, nominal: price, extra: (price * 4) / 100 }])
  })

  test('do not move while the order lives', () => {
    const held = makeHeld(1, { price: 7000, nominal: 7000, extra: 280 })
    const { order, rewritten } = settle(
      { order: holding(held), event, change: { random: { [STANDING]: 2 } } },
      [makeVacant(2)],
    )
    expect(order.tickets.map((ticket) => ticket.price)).toEqual([7000, 8000])
    expect(rewritten).toEqual([])
    expect(order).toMatchObject({ price: 15_000, extra: 600 })
  })

  test.each([
    // The fee on one ticket, and on three: halves to even, ticket by ticket.
    { price: 25, extra: 20_000, fees: [0, 0, 0] },
    { price: 75, extra: 20_000, fees: [2, 2, 2] },
    { price: 26, extra: 20_000, fees: [1, 1, 1] },
    { price: 3333, extra: 33_333, fees: [111, 111, 111] },
    { price: 0, extra: WHOLE, fees: [0, 0, 0] },
  ])('a fee of $extra on $price is $fees.0', ({ price, extra, fees }) => {
    const { order } = settle(
      {
        order: makeOrder({ extra_share: extra }),
        event: priced(price),
        change: { random: { [STANDING]: 3 } },
      },
      [makeVacant(1), makeVacant(2), makeVacant(3)],
    )
    expect(order.tickets.map((ticket) => ticket.extra)).toEqual(fees)
    expect(order.extra).toBe(fees.reduce((sum, fee) => sum + fee))
  })
})

describe('another deal', () => {
  const other = makeDealEntry({ id: DEAL.replace(/1$/, '2'), org_share: 800_000, extra: 100_000 })
  const event = { deals: [other, makeDealEntry()] }

  test('moves the fee of what is held, and nothing else of it', () => {
    const [paid, free] = [makeHeld(1), makeHeld(2, { price: 0, nominal: 0, extra: 0 })]
    const { order, rewritten, granted } = settle(
      { order: holding(paid, free), event, change: { deal: other.id } },
      [],
    )
    expect(rewritten).toEqual([{ ...paid, extra: 1000 }])
    expect(granted).toEqual([])
    expect(order).toEqual(
      makeOrder({
        deal: other.id,
        org_share: 800_000,
        extra_share: 100_000,
        tickets: [{ ...paid, extra: 1000 }, free],
      }),
    )
  })

  test('is that of the charge, when the order is completed with it', () => {
    const { order, transfer } = settle({
      order: holding(makeHeld(1)),
      event,
      change: { deal: other.id, status: 'done' },
    })
    expect(order).toMatchObject({ status: 'done', charge: 8000, extra: 1000 })
    expect(transfer?.amount).toBe(8000)
  })

  test('that is the same changes no price', () => {
    const held = makeHeld(1)
    expect(settle({ order: holding(held), change: { deal: DEAL } })).toMatchObject({
      rewritten: [],
      order: { tickets: [held] },
    })
  })
})

describe('all or nothing', () => {
  const held = [makeHeld(1), makeHeld(2)]
  const [third, fourth] = [makeVacant(3), makeVacant(4)]
  const untouched = {
    granted: [],
    rewritten: [],
    released: [],
    transfer: undefined,
    promocodes: [],
    faults: [],
    uses: [],
  }

  test.each<[string, Partial<ChangeOrder>, VacantTicket[]]>([
    ['by id', { tickets: [held[0]!.id, third.id, fourth.id] }, [third]],
    ['by count', { random: { [STANDING]: 1, [VIP]: 2 } }, [makeVacant(3, VIP)]],
    ['nothing is granted', { tickets: [third.id] }, []],
    ['completed with it', { tickets: [third.id], status: 'done' }, []],
    ['another deal with it', { tickets: [third.id], deal: DEAL }, []],
  ])('fails: the very order as it was (%s)', (_name, change, granted) => {
    const before = holding(...held)
    const settlement = settle({ order: before, change: { ...change, all_or_nothing: true } }, granted)
    expect(settlement.order).toBe(before)
    expect(settlement).toEqual({ order: before, ...untouched })
  })

  test('fails on a new order: an empty one', () => {
    const plan = planCreate(
      makeCreate({ tickets: [third.id, fourth.id], all_or_nothing: true, status: 'done' }),
      {
        now: NOW,
        number: 1,
      },
    )
    expect(settleOrder(plan, [third], options)).toEqual({ order: plan.before, ...untouched })
    expect(plan.before).toMatchObject({ status: 'executed', tickets: [], price: 0 })
  })

  test('succeeds, also when the same is asked for twice', () => {
    const change = { tickets: [held[0]!.id, third.id, third.id, fourth.id], all_or_nothing: true }
    const { order, released } = settle({ order: holding(...held), change }, [third, fourth])
    expect(order.tickets.map((ticket) => ticket.id)).toEqual([held[0]!.id, third.id, fourth.id])
    expect(released).toEqual([held[1]])
  })

  test('a release alone cannot fail', () => {
    const { released } = settle({ order: holding(...held), change: { tickets: [], all_or_nothing: true } })
    expect(released).toEqual(held)
  })
})

describe('completion', () => {
  const done = (order: Order, event: Partial<EventEntry> = {}, settle_options = options) =>
    settle({ order, event, change: { status: 'done' } }, [], settle_options)

  test('gives the order its time and code, and each ticket a barcode', () => {
    const before = holding(makeHeld(1), makeHeld(2))
    const { order, granted, rewritten, released } = done(before)
    expect(order).toEqual({
      ...before,
      status: 'done',
      charge: 19_000,
      done_at: NOW,
      code: orderCode(1234, 'key'),
      tickets: before.tickets.map((ticket) => ({
        ...ticket,
        barcode: expect.stringMatching(/^10007\d{12}$/),
      })),
    })
    expect(new Set(order.tickets.map((ticket) => ticket.barcode)).size).toBe(2)
    expect([granted, rewritten, released]).toEqual([[], [], []])
  })

  test('charges the organizer’s share, ticket by ticket, halves to even', () => {
    const tickets = [5, 5, 5, 7].map((price, index) => makeHeld(index, { price, nominal: price, extra: 0 }))
    const canPay = vi.fn(() => true)
    const before = makeOrder({ tickets, org_share: WHOLE / 2 })
    const { order, transfer } = done(before, {}, { ...options, canPay })
    expect(order.charge).toBe(2 + 2 + 2 + 4)
    expect(transfer).toEqual({
      debit_account: VENDOR_ACCOUNT,
      credit_account: ORG_ACCOUNT,
      ref: before.id,
      amount: 10,
    })
    expect(canPay.mock.calls).toEqual([[VENDOR_ACCOUNT, 10]])
  })

  test('charges for what is paid, not for the discount nor for the fee', () => {
    const held = makeHeld(1, { discount: 4000, nominal: 6000, extra: 240 })
    expect(done(holding(held)).transfer?.amount).toBe(5700)
  })

  test('may reserve and complete at once', () => {
    const ticket = makeVacant(1)
    const plan = planCreate(makeCreate({ random: { [STANDING]: 1 }, status: 'done' }), {
      now: NOW,
      number: 9,
    })
    const { order, granted, transfer } = settleOrder(plan, [ticket], options)
    expect(order).toMatchObject({ status: 'done', price: 10_000, charge: 9500 })
    expect(granted).toMatchObject([{ id: ticket.id, barcode: null }])
    expect(transfer?.amount).toBe(9500)
  })

  test.each<[string, Order, Partial<EventEntry>]>([
    [
      'the organizer’s own',
      makeOrder({
        deal: null,
        org_share: 0,
        extra_share: 0,
        vendor: ORGANIZER.partner.id,
        tickets: [makeHeld(1, { extra: 0 })],
      }),
      { deals: [] },
    ],
    ['free tickets', holding(makeHeld(1, { price: 0, nominal: 0, extra: 0 })), {}],
    [
      'free tickets of a vendor without an account',
      holding(makeHeld(1, { price: 0, nominal: 0, extra: 0 })),
      { deals: [makeDealEntry({ account: null })] },
    ],
    ['all is the vendor’s', makeOrder({ org_share: 0, tickets: [makeHeld(1)] }), {}],
  ])('charges nothing: %s', (_name, before, event) => {
    const plan = planChange(
      makeChange({ status: 'done', caller: makeCaller() }),
      before,
      makeEntry(event),
      NOW,
    )
    const { order, transfer } = settleOrder(plan, [], { ...options, canPay: () => false })
    expect(order).toMatchObject({ status: 'done', charge: 0 })
    expect(transfer).toBeUndefined()
  })

  test.each<[string, Partial<EventEntry>, SettleOptions]>([
    ['the account has less', {}, { ...options, canPay: () => false }],
    ['there is no account', { deals: [makeDealEntry({ account: null })] }, options],
    ['there is no deal with the vendor any more', { deals: [] }, options],
  ])('not enough money: %s', (_name, event, settle_options) => {
    expect(() => done(holding(makeHeld(1)), event, settle_options)).toThrow(
      expect.objectContaining({ code: 'not_enough_money', details: { vendor: 'Vendor' } }),
    )
  })

  test.each<[string, Order, Partial<ChangeOrder>]>([
    ['an empty order', makeOrder(), {}],
    ['nothing was granted', makeOrder(), { random: { [STANDING]: 1 } }],
    ['all is released with it', holding(makeHeld(1)), { tickets: [] }],
  ])('no tickets: %s', (_name, order, change) => {
    expect(() => settle({ order, change: { ...change, status: 'done' } })).toThrow('no_tickets_in_order')
  })
})

describe('the end', () => {
  test.each(['cancelled', 'expired'] as const)('%s: empty, and all is released', (next) => {
    const before = holding(makeHeld(1), makeHeld(2, { set: CLOSED }))
    const settlement = settleOrder(planEnd(before, makeEntry(), next), [], options)
    expect(settlement).toMatchObject({
      order: { ...makeOrder(), status: next },
      granted: [],
      rewritten: [],
      released: before.tickets,
      transfer: undefined,
      uses: [],
    })
  })
})

describe('whatever is asked for', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 5 })
  const prices = fc.integer({ min: 0, max: 1_000_000 })
  const shares = fc.integer({ min: 0, max: WHOLE })
  const cases = fc.record({ held: numbers, wanted: numbers, price: prices, share: shares, got: fc.nat(5) })

  function makePlan(held: number[], wanted: number[], price: number, share: number): OrderPlan {
    const tickets = held.map((number) => makeHeld(number))
    return planChange(
      makeChange({ tickets: wanted.map((number) => makeHeld(number).id) }),
      makeOrder({ tickets, org_share: share, extra_share: WHOLE - share }),
      makeEntry(priced(price)),
      NOW,
    )
  }

  test('each ticket is in one place, and the totals are the sums', () => {
    fc.assert(
      fc.property(cases, ({ held, wanted, price, share, got }) => {
        const plan = makePlan(held, wanted, price, share)
        const vacant = wanted.filter((number) => !held.includes(number)).map((number) => makeVacant(number))
        const { order, granted, released } = settleOrder(plan, vacant.slice(0, got), options)
        const idsOf = (tickets: readonly { id: string }[]) => tickets.map(({ id }) => id).toSorted()
        expect(idsOf([...order.tickets, ...released])).toEqual(idsOf([...plan.before.tickets, ...granted]))
        expect(granted).toHaveLength(Math.min(vacant.length, got))
        for (const of of ['price', 'discount', 'nominal', 'extra'] as const)
          expect(order[of]).toBe(order.tickets.reduce((sum, ticket) => sum + ticket[of], 0))
        expect(order.nominal).toBe(order.price - order.discount)
      }),
    )
  })

  test('the charge is never more than what the buyer pays for the tickets', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 5 }),
        prices,
        shares,
        (wanted, price, share) => {
          const plan = { ...makePlan([], wanted, price, share), next: 'done' as const }
          const { order, transfer } = settleOrder(
            plan,
            wanted.map((number) => makeVacant(number)),
            options,
          )
          expect(order.charge).toBeLessThanOrEqual(order.nominal)
          expect(transfer?.amount ?? 0).toBe(order.charge)
        },
      ),
    )
  })
})
