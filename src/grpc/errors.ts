/** What a caller is told when its call fails: the status and the text of every code that a method can throw. */
import { status as Status } from '@grpc/grpc-js'
import type { EventErrorCode } from '../events/event-errors.ts'
import { DomainError } from '../kernel/domain-error.ts'
import type { PartnerErrorCode } from '../partners/partner-errors.ts'
import { isStoreAway } from '../platform/db/store-away.ts'

/** `invalid_argument`: details are `field`, and `message`, which follows the field's name. */
export type GrpcErrorCode =
  | Extract<EventErrorCode, 'event_not_listed'>
  | PartnerErrorCode
  | 'invalid_argument'
  | 'request_malformed'
  | 'calls_exceeded'
  | 'rate_exceeded'
  | 'reader_stalled'

type Details = DomainError['details']
type Row = { readonly code: Status; readonly text: string | ((details: Details) => string) }

const TABLE: Readonly<Record<GrpcErrorCode, Row>> = {
  key_missing: {
    code: Status.UNAUTHENTICATED,
    text: 'the metadata authorization: key <API_KEY> is needed',
  },
  key_bad: { code: Status.UNAUTHENTICATED, text: 'bad key' },
  permission_missing: {
    code: Status.PERMISSION_DENIED,
    text: ({ permission }) => `the key lacks the permission ${permission}`,
  },
  event_not_listed: { code: Status.NOT_FOUND, text: ({ event }) => `Event ${event} not found` },
  invalid_argument: { code: Status.INVALID_ARGUMENT, text: ({ field, message }) => `${field} ${message}` },
  request_malformed: { code: Status.INVALID_ARGUMENT, text: ({ type }) => `the request is no ${type}` },
  calls_exceeded: {
    code: Status.RESOURCE_EXHAUSTED,
    text: ({ max }) => `more than ${max} calls of the key are open`,
  },
  rate_exceeded: {
    code: Status.RESOURCE_EXHAUSTED,
    text: ({ max }) => `more than ${max} calls in a second`,
  },
  reader_stalled: {
    code: Status.RESOURCE_EXHAUSTED,
    text: ({ seconds }) => `the answer was not read for ${seconds} seconds`,
  },
}

export type Refusal = { readonly code: Status; readonly details: string }

/** What to end a call with that failed with `error`. Of what no caller can cause nothing is told. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof DomainError && isErrorCode(error.code)) {
    const { code, text } = TABLE[error.code]
    return { code, details: typeof text === 'string' ? text : text(error.details) }
  }
  if (isStoreAway(error)) return { code: Status.UNAVAILABLE, details: 'the store is away, try again' }
  return { code: Status.INTERNAL, details: 'internal error' }
}

function isErrorCode(code: string): code is GrpcErrorCode {
  return Object.hasOwn(TABLE, code)
}
