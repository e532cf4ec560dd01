import { fromBinary } from '@bufbuild/protobuf'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { status as Status } from '@grpc/grpc-js'
import type { Metadata } from '@grpc/grpc-js'
import type { Language } from '../events/geo/language.ts'
import { DomainError } from '../kernel/domain-error.ts'
import type { Caller } from '../partners/caller.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { refusalOf } from './errors.ts'
import type { GrpcErrorCode, Refusal } from './errors.ts'
import { createLimits } from './limits.ts'
import type { Listing } from './listing.ts'
import { writeBatches } from './write-batches.ts'
import type { Stream } from './write-batches.ts'

export type CallRunnerDeps = {
  log: Log
  metrics: Metrics
  /** Tells who calls by an `Authorization` header; throws DomainError<PartnerErrorCode>. */
  authenticate: (header: string | undefined) => Promise<Caller>
  /** Calls a second that a key may make; 0 sets no limit. */
  rate_limit: number
}

export type Method<Request extends DescMessage> = {
  /** As metrics and the log name it. */
  readonly name: string
  readonly request: Request
  readonly listing: Listing<Request>
  readonly is_older: boolean
}

/** Runs calls of the listing service: who calls and whether it may, the answer, the status and what is told of it all. */
export function createCallRunner({ log, metrics, authenticate, rate_limit }: CallRunnerDeps) {
  const limits = createLimits(rate_limit)

  async function answer<Request extends DescMessage>(stream: Stream, method: Method<Request>): Promise<void> {
    const caller = await authenticate(authorizationIn(stream.metadata))
    if (!caller.permissions.includes('events'))
      throw new DomainError<GrpcErrorCode>('permission_missing', { permission: 'events' })
    const leave = limits.enter(caller.key_id)
    try {
      const request = decode(method.request, stream.request)
      const call = { caller, language: languageIn(stream.metadata), is_older: method.is_older }
      await writeBatches(stream, method.listing(request, call))
    } finally {
      // A call is open until its end is sent, which a caller that does not read delays; this is told of that, too.
      if (stream.cancelled) leave()
      else stream.once('cancelled', leave)
    }
  }

  return async <Request extends DescMessage>(stream: Stream, method: Method<Request>): Promise<void> => {
    const { name } = method
    const observe = metrics.grpc_duration_seconds.startTimer({ method: name })
    let code = Status.OK
    try {
      await answer(stream, method)
      if (stream.cancelled) code = Status.CANCELLED
      stream.end()
    } catch (error) {
      const refusal = refusalOf(error)
      code = refusal.code
      if (code === Status.INTERNAL) log.error({ method: name, err: error }, 'call failed')
      if (code === Status.UNAVAILABLE) log.warn({ method: name, reason: String(error) }, 'the store is away')
      refuse(stream, refusal)
    } finally {
      observe()
      metrics.grpc_calls.inc({ method: name, code: Status[code] })
    }
  }
}

/** Ending a stream by a status is done through its event `error`; it has a listener of the library's. */
function refuse(stream: Stream, refusal: Refusal): void {
  stream.emit('error', refusal)
}

function decode<Request extends DescMessage>(schema: Request, bytes: Buffer): MessageShape<Request> {
  try {
    return fromBinary(schema, bytes)
  } catch {
    throw new DomainError<GrpcErrorCode>('request_malformed', { type: schema.typeName })
  }
}

/** As the header of HTTP has it; older clients send the bare key. */
function authorizationIn(metadata: Metadata): string | undefined {
  const [value] = metadata.get('authorization')
  const text = value?.toString().trim()
  return text === undefined || text === '' || /\s/.test(text) ? text : `key ${text}`
}

function languageIn(metadata: Metadata): Language {
  const [value = ''] = metadata.get('preferred-language')
  return /^ru\b/i.test(value.toString()) ? 'ru' : 'en'
}
