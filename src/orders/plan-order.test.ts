import { describe, expect, test } from 'vitest'
import {
  CLOSED,
  DEAL,
  EVENT,
  MINUTE_MS,
  NOW,
  ORG,
  ORGANIZER,
  ORG_ACCOUNT,
  OTHER_EVENT,
  STANDING,
  VENDOR,
  VENDOR_ACCOUNT,
  VIP,
  makeCaller,
  makeChange,
  makeCreate,
  makeDealEntry,
  makeEntry,
  makeHeld,
  makeOrder,
} from '../../tests/support/sale.ts'
import type { Deal, EventEntry } from '../events/event-entry.ts'
import { createdAt, shardOf } from '../kernel/ids.ts'
import type { ChangeOrder, CreateOrder, Order } from './commands.ts'
import { InvalidFields } from './order-errors.ts'
import { planChange, planCreate, planEnd, possibleSale } from './plan-order.ts'

const NEWER_DEAL = DEAL.replace(/1$/, '2')
const FAULTS = ['all_or_nothing must be a boolean', 'deal must be an objectid']
const ids = (count: number) => Array.from({ length: count }, (_, index) => makeHeld(index).id)

const create = (fields: Partial<CreateOrder> = {}) =>
  planCreate(makeCreate(fields), { now: NOW, number: 1234 })
const createOn = (event: Partial<EventEntry>, fields: Partial<CreateOrder> = {}) =>
  create({ event: makeEntry(event), ...fields })
const createUnder = (...deals: Partial<Deal>[]) => createOn({ deals: deals.map(makeDealEntry) })

function change(
  fields: Partial<ChangeOrder>,
  order: Partial<Order> = {},
  event: Partial<EventEntry> = {},
  now = NOW,
) {
  return planChange(makeChange(fields), makeOrder(order), makeEntry(event), now)
}

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('a new order', () => {
  test('is empty, on the terms of the deal, and lives as long as the event says', () => {
    const event = makeEntry({ order_lifetime_s: 600 })
    const plan = create({ event, caller: makeCaller({ origin: 'widget' }) })
    const { id } = plan.order
    expect(shardOf(id)).toBe(7)
    expect(createdAt(id)).toBe(NOW)
    expect(plan.order).toEqual(
      makeOrder({ id, origin: 'widget', expired_after: NOW + 10 * MINUTE_MS, tickets: [] }),
    )
    expect(plan).toMatchObject({
      before: plan.order,
      event,
      next: 'open',
      all_or_nothing: false,
      asked: { caller: expect.objectContaining({ origin: 'widget' }) },
      reservation: { keep: [], release: [], needs: { ids: [], counts: new Map() } },
    })
  })

  test('lives a whole number of seconds from the time inside its id', () => {
    const { order } = planCreate(makeCreate(), { now: NOW + 999, number: 1 })
    expect(order.expired_after).toBe(NOW + 15 * MINUTE_MS)
  })

  test('needs what is asked for, and may be completed at once', () => {
    expect(create({ tickets: [...ids(2), ...ids(2)], status: 'done', all_or_nothing: true })).toMatchObject({
      next: 'done',
      all_or_nothing: true,
      reservation: { needs: { ids: ids(2), counts: new Map() } },
    })
    expect(create({ random: { [STANDING]: 2, [VIP]: 0, [CLOSED]: 0 } }).reservation.needs).toEqual({
      ids: [],
      counts: new Map([[STANDING, 2]]),
    })
  })

  test.each([
    ['as many tickets as an order may have', { tickets: ids(5) }],
    ['as many by count', { random: { [STANDING]: 2, [VIP]: 3 } }],
    ['a key that is for the event', { caller: makeCaller({ events: [OTHER_EVENT, EVENT] }) }],
    ['the last millisecond of the event', { event: makeEntry({ lifetime: { start: 0, finish: NOW + 1 } }) }],
    ['an event that has begun', { event: makeEntry({ lifetime: { start: 0, finish: NOW + MINUTE_MS } }) }],
  ])('%s', (_name, fields) => {
    expect(create(fields).order.status).toBe('executed')
  })

  const not_found = { code: 'event_not_found', details: { event: EVENT } }
  test.each<[string, () => unknown, object]>([
    ['a key for other events', () => create({ caller: makeCaller({ events: [OTHER_EVENT] }) }), not_found],
    ['a key for no event', () => create({ caller: makeCaller({ events: [] }) }), not_found],
    ['stand_by', () => createOn({ status: 'stand_by' }), not_found],
    ['finished', () => createOn({ status: 'finished' }), not_found],
    ['cancelled', () => createOn({ status: 'cancelled' }), not_found],
    ['over', () => createOn({ lifetime: { start: 0, finish: NOW } }), not_found],
    [
      'not on sale to the organizer',
      () => createOn({ status: 'stand_by' }, { caller: ORGANIZER }),
      not_found,
    ],
    ['cancelled at once', () => create({ status: 'cancelled' }), { code: 'status_not_allowed' }],
    ['executed', () => create({ status: 'executed' }), { code: 'status_not_allowed' }],
    ['status null', () => create({ status: null }), { code: 'status_not_allowed' }],
    [
      "another event's set",
      () => create({ random: { [STANDING]: 1, [DEAL]: 1 } }),
      { code: 'set_of_another_event', details: { id: DEAL } },
    ],
    [
      "none of another event's set",
      () => create({ random: { [DEAL]: 0 } }),
      { code: 'set_of_another_event', details: { id: DEAL } },
    ],
    [
      'too many tickets',
      () => create({ tickets: ids(6) }),
      { code: 'too_many_tickets', details: { max: 5 } },
    ],
    [
      'too many by count',
      () => create({ random: { [STANDING]: 3, [VIP]: 3 } }),
      { code: 'too_many_tickets', details: { max: 5 } },
    ],
  ])('refused: %s', (_name, run, error) => {
    expect(errorOf(run)).toMatchObject({ name: 'DomainError', ...error })
  })

  test('what is wrong with the fields is told as one, after the event was found', () => {
    const error = errorOf(() => create({ faults: FAULTS, status: 'cancelled' }))
    expect(error).toBeInstanceOf(InvalidFields)
    expect(error).toMatchObject({ code: 'invalid_fields', faults: FAULTS })
    expect(errorOf(() => createOn({ status: 'finished' }, { faults: FAULTS }))).toMatchObject(not_found)
  })
})

