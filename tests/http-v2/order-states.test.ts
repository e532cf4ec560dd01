import { describe, expect, test } from 'vitest'
import type { OrderData } from '../support/client.ts'
import { openOrderWorld } from '../support/order-world.ts'

/**
 * The state table, exhaustively (contract, States and transitions; decisions 4): every state an order can be in, with
 * every kind of PATCH. `ok` is 200 with the state that follows.
 */
const world = await openOrderWorld()
const { id } = world
const vendor = world.client('vendor')

const STATES = ['executed', 'in_progress', 'done', 'cancelled', 'expired', 'expired_unswept'] as const
type State = (typeof STATES)[number]

const NOT_CANCELLABLE = 'Order is not cancellable'
const BAD_STATUS = 'Incorrect status for this operation'
const ONLY_CANCEL = 'Allow update the only status to cancelled'
const refused = (status: string) => `Not allow to update order in status ${status}`
const ended = (executed: string, in_progress: string, error: (state: string) => string) => ({
  executed,
  in_progress,
  done: error('done'),
  cancelled: error('cancelled'),
  expired: error('expired'),
  expired_unswept: error('expired'),
})

const CHANGES: { body: () => object; answers: Record<State, string> }[] = [
  { body: () => ({ random: { [id('standing')]: 2 } }), answers: ended('ok executed', ONLY_CANCEL, refused) },
  { body: () => ({ tickets: [] }), answers: ended('ok executed', ONLY_CANCEL, refused) },
  { body: () => ({ deal: id('deal') }), answers: ended('ok executed', ONLY_CANCEL, refused) },
  { body: () => ({ status: 'done' }), answers: ended('ok done', ONLY_CANCEL, () => BAD_STATUS) },
  {
    body: () => ({ status: 'cancelled' }),
    answers: ended('ok cancelled', 'ok cancelled', () => NOT_CANCELLABLE),
  },
  {
    body: () => ({ status: 'cancelled', random: {} }),
    answers: ended('ok cancelled', ONLY_CANCEL, () => NOT_CANCELLABLE),
  },
  {
    body: () => ({ status: 'done', random: { [id('vip')]: 1 } }),
    answers: ended('ok done', ONLY_CANCEL, () => BAD_STATUS),
  },
  { body: () => ({}), answers: ended("'tickets' or 'random' must be", ONLY_CANCEL, refused) },
  {
    body: () => ({ all_or_nothing: true }),
    answers: ended("'tickets' or 'random' must be", ONLY_CANCEL, refused),
  },
  { body: () => ({ unknown: 1 }), answers: ended("'tickets' or 'random' must be", ONLY_CANCEL, refused) },
  { body: () => ({ tickets: 'no list' }), answers: ended('tickets must be a list', ONLY_CANCEL, refused) },
  ...['executed', 'in_progress', 'expired', 'DONE', '', null, 5, true, ['done'], { done: true }].map(
    (status) => ({
      body: () => ({ status }),
      answers: ended(BAD_STATUS, BAD_STATUS, () => BAD_STATUS),
    }),
  ),
]

describe.each(STATES)('in state %s', (state) => {
  test.each(CHANGES.map(({ body, answers }) => ({ body, answer: answers[state] })))(
    'change %# is answered: $answer',
    async ({ body, answer }) => {
      const order = await orderIn(state)
      const before = await world.database.sql('SELECT * FROM orders WHERE id = $1', [order.id])
      const result = await vendor.changeOrder(order.id, body())
      if (answer.startsWith('ok ')) {
        expect(result.status).toBe(200)
        expect(`ok ${result.body.data.status}`).toBe(answer)
        expect((await vendor.getOrder(order.id)).body.data).toEqual(result.body.data)
      } else {
        expect([result.status, result.body]).toEqual([400, { errors: [answer] }])
        expect(await world.database.sql('SELECT * FROM orders WHERE id = $1', [order.id])).toEqual(before)
      }
    },
  )
})

/** An order with one ticket in the state, or one that ended in it. */
async function orderIn(state: State): Promise<OrderData> {
  const { sql } = world.database
  const { data } = (await vendor.createOrder({ event: id('event'), random: { [id('standing')]: 1 } })).body
  if (state === 'done' || state === 'cancelled') await vendor.changeOrder(data.id, { status: state })
  if (state === 'in_progress')
    await world.client('salespoint').send('POST', '/v2/services/payments', { body: { order: data.id } })
  if (state === 'expired_unswept' || state === 'expired') {
    const past = new Date(Date.now() - 1000)
    await sql('UPDATE orders SET expired_after = $2 WHERE id = $1', [data.id, past])
    await sql('UPDATE tickets SET reserved_till = $2 WHERE "order" = $1', [data.id, past])
  }
  if (state === 'expired') await sweep(data.id)
  return data
}

async function sweep(order: string): Promise<void> {
  const { sql } = world.database
  await sql(
    `WITH released AS (
       UPDATE tickets SET status = 'vacant', "order" = NULL, reserved_till = NULL,
                          price = NULL, discount = NULL, nominal = NULL, extra = NULL
       WHERE "order" = $1 RETURNING shard, "set")
     UPDATE set_counts c SET vacant = vacant + 1, held = held - 1
     FROM released r WHERE r.shard = c.shard AND r."set" = c."set"`,
    [order],
  )
  await sql(
    `UPDATE orders SET status = 'expired', tickets = '{}', price = 0, discount = 0, nominal = 0, extra = 0
     WHERE id = $1`,
    [order],
  )
}
