/**
 * What a client is told when its request fails: the status and the exact text of every code that the modules and the
 * transport can throw (contract, Errors). Every body is `{"errors": [text, ...]}`.
 */
import type { FastifyReply } from 'fastify'
import type { EventErrorCode } from '../events/event-errors.ts'
import { DomainError } from '../kernel/domain-error.ts'
import type { OrderErrorCode } from '../orders/commands.ts'
import { InvalidFields } from '../orders/order-errors.ts'
import type { PartnerErrorCode } from '../partners/partner-errors.ts'
import { isStoreAway } from '../platform/db/store-away.ts'
import type { QueryErrorCode } from './query.ts'
import { sendJson } from './send-json.ts'

/** What the transport itself refuses. */
export type HttpErrorCode =
  | 'host_ambiguous'
  | 'url_malformed'
  | 'route_not_found'
  | 'media_type_unsupported'
  | 'content_encoding_unsupported'
  | 'body_too_large'
  | 'body_empty'
  | 'body_not_utf8'
  | 'body_malformed'
  | 'body_not_object'
  | 'body_too_deep'
  | 'body_key_forbidden'
  | 'body_text_forbidden'
  | 'rate_exceeded'
  | 'not_ready'
  | 'store_away'
  | 'internal_error'

export type ErrorCode = OrderErrorCode | EventErrorCode | PartnerErrorCode | QueryErrorCode | HttpErrorCode

type Details = DomainError['details']
type Row = {
  readonly status: number
  readonly text: string | ((details: Details) => string)
  readonly headers?: Readonly<Record<string, string>>
}

/** A second is enough for a waiting batch to leave or a database to be taken over. */
const SOON = { 'retry-after': '1' }

const TABLE: Readonly<Record<ErrorCode, Row>> = {
  order_not_found: { status: 404, text: 'Order not found' },
  order_busy: { status: 409, text: 'Conflict: another request to this order is running' },
  event_not_found: {
    status: 400,
    text: ({ event }) => (event === undefined ? 'Event not found' : `Event ${event} not found`),
  },
  deal_not_found: { status: 400, text: 'Deal not found' },
  promokey_needed: { status: 400, text: 'Promokey needed' },
  promokey_needed_for_tickets: { status: 400, text: 'Promokey needed to add these tickets' },
  invalid_fields: { status: 400, text: 'invalid fields' },
  update_not_allowed: { status: 400, text: ({ status }) => `Not allow to update order in status ${status}` },
  only_cancel_allowed: { status: 400, text: 'Allow update the only status to cancelled' },
  ticket_of_another_event: {
    status: 400,
    text: ({ id }) => `ticket (id = ${id}) does not belong to current event`,
  },
  set_of_another_event: {
    status: 400,
    text: ({ id }) => `set (id = ${id}) does not belong to current event`,
  },
  too_many_tickets: { status: 400, text: ({ max }) => `max tickets in order is ${max}` },
  not_enough_money: { status: 400, text: ({ vendor }) => `Not enough money, contact to ${vendor} manager` },
  no_tickets_in_order: { status: 400, text: 'there is no tickets in order' },
  status_not_allowed: { status: 400, text: 'Incorrect status for this operation' },
  order_not_cancellable: { status: 400, text: 'Order is not cancellable' },
  desk_full: { status: 503, text: 'too many requests are waiting, try again', headers: SOON },

  event_not_listed: { status: 404, text: ({ event }) => `Event ${event} not found` },
  map_image_not_found: { status: 404, text: 'Map image not found' },

  key_missing: {
    status: 401,
    text: 'the header Authorization: key <API_KEY> is needed',
    headers: { 'www-authenticate': 'key' },
  },
  key_bad: { status: 403, text: 'bad key' },
  permission_missing: { status: 403, text: ({ permission }) => `the key lacks the permission ${permission}` },

  invalid_query: { status: 400, text: ({ field, message }) => `${field} ${message}` },

  host_ambiguous: { status: 400, text: 'more than one Host header' },
  url_malformed: { status: 400, text: 'the path is not a valid URL' },
  route_not_found: { status: 404, text: ({ method, path }) => `${method} ${path} not found` },
  media_type_unsupported: { status: 415, text: 'Content-Type must be application/json in UTF-8' },
  content_encoding_unsupported: {
    status: 415,
    text: 'the body must not be compressed',
    headers: { 'accept-encoding': 'identity' },
  },
  body_too_large: { status: 413, text: 'the body is larger than 1 MiB' },
  body_empty: { status: 400, text: 'the body is empty' },
  body_not_utf8: { status: 400, text: 'the body is not UTF-8' },
  body_malformed: { status: 400, text: ({ reason }) => `malformed JSON: ${reason}` },
  body_not_object: { status: 400, text: 'the body must be a JSON object' },
  body_too_deep: { status: 400, text: ({ max }) => `the body is nested deeper than ${max} levels` },
  body_key_forbidden: { status: 400, text: ({ place }) => `${place} must not have the key __proto__` },
  body_text_forbidden: { status: 400, text: ({ place, what }) => `${place} must not contain ${what}` },
  rate_exceeded: { status: 429, text: ({ max }) => `more than ${max} requests in a second` },
  not_ready: { status: 503, text: 'not ready', headers: SOON },
  store_away: { status: 503, text: 'the store is away, try again', headers: SOON },
  internal_error: { status: 500, text: 'internal error' },
}

/** Fastify's own refusals that have a row here. */
const FASTIFY_CODES: Readonly<Record<string, HttpErrorCode>> = {
  FST_ERR_BAD_URL: 'url_malformed',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
}

/** An answer that refuses a request. */
export type Refusal = {
  readonly status: number
  readonly errors: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** What to answer to a request that failed with `error`. Of what no client can cause nothing is told. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof InvalidFields) return { status: 400, errors: error.faults, headers: {} }
  if (error instanceof DomainError && isErrorCode(error.code)) return fromTable(error.code, error.details)
  const { code, statusCode, message }: Partial<Record<string, unknown>> = Object(error)
  const known = FASTIFY_CODES[String(code)]
  if (known !== undefined) return fromTable(known)
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return { status: statusCode, errors: [String(message)], headers: {} }
  return fromTable(isStoreAway(error) ? 'store_away' : 'internal_error')
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(TABLE, code)
}

function fromTable(code: ErrorCode, details: Details = {}): Refusal {
  const { status, text, headers = {} } = TABLE[code]
  return { status, errors: [typeof text === 'string' ? text : text(details)], headers }
}

/** Answers a request with a refusal. */
export function refuse(reply: FastifyReply, { status, errors, headers }: Refusal): FastifyReply {
  return sendJson(reply.code(status).headers(headers), JSON.stringify({ errors }))
}