describe('the terms of sale', () => {
  test('the newest deal in force', () => {
    const { order } = createUnder({ id: DEAL }, { id: NEWER_DEAL, org_share: 800_000, extra: 0 })
    expect(order).toMatchObject({ deal: NEWER_DEAL, org_share: 800_000, extra_share: 0 })
  })

  test('the deal that is named', () => {
    const event = makeEntry({
      deals: [makeDealEntry({ id: NEWER_DEAL, org_share: 800_000, extra: 0 }), makeDealEntry()],
    })
    expect(create({ event, deal: DEAL }).order).toMatchObject({
      deal: DEAL,
      org_share: 950_000,
      extra_share: 40_000,
    })
  })

  test('an organizer sells its own without one', () => {
    expect(createOn({ deals: [] }, { caller: ORGANIZER }).order).toMatchObject({
      vendor: ORG,
      deal: null,
      org_share: 0,
      extra_share: 0,
    })
  })

  test.each<[string, () => unknown]>([
    ['none', () => createUnder()],
    ["another vendor's", () => createUnder({ vendor: ORG })],
    ['for other events', () => createUnder({ events: [OTHER_EVENT] })],
    ['not active', () => createUnder({ active: false })],
    ['not begun', () => createUnder({ lifetime: { start: NOW + 1, finish: null } })],
    ['ended', () => createUnder({ lifetime: { start: null, finish: NOW } })],
    ['another is named', () => create({ deal: NEWER_DEAL })],
    ['the organizer names one', () => create({ caller: ORGANIZER, deal: DEAL })],
    [
      'the one that is named has ended, another has not',
      () =>
        createOn(
          {
            deals: [
              makeDealEntry({ id: NEWER_DEAL, lifetime: { start: null, finish: NOW } }),
              makeDealEntry(),
            ],
          },
          { deal: NEWER_DEAL },
        ),
    ],
  ])('no deal: %s', (_name, run) => {
    expect(errorOf(run)).toMatchObject({ code: 'deal_not_found' })
  })
})

