import { expect, test } from 'vitest'
import type { OrderBody } from '../support/client.ts'
import { idsOf, openOrderWorld } from '../support/order-world.ts'

/** One hall of three rows of ten, sold by `random`; the rule's own cases are beside it. */
const world = await openOrderWorld()
const { id } = world
const vendor = world.client('vendor')

const take = async (count: number) =>
  (await vendor.createOrder({ event: id('event'), random: { [id('seats')]: count } })).body

/** Seats as `row-number`, sorted by number. */
function seatsOf({ data }: OrderBody): string[] {
  return data.tickets
    .toSorted((a, b) => Number(a.seat?.number) - Number(b.seat?.number))
    .map(({ seat }) => `${seat?.row}-${seat?.number}`)
}

test('neighbours in the front row, more of them beside those held, then the rows behind', async () => {
  const first = await take(3)
  expect(seatsOf(first)).toHaveLength(3)
  const five = (await vendor.changeOrder(first.data.id, { random: { [id('seats')]: 5 } })).body
  expect(idsOf(five).slice(0, 3)).toEqual(idsOf(first))
  const [start] = seatsOf(five).map((seat) => Number(seat.split('-')[1]))
  expect(seatsOf(five)).toEqual([0, 1, 2, 3, 4].map((step) => `1-${Number(start) + step}`))

  const six = await take(6)
  expect(new Set(seatsOf(six).map((seat) => seat.split('-')[0]))).toEqual(new Set(['2']))

  const orders = [five, six]
  for (let left = 30 - 11; left > 0; left -= 4) orders.push(await take(Math.min(4, left)))
  const sold = orders.flatMap(idsOf)
  expect([sold.length, new Set(sold).size]).toEqual([30, 30])
  expect(idsOf(await take(1))).toEqual([])

  await vendor.changeOrder(six.data.id, { status: 'cancelled' })
  expect(seatsOf(await take(6))).toEqual(seatsOf(six))
})

test('each of many buyers at once gets seats of its own', async () => {
  const { body } = await vendor.createOrder({ event: id('event') })
  const orders = await world.database.sql('SELECT id FROM orders WHERE status = $1', ['executed'])
  for (const order of orders) await vendor.changeOrder(String(order['id']), { status: 'cancelled' })
  const taken = await Promise.all(Array.from({ length: 12 }, () => take(3)))
  const ids = taken.flatMap(idsOf)
  expect([ids.length, new Set(ids).size]).toEqual([30, 30])
  expect(taken.filter((order) => idsOf(order).length === 3).length).toBeGreaterThanOrEqual(9)
  expect(idsOf(body)).toEqual([])
})
