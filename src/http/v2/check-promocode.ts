import { Type } from 'typebox'
import { mayList } from '../../deals/who-may-sell.ts'
import type { Catalog, EventEntry } from '../../events/event-entry.ts'
import { DomainError } from '../../kernel/domain-error.ts'
import { isObjectId } from '../../kernel/ids.ts'
import { isLonger } from '../../kernel/is-longer.ts'
import { formatMoney } from '../../kernel/money.ts'
import { InvalidFields } from '../../orders/order-errors.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { priceInForce } from '../../pricing/quote.ts'
import { checkPromocode } from '../../promo/check-promocode.ts'
import type { Promocode } from '../../promo/promocodes.ts'
import { keepAnswerAlone } from '../../partners/idempotent-answers.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS } from '../error-schemas.ts'
import type { HttpErrorCode } from '../errors.ts'
import { sendJson } from '../send-json.ts'
import { presentDiscount, presentLifetime, PROMOCODE_NOT_FOUND } from './present-promocode.ts'
import { CODE_MAX } from './read-order-fields.ts'

export type CheckPromocodeDeps = { db: Queryable; catalog: Catalog }

const SET = '6920a1f00007c3a5e1000002'
const NOT_FOUND = { error: 'HTTPBadRequest', reason: PROMOCODE_NOT_FOUND, errors: [PROMOCODE_NOT_FOUND] }

const ObjectId = () => Type.String({ pattern: '^[0-9a-f]{24}$' })
const Money = () => Type.String({ pattern: '^\\d+\\.\\d{2}$' })
const Time = () => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' })
const ById = <Record extends ReturnType<typeof Type.Object>>(record: Record) =>
  Type.Record(Type.String({ pattern: '^[0-9a-f]{24}$' }), record)

const PROMOCODE = Type.Object({
  data: Type.Object({
    discount: Type.Union([
      Type.Object({ percentage: Type.String({ description: 'Of the price of each ticket.' }) }),
      Type.Object({ fix: Money() }),
    ]),
    lifetime: Type.Optional(
      Type.Partial(Type.Object({ start: Time(), finish: Time() }), {
        description: 'When it can be used, UTC; an end that is absent is open.',
      }),
    ),
    sets: Type.Array(ObjectId(), { description: 'The categories it is for, each by name.' }),
    tickets_count: Type.Partial(Type.Object({ min: Type.Integer(), max: Type.Integer() }), {
      description: 'How many tickets the order must have.',
    }),
  }),
  refs: Type.Object({
    sets: ById(Type.Object({ id: ObjectId(), name: Type.String(), price: Money() })),
  }),
})

const schema = {
  tags: ['orders'],
  operationId: 'checkPromocode',
  summary: 'Check a promocode',
  description:
    'What a promocode gives, before it is sent with an order. One that cannot be used now is not told from one that does not ' +
    "exist, nor from one of an event that the key's partner may not sell.",
  body: Type.Object(
    { event: ObjectId(), code: Type.String({ minLength: 1, maxLength: CODE_MAX }) },
    { examples: [{ event: '6920a1f00007c3a5e1000001', code: 'SPRING' }] },
  ),
  response: {
    200: {
      description: 'The promocode can be used.',
      content: {
        'application/json': {
          schema: PROMOCODE,
          examples: {
            promocode: {
              value: {
                data: {
                  discount: { percentage: '25%' },
                  lifetime: { start: '2026-03-01 00:00:00', finish: '2026-06-01 00:00:00' },
                  sets: [SET],
                  tickets_count: { min: 2 },
                },
                refs: { sets: { [SET]: { id: SET, name: 'Standing', price: '1500.00' } } },
              },
            },
          },
        },
      },
    },
    400: {
      description: 'The promocode cannot be used, or the request is wrong.',
      content: {
        'application/json': {
          schema: Type.Object({
            error: Type.Optional(Type.String()),
            reason: Type.Optional(Type.String()),
            errors: Type.Array(Type.String(), { minItems: 1 }),
          }),
          examples: {
            not_usable: { value: NOT_FOUND },
            code_missing: { value: { errors: ['code is required'] } },
          },
        },
      },
    },
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
  },
}

/** POST /v2/services/promocodes/check */
export function registerCheckPromocode(app: AppInstance, { db, catalog }: CheckPromocodeDeps): void {
  app.post(
    '/v2/services/promocodes/check',
    { schema, config: { permission: 'orders' } },
    async (request, reply) => {
      const asked = readCheck(request.body)
      const now = Date.now()
      const event = await catalog.event(asked.event)
      const promocode =
        event !== undefined && mayList(event, request.caller, now)
          ? await checkPromocode(db, event, { code: asked.code, now })
          : undefined
      const answer =
        event === undefined || promocode === undefined
          ? { status: 400 as const, body: JSON.stringify(NOT_FOUND) }
          : { status: 200 as const, body: JSON.stringify(presentCheck(promocode, event, now)) }
      if (request.once !== undefined) await keepAnswerAlone(db, request.once, answer)
      return sendJson(reply.code(answer.status), answer.body)
    },
  )
}

/** Throws DomainError `body_empty` and InvalidFields. */
function readCheck(body: unknown): { event: string; code: string } {
  if (body === undefined) throw new DomainError<HttpErrorCode>('body_empty')
  const { event, code }: Partial<Record<string, unknown>> = Object(body)
  const faults: string[] = []
  if (event === undefined) faults.push('event is required')
  else if (!isObjectId(event)) faults.push('event must be an objectid')
  if (code === undefined) faults.push('code is required')
  else if (typeof code !== 'string' || code === '' || isLonger(code, CODE_MAX))
    faults.push(`code must be a string of 1 to ${CODE_MAX} characters`)
  if (faults.length > 0 || !isObjectId(event) || typeof code !== 'string') throw new InvalidFields(faults)
  return { event, code }
}

function presentCheck(promocode: Promocode, event: EventEntry, now: number): object {
  const { discount, lifetime, min_tickets, max_tickets } = promocode
  const period = presentLifetime(lifetime)
  const sets = event.sets.filter(({ id }) => promocode.sets.length === 0 || promocode.sets.includes(id))
  return {
    data: {
      discount: presentDiscount(discount),
      ...(period && { lifetime: period }),
      sets: sets.map(({ id }) => id),
      tickets_count: {
        ...(min_tickets !== null && { min: min_tickets }),
        ...(max_tickets !== null && { max: max_tickets }),
      },
    },
    refs: {
      sets: Object.fromEntries(
        sets.map((set) => [
          set.id,
          { id: set.id, name: set.name, price: formatMoney(priceInForce(set, now)) },
        ]),
      ),
    },
  }
}
