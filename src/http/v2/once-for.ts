import type { FastifyRequest } from 'fastify'
import { keepAnswers } from '../../partners/idempotent-answers.ts'
import type { Answer } from '../../partners/idempotent-answers.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { inTurn } from '../../platform/db/in-turn.ts'
import type { Once } from '../../orders/commands.ts'
import { presentOrder } from './present-order.ts'

/** For a request with an `Idempotency-Key`: how its answer is kept, in the words it is given. */
export function onceFor({ once, caller }: FastifyRequest, present = presentOrder): { once?: Once } {
  if (once === undefined) return {}
  return {
    once: {
      id: once,
      render: (result) => ({ status: 200, body: present(result, caller.partner).toString() }),
    },
  }
}

/** The same for an operation with a transaction of its own: what it is to do there with the record it answers with. */
export function keepWith<Item>(
  { once }: FastifyRequest,
  render: (record: Item, tx: Queryable) => Promise<string> | Answer,
): (tx: Queryable, record: Item) => Promise<void> {
  return async (tx, record) => {
    if (once === undefined) return
    const rendered = await render(record, tx)
    const answer = typeof rendered === 'string' ? { status: 200, body: rendered } : rendered
    await Promise.all(keepAnswers(inTurn(tx), [{ id: once, answer }]))
  }
}
