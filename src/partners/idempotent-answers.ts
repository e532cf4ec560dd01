/**
 * First answers to requests with an `Idempotency-Key`, kept for 24 hours in the transaction of their effect and given again
 * to the same request (contract, decisions 4). A key belongs to the API key that sends it.
 */
import { DomainError } from '../kernel/domain-error.ts'
import type { Db, Queryable } from '../platform/db/db.ts'
import type { Log } from '../platform/log.ts'
import { repeat } from '../platform/repeat.ts'
import { statements } from './idempotent-answers-rows.ts'
import type { AnswerRow } from './idempotent-answers-rows.ts'

export type IdempotencyErrorCode =
  | 'idempotency_key_malformed'
  | 'idempotency_key_busy'
  | 'idempotency_key_reused'

/** A request that is to have its effect once; `hash` is the SHA-256 of what it asks. */
export type OnceId = { readonly api_key: string; readonly key: string; readonly hash: Buffer }

/** A status, the JSON of the body, which may be empty, and the header Location where there is one. */
export type Answer = { readonly status: number; readonly body: string; readonly location?: string }

/** The answer the request has had, or undefined. DomainError `idempotency_key_reused` when another request had the key. */
export async function findAnswer(db: Queryable, { api_key, key, hash }: OnceId): Promise<Answer | undefined> {
  const [row] = await db.query<AnswerRow>(statements.find_answer, [api_key, key])
  if (row === undefined) return undefined
  if (!row.hash.equals(hash)) throw new DomainError<IdempotencyErrorCode>('idempotency_key_reused')
  const { status, body, location } = row
  return { status, body, ...(location !== null && { location }) }
}

/**
 * Keeps answers in the transaction of their effect; the statements are sent at once. When another process has answered the
 * same request meanwhile, or is about to, the transaction fails; `isAnsweredElsewhere` tells.
 */
export function keepAnswers(
  tx: Queryable,
  kept: readonly { readonly id: OnceId; readonly answer: Answer }[],
): Promise<unknown>[] {
  if (kept.length === 0) return []
  const keys = [kept.map(({ id }) => id.api_key), kept.map(({ id }) => id.key)]
  return [
    tx.execute(statements.drop_outdated_answers, keys),
    tx.execute(statements.keep_answers, [
      ...keys,
      kept.map(({ id }) => id.hash),
      kept.map(({ answer }) => answer.status),
      kept.map(({ answer }) => answer.body),
      kept.map(({ answer }) => answer.location ?? null),
    ]),
  ]
}

/**
 * Keeps the answer to a request that had no effect, or only reads. Answers what is kept then: another one when the same request
 * was answered elsewhere meanwhile.
 */
export async function keepAnswerAlone(db: Queryable, id: OnceId, answer: Answer): Promise<Answer> {
  const { api_key, key, hash } = id
  const { status, body } = answer
  const kept = await db.execute(statements.keep_answer_alone, [api_key, key, hash, status, body])
  return kept === 1 ? answer : ((await findAnswer(db, id)) ?? answer)
}

export function isAnsweredElsewhere(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'idempotent_answers_pkey'
}

const FORGET_INTERVAL_MS = 60_000

/** Removes answers that are older than a day. */
export function startForgettingAnswers({ db, log }: { db: Db; log: Log }): { stop(): Promise<void> } {
  const forget = async () => void (await db.execute(statements.forget_answers))
  return repeat(forget, {
    interval_ms: FORGET_INTERVAL_MS,
    onError: (error) => log.warn({ err: error }, 'old answers could not be removed'),
  })
}