describe('a change', () => {
  const held = [makeHeld(1), makeHeld(2)]

  test('by id: keeps, releases, needs', () => {
    const before = makeOrder({ tickets: held })
    const plan = change({ tickets: [held[1]!.id, ids(1)[0]!] }, before)
    expect(plan).toMatchObject({ before, order: before, next: 'open' })
    expect(plan.reservation).toEqual({
      keep: [held[1]],
      release: [held[0]],
      needs: { ids: ids(1), counts: new Map() },
    })
  })

  test('by count: keeps, releases, needs', () => {
    expect(change({ random: { [STANDING]: 1, [VIP]: 2 } }, { tickets: held }).reservation).toEqual({
      keep: [held[0]],
      release: [held[1]],
      needs: { ids: [], counts: new Map([[VIP, 2]]) },
    })
  })

  test('without tickets or random keeps what there is', () => {
    const plan = change({ status: 'done' }, { tickets: held })
    expect(plan).toMatchObject({ next: 'done', reservation: { keep: held, release: [] } })
  })

  test('of the deal changes the terms, and nothing of the order as it was', () => {
    const deal = makeDealEntry({ id: NEWER_DEAL, org_share: 800_000, extra: 100_000 })
    const plan = change({ deal: NEWER_DEAL }, { tickets: held }, { deals: [deal, makeDealEntry()] })
    expect(plan.order).toMatchObject({ deal: NEWER_DEAL, org_share: 800_000, extra_share: 100_000 })
    expect(plan.before).toMatchObject({ deal: DEAL, org_share: 950_000, extra_share: 40_000 })
    expect(errorOf(() => change({ deal: NEWER_DEAL }))).toMatchObject({ code: 'deal_not_found' })
  })

  test('needs no deal in force, since the terms are those the order was made on', () => {
    expect(change({ status: 'done' }, { tickets: held }, { deals: [] }).order).toMatchObject({
      deal: DEAL,
      org_share: 950_000,
    })
  })

  test('of an order that has more than it may since: it shrinks and is completed, and does not grow', () => {
    const tickets = [1, 2, 3, 4].map((number) => makeHeld(number))
    const limit = { max_tickets_per_order: 2 }
    expect(change({ status: 'done' }, { tickets }, limit).next).toBe('done')
    expect(change({ random: { [STANDING]: 3 } }, { tickets }, limit).reservation.keep).toHaveLength(3)
    expect(errorOf(() => change({ random: { [VIP]: 3 } }, { tickets }, limit))).toMatchObject({
      code: 'too_many_tickets',
      details: { max: 2 },
    })
    expect(
      errorOf(() => change({ tickets: [tickets[0]!.id, tickets[1]!.id, ids(1)[0]!] }, { tickets }, limit)),
    ).toMatchObject({ code: 'too_many_tickets' })
  })

  const not_found = { code: 'order_not_found' }
  test.each<[string, () => unknown, object]>([
    ['a key for other events', () => change({ caller: makeCaller({ events: [OTHER_EVENT] }) }), not_found],
    [
      'a key for other events, of an order that is done',
      () => change({ caller: makeCaller({ events: [] }), status: 'executed' }, { status: 'done' }),
      not_found,
    ],
    ['an unknown status', () => change({ status: 'executed' }), { code: 'status_not_allowed' }],
    [
      'an unknown status before faults',
      () => change({ status: 1, faults: FAULTS }),
      { code: 'status_not_allowed' },
    ],
    [
      'the state before faults',
      () => change({ faults: FAULTS }, { status: 'cancelled' }),
      { code: 'update_not_allowed', details: { status: 'cancelled' } },
    ],
    [
      'a done order',
      () => change({ tickets: [] }, { status: 'done' }),
      { code: 'update_not_allowed', details: { status: 'done' } },
    ],
    [
      'expired by the clock, not yet swept',
      () => change({ tickets: [] }, { expired_after: NOW }),
      { code: 'update_not_allowed', details: { status: 'expired' } },
    ],
    [
      'completed too late',
      () => change({ status: 'done' }, { tickets: held, expired_after: NOW }),
      { code: 'status_not_allowed' },
    ],
    [
      'cancelled too late',
      () => change({ status: 'cancelled' }, { tickets: held, expired_after: NOW }),
      { code: 'order_not_cancellable' },
    ],
    [
      'tickets while a payment runs',
      () => change({ status: 'cancelled', tickets: [] }, { status: 'in_progress' }),
      { code: 'only_cancel_allowed' },
    ],
    [
      'a deal while a payment runs',
      () => change({ status: 'cancelled', deal: DEAL }, { status: 'in_progress' }),
      { code: 'only_cancel_allowed' },
    ],
    [
      'counts while a payment runs',
      () => change({ status: 'cancelled', random: {} }, { status: 'in_progress' }),
      { code: 'only_cancel_allowed' },
    ],
    ['wrong fields', () => change({ faults: FAULTS }), { code: 'invalid_fields', faults: FAULTS }],
    [
      'wrong fields before the event',
      () => change({ faults: FAULTS }, {}, { status: 'finished' }),
      { code: 'invalid_fields' },
    ],
    [
      'wrong fields of a cancellation',
      () => change({ status: 'cancelled', faults: FAULTS }),
      { code: 'invalid_fields' },
    ],
    [
      'the event is not on sale any more',
      () => change({ status: 'done' }, { tickets: held }, { status: 'stand_by' }),
      { code: 'event_not_found', details: { event: EVENT } },
    ],
    [
      'the event is over',
      () => change({ tickets: [] }, {}, { lifetime: { start: 0, finish: NOW } }),
      { code: 'event_not_found' },
    ],
    [
      "another event's set",
      () => change({ random: { [DEAL]: 1 } }),
      { code: 'set_of_another_event', details: { id: DEAL } },
    ],
    [
      'too many with what is kept',
      () => change({ random: { [STANDING]: 2, [VIP]: 4 } }, { tickets: held }),
      { code: 'too_many_tickets', details: { max: 5 } },
    ],
  ])('refused: %s', (_name, run, error) => {
    expect(errorOf(run)).toMatchObject(error)
  })

  test('a millisecond before its end an order can be completed', () => {
    expect(change({ status: 'done' }, { expired_after: NOW + 1 }).next).toBe('done')
  })
})

