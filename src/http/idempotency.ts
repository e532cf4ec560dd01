import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import { Type } from 'typebox'
import { DomainError } from '../kernel/domain-error.ts'
import { findAnswer, keepAnswerAlone } from '../partners/idempotent-answers.ts'
import type { Answer, IdempotencyErrorCode, OnceId } from '../partners/idempotent-answers.ts'
import type { Db } from '../platform/db/db.ts'
import type { AppInstance } from './app.ts'
import type { Refusal } from './errors.ts'
import { sendJson } from './send-json.ts'
import { whenOver } from './when-over.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request has an `Idempotency-Key` and no answer yet: its answer is kept in the transaction of its effect. */
    once: OnceId | undefined
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/

/** For the OpenAPI document. */
const HEADERS = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A name of your own for this request, such as a UUID. The first answer is kept for 24 hours and given again, with the header Idempotent-Replayed, when the request is sent again; the same name for another request is 422, and 409 while the first is running.',
    }),
  ),
})

/** Statuses that say how things are at the moment, not what became of the request. */
const PASSING_STATUSES = new Set([409, 422, 429])

/**
 * Every POST and PATCH registered from here on takes an `Idempotency-Key`: a request that was answered is given that answer again,
 * with the header `Idempotent-Replayed`; one that is being answered by this process gets 409.
 */
export function answerOnce(app: AppInstance, db: Pick<Db, 'query' | 'execute'>): void {
  const running = new Set<string>()
  app.decorateRequest('once')
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => method === 'POST' || method === 'PATCH')) return
    const look: preHandlerAsyncHookHandler = async (request, reply) => {
      const key = request.headers['idempotency-key']
      if (key === undefined) return undefined
      const id = onceId(request, key)
      const name = `${id.api_key} ${id.key}`
      if (running.has(name)) throw new DomainError<IdempotencyErrorCode>('idempotency_key_busy')
      running.add(name)
      whenOver(reply, () => running.delete(name))
      const answer = await findAnswer(db, id)
      if (answer === undefined) {
        request.once = id
        return undefined
      }
      return giveAgain(reply, answer)
    }
    route.schema = { ...route.schema, headers: HEADERS }
    route.preHandler = [look, ...[route.preHandler ?? []].flat()]
  })
}

/**
 * A refusal is the answer too, unless it says only that the moment is bad, or the request was answered by another process since
 * this one looked: then it may be refused for its own effect, and the answer that is kept is returned.
 */
export async function keepIfAnswer(
  db: Pick<Db, 'execute' | 'query'>,
  { once }: FastifyRequest,
  { status, errors }: Refusal,
): Promise<Answer | undefined> {
  if (once === undefined || status >= 500 || PASSING_STATUSES.has(status)) return undefined
  const answer = { status, body: JSON.stringify({ errors }) }
  const kept = await keepAnswerAlone(db, once, answer)
  return kept === answer ? undefined : kept
}

/** Answers a request with what it was answered before. */
export function giveAgain(reply: FastifyReply, { status, body, location }: Answer): FastifyReply {
  reply.code(status).header('idempotent-replayed', 'true')
  if (location !== undefined) reply.header('location', location)
  return body === '' ? reply.send() : sendJson(reply, body)
}

function onceId(request: FastifyRequest, key: string | string[]): OnceId {
  if (typeof key !== 'string' || !KEY.test(key))
    throw new DomainError<IdempotencyErrorCode>('idempotency_key_malformed')
  const asked = `${request.method} ${request.url}\n${JSON.stringify(request.body)}`
  return { api_key: request.caller.key_id, key, hash: createHash('sha256').update(asked).digest() }
}
