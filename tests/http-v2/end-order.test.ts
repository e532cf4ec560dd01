import { describe, expect, test } from 'vitest'
import { makeCatalog, makeEvent, makeSet } from '../support/makers.ts'
import { idsOf, openOrderWorld } from '../support/order-world.ts'
import { waitUntil } from '../support/wait.ts'

/** An order that ends unpaid, with everything that it can have. */

const usual = makeCatalog()
const rich = (ref: string, fields: object = {}) =>
  makeEvent(ref, {
    sets: [makeSet(`${ref}_set`)],
    promocodes: [{ code: 'TEN', percentage: '10%' }],
    promokeys: [{ code: 'SINGLE', single_order: true, limit: 5 }],
    custom_fields: ['order', 'ticket'].map((scope) => ({
      ref: `${ref}_${scope}`,
      scope,
      kind: 'text',
      name: scope,
    })),
    ...fields,
  })
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [...(usual['events'] as object[]), rich('rich'), rich('brief', { order_lifetime_s: 2 })],
  },
  parts: ['api', 'jobs'],
})
const { id } = world
const { sql } = world.database
const vendor = world.client('vendor')

/** Two places, and all that an order can have. */
async function createRich(event: string) {
  const created = await vendor.createOrder({
    event: id(event),
    random: { [id(`${event}_set`)]: 2 },
    promocodes: ['TEN'],
    promokey: 'SINGLE',
    settings: { send_tickets: true, customer: { name: 'Ann', email: 'ann@example.com' } },
    vendor_data: { order_id: '17' },
    custom_fields: { order: [{ id: id(`${event}_order`), value: 'a' }] },
  })
  expect([created.status, created.body.errors]).toEqual([200, undefined])
  return { order: created.body.data.id, tickets: idsOf(created.body) }
}

async function rowOf(order: string) {
  const [row] = await sql('SELECT * FROM orders WHERE id = $1', [order])
  return row as Record<string, unknown>
}

/** What an order that has ended is, and all else it was before. */
const ended = (before: Record<string, unknown>, status: string) => ({
  ...before,
  status,
  tickets: [],
  price: 0,
  discount: 0,
  nominal: 0,
  extra: 0,
  payment_till: null,
})

async function expectNothingHeld(event: string, tickets: string[]): Promise<void> {
  const held = await sql(`SELECT DISTINCT status, "order", price FROM tickets WHERE id = ANY($1)`, [tickets])
  expect(held).toEqual([{ status: 'vacant', order: null, price: null }])
  const keys = await sql('SELECT taken, holder FROM promokeys WHERE event = $1', [id(event)])
  expect(keys).toEqual([{ taken: 0, holder: null }])
  const sets = await sql('SELECT vacant, held, sold FROM set_counts WHERE "set" = $1', [id(`${event}_set`)])
  expect(sets).toEqual([{ vacant: 100, held: 0, sold: 0 }])
}

describe('what it was stays, and what it held is free again', () => {
  test('cancelled by the seller', async () => {
    const { order, tickets } = await createRich('rich')
    const before = await rowOf(order)
    expect(before).toMatchObject({ status: 'executed', tickets, discount: 3000 })
    const { status } = await vendor.changeOrder(order, { status: 'cancelled' })
    expect([status, await rowOf(order)]).toEqual([200, ended(before, 'cancelled')])
    await expectNothingHeld('rich', tickets)
  })

  test('cancelled with a last change', async () => {
    const { order, tickets } = await createRich('rich')
    const before = await rowOf(order)
    const vendor_data = { order_id: '18' }
    const { status } = await vendor.changeOrder(order, { status: 'cancelled', vendor_data })
    expect([status, await rowOf(order)]).toEqual([200, ended({ ...before, vendor_data }, 'cancelled')])
    await expectNothingHeld('rich', tickets)
  })

  test('cancelled while an outside payment runs', async () => {
    const { order, tickets } = await createRich('rich')
    await world.client('salespoint').send('POST', '/v2/services/payments', { body: { order } })
    const before = await rowOf(order)
    expect(before).toMatchObject({ status: 'in_progress', payment_till: expect.anything() })
    const { status } = await vendor.changeOrder(order, { status: 'cancelled' })
    expect([status, await rowOf(order)]).toEqual([200, ended(before, 'cancelled')])
    const payments = await sql('SELECT status FROM payments WHERE "order" = $1', [order])
    expect(payments).toEqual([{ status: 'failed' }])
    await expectNothingHeld('rich', tickets)
  })

  test('at the end of its lifetime', async () => {
    const { order, tickets } = await createRich('brief')
    const before = await rowOf(order)
    await waitUntil(async () => (await rowOf(order))['status'] === 'expired')
    expect(await rowOf(order)).toEqual(ended(before, 'expired'))
    await expectNothingHeld('brief', tickets)
  })
})