describe('the end of an order', () => {
  const order = makeOrder({ tickets: [makeHeld(1), makeHeld(2)] })

  test.each<[string, Partial<Order>, Partial<EventEntry>]>([
    ['executed', {}, {}],
    ['while a payment runs', { status: 'in_progress' }, {}],
    ['of an event that is over', {}, { lifetime: { start: 0, finish: NOW } }],
    ['of an event that is withdrawn', {}, { status: 'cancelled' }],
  ])('cancelled: %s', (_name, fields, event) => {
    const before = { ...order, ...fields }
    expect(change({ status: 'cancelled' }, before, event)).toMatchObject({
      before,
      order: before,
      next: 'cancelled',
      reservation: { keep: [], release: order.tickets, needs: { ids: [], counts: new Map() } },
    })
  })

  test('lapsed', () => {
    const event = makeEntry()
    expect(planEnd(order, event, 'expired')).toMatchObject({
      next: 'expired',
      before: order,
      event,
      reservation: { keep: [], release: order.tickets },
    })
  })
})

describe('what completion may move between accounts', () => {
  test.each<[string, () => Parameters<typeof possibleSale>[0]]>([
    ['open', () => create()],
    ['cancelled', () => change({ status: 'cancelled' })],
    ["the organizer's own", () => create({ caller: ORGANIZER, status: 'done' })],
    [
      'all is the vendor’s',
      () => createOn({ deals: [makeDealEntry({ org_share: 0, agent: 1_000_000 })] }, { status: 'done' }),
    ],
    [
      'the vendor has no account',
      () => createOn({ deals: [makeDealEntry({ account: null })] }, { status: 'done' }),
    ],
  ])('nothing: %s', (_name, plan) => {
    expect(possibleSale(plan())).toBeUndefined()
  })

  const accounts = { debit_account: VENDOR_ACCOUNT, credit_account: ORG_ACCOUNT }

  test('the price of the tickets that are kept', () => {
    const tickets = [makeHeld(1), makeHeld(2)]
    const at_most = tickets.reduce((sum, { price }) => sum + price, 0)
    expect(possibleSale(change({ status: 'done' }, { tickets }))).toEqual({ ...accounts, at_most })
  })

  test('for each ticket that is needed the highest price of the event, whichever rule it is of', () => {
    const event = makeEntry()
    const [set] = event.sets as [EventEntry['sets'][number]]
    const highest = Math.max(...event.sets.map(({ price }) => price)) + 1
    const rule = { price: highest, lifetime: { start: 0, finish: 1 } }
    const sets = [{ ...set, rules: [{ ...set.rules[0], ...rule }] }, ...event.sets.slice(1)]
    const plan = createOn({ sets } as Partial<EventEntry>, { random: { [STANDING]: 3 }, status: 'done' })
    expect(possibleSale(plan)).toEqual({ ...accounts, at_most: 3 * highest })
  })

  test("from the vendor's account, whichever of its deals the order is on", () => {
    const others = makeDealEntry({ vendor: ORG, account: 'of another vendor' })
    const plan = createOn({ deals: [others, makeDealEntry()] }, { status: 'done' })
    expect(plan.order.vendor).toBe(VENDOR)
    expect(possibleSale(plan)).toEqual({ ...accounts, at_most: 0 })
  })
})
