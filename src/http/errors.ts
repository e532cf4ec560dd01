/**
 * What a client is told when its request fails: the status and the exact text of every code that the modules and the
 * transport can throw (contract, Errors). Every body is `{"errors": [text, ...]}`.
 */
import type { FastifyReply } from 'fastify'
import type { EventErrorCode } from '../events/event-errors.ts'
import { DomainError } from '../kernel/domain-error.ts'
import type { OrderErrorCode } from '../orders/commands.ts'
import type { ExportErrorCode } from '../orders/export/exports.ts'
import { InvalidFields } from '../orders/order-errors.ts'
import { isAnsweredElsewhere } from '../partners/idempotent-answers.ts'
import type { IdempotencyErrorCode } from '../partners/idempotent-answers.ts'
import type { PartnerErrorCode, WebhookErrorCode } from '../partners/partner-errors.ts'
import { isStoreAway } from '../platform/db/store-away.ts'
import type { RefundErrorCode } from '../refunds/refund-request.ts'
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
  | 'payments_not_for_api'
  | 'not_ready'
  | 'store_away'
  | 'internal_error'

export type ErrorCode =
  | OrderErrorCode
  | ExportErrorCode
  | RefundErrorCode
  | EventErrorCode
  | PartnerErrorCode
  | WebhookErrorCode
  | QueryErrorCode
  | IdempotencyErrorCode
  | HttpErrorCode

type Details = DomainError['details']
type Row = {
  readonly status: number
  readonly text: string | ((details: Details) => string)
  readonly headers?: Readonly<Record<string, string>>
}

/** A second is enough for a waiting batch to leave or a database to be taken over. */
const SOON = { 'retry-after': '1' }
/** An export takes some seconds, or minutes when it is large. */
const LATER = { 'retry-after': '60' }

const TABLE: Readonly<Record<ErrorCode, Row>> = {
  order_not_found: { status: 404, text: 'Order not found' },
  order_busy: { status: 409, text: 'Conflict: another request to this order is running' },
  event_not_found: {
    status: 400,
    text: ({ event }) => (event === undefined ? 'Event not found' : `Event ${event} not found`),
  },
  deal_not_found: { status: 400, text: 'Deal not found' },
  promocode_under_promotion: {
    status: 400,
    text: 'Cant use promocode when event have promotion',
  },
  promocode_used_up: { status: 400, text: 'Promocode already used' },
  promokey_not_found: { status: 400, text: 'Promokey not founded' },
  promokey_expired: { status: 400, text: 'Promokey expired' },
  promokey_fully_reserved: { status: 400, text: 'Promokey fully reserved' },
  promokey_already_reserved: { status: 400, text: 'Promokey already reserved' },
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
  payment_not_found: { status: 404, text: 'Payment not found' },
  payment_too_late: {
    status: 400,
    text: 'The payment came too late: the hold has ended and some of the tickets are taken',
  },
  payment_ended: { status: 400, text: ({ status }) => `Incorrect status ${status} for this operation` },
  no_tickets_in_order: { status: 400, text: 'there is no tickets in order' },
  status_not_allowed: { status: 400, text: 'Incorrect status for this operation' },
  order_not_cancellable: { status: 400, text: 'Order is not cancellable' },
  expired_after_fixed: { status: 400, text: 'expired_after is not changable' },
  expired_after_too_late: { status: 400, text: ({ max }) => `max expired_after is ${max}` },
  invitation_not_by_org: { status: 400, text: 'only org can send invitations' },
  invitation_from_elsewhere: {
    status: 400,
    text: 'invitation can send from control panel or salespoint only',
  },
  courier_from_elsewhere: { status: 400, text: 'Courier must set only with salespoint' },
  smart_tickets_disabled: { status: 400, text: ({ name }) => `${name} integrations is disabled` },
  smart_tickets_only: {
    status: 400,
    text: ({ name }) =>
      `Cant set smart_tickets to false while ${name} integration option is only smart_tickets`,
  },
  desk_full: { status: 503, text: 'too many requests are waiting, try again', headers: SOON },

  export_not_found: { status: 404, text: 'Export not found' },
  exports_waiting: {
    status: 429,
    text: ({ max }) => `${max} exports are not made yet, ask again when one is done`,
    headers: LATER,
  },

  refund_order_not_found: { status: 400, text: ({ order }) => `Order ${order} not found` },
  refund_order_status: {
    status: 400,
    text: ({ order, status }) => `wrong order (id: ${order}) status: ${status}`,
  },
  refund_nothing_left: { status: 400, text: 'Empty tickets for refund' },
  refund_bad_tickets: { status: 400, text: 'bad tickets' },
  refund_tickets_in_use: { status: 400, text: 'Some tickets already use in another refund request' },
  refund_event_started: {
    status: 400,
    text: 'Operation failed: Event started, and no after_event_start setting.',
  },
  refund_too_late: { status: 400, text: 'No reason nor lower_minimal_days setting' },
  refund_request_not_found: { status: 404, text: 'Refund request not found' },
  refund_decision_not_allowed: {
    status: 403,
    text: 'only the organizer may approve or reject this refund request',
  },
  refund_request_ended: {
    status: 400,
    text: ({ status }) => `Incorrect status ${status} for this operation`,
  },
  refund_event_finished: { status: 400, text: 'Not allowed to approve refund for finished event' },

  event_not_listed: { status: 404, text: ({ event }) => `Event ${event} not found` },
  map_image_not_found: { status: 404, text: 'Map image not found' },

  key_missing: {
    status: 401,
    text: 'the header Authorization: key <API_KEY> is needed',
    headers: { 'www-authenticate': 'key' },
  },
  key_bad: { status: 403, text: 'bad key' },
  permission_missing: { status: 403, text: ({ permission }) => `the key lacks the permission ${permission}` },

  notification_not_found: { status: 404, text: 'Notification not found' },
  webhooks_disabled: { status: 400, text: 'every webhook of this notification is disabled' },

  invalid_query: { status: 400, text: ({ field, message }) => `${field} ${message}` },

  idempotency_key_malformed: {
    status: 400,
    text: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
  },
  idempotency_key_busy: {
    status: 409,
    text: 'Conflict: a request with this Idempotency-Key is running',
  },
  idempotency_key_reused: {
    status: 422,
    text: 'this Idempotency-Key was used for another request',
  },

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
  payments_not_for_api: {
    status: 403,
    text: 'payments are for keys of the widget, the salespoint and the control panel',
  },
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
  if (isAnsweredElsewhere(error)) return fromTable('idempotency_key_busy')
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
