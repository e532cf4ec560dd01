import { Type } from 'typebox'
import { DomainError } from '../../kernel/domain-error.ts'
import { isMailAddress } from '../../kernel/mail-address.ts'
import { EXPORTS_WAITING_MAX, requestExport } from '../../orders/export/exports.ts'
import type { Db } from '../../platform/db/db.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { readText, refuseUnknown, type Query, type QueryErrorCode } from '../query.ts'
import { ORDER_FILTERS, readOrderFilters } from './list-orders.ts'
import { keepWith } from './once-for.ts'

const FIELDS = Type.Partial(
  Type.Object({
    ...ORDER_FILTERS,
    email: Type.String({ format: 'email', description: 'Where the files are sent. Needed.' }),
  }),
)

const schema = {
  tags: ['orders'],
  operationId: 'exportOrders',
  summary: 'Export orders',
  description:
    'Mails the orders that a list with the same filters has now, a row for each ticket, as XLSX (up to 100,000 rows) and CSV. ' +
    'Fields are in the query or in the body, each in one of them; lists are comma-separated, repeated, or arrays in the body. ' +
    'The header `Location` of the answer says where to see how far the export is. ' +
    `A partner may have ${EXPORTS_WAITING_MAX} that are not made yet.`,
  querystring: FIELDS,
  body: FIELDS,
  response: {
    200: {
      description: 'The export will be made. The body is empty.',
      headers: { location: Type.String({ description: 'Path of the export.' }) },
    },
    400: refusal('A field is wrong or unknown.', {
      no_email: ['email is required'],
      bad_email: ['email must be a mail address'],
      status: ['status must be one of executed, in_progress, done, cancelled, expired'],
    }),
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
    429: refusal('Too many requests with this key, or exports; `Retry-After` says when to try again.', {
      too_many: ['more than 50 requests in a second'],
      exports_waiting: [`${EXPORTS_WAITING_MAX} exports are not made yet, ask again when one is done`],
    }),
  },
}

/** POST /v2/resources/orders/export */
export function registerExportOrders(app: AppInstance, { db }: { db: Db }): void {
  app.post(
    '/v2/resources/orders/export',
    { schema, config: { permission: 'orders' } },
    async (request, reply) => {
      const { caller, query, body } = request
      const fields = mergeFields(query, body ?? {})
      refuseUnknown(fields, Object.keys(FIELDS.properties))
      const filters = readOrderFilters(fields)
      const email = readText(fields, 'email')
      if (email === undefined) throw invalid('email', 'is required')
      if (!isMailAddress(email)) throw invalid('email', 'must be a mail address')
      const keep = keepWith(request, (id: string) => ({ status: 200, body: '', location: pathOf(id) }))
      const id = await requestExport(db, caller, { filters, email, keep })
      return reply.header('location', pathOf(id)).send()
    },
  )
}

function pathOf(id: string): string {
  return `/v2/resources/orders/export/${id}`
}

/** The fields as a query has them. */
function mergeFields(query: Query, body: object): Query {
  const sent = Object.entries(body).map(([field, value]) => {
    if (Object.hasOwn(query, field)) throw invalid(field, 'must be given once')
    const texts = typeof value === 'boolean' ? String(value) : value
    const is_text = [texts].flat().every((text) => typeof text === 'string')
    if (!is_text) throw invalid(field.slice(0, 64), 'must be text or a list of texts')
    return [field, texts] as const
  })
  return { ...query, ...Object.fromEntries(sent) }
}

function invalid(field: string, message: string): DomainError<QueryErrorCode> {
  return new DomainError('invalid_query', { field, message })
}
