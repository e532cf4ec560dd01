/** What a method of the listing service is: a request in, messages out, some at a time. */
import { toBinary } from '@bufbuild/protobuf'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { Catalog } from '../events/event-entry.ts'
import type { Language } from '../events/geo/language.ts'
import type { Seating } from '../inventory/seating.ts'
import type { Caller } from '../partners/caller.ts'
import type { Queryable } from '../platform/db/db.ts'

export type Call = {
  readonly caller: Caller
  /** Which names are shown where there are several. */
  readonly language: Language
  /** By one of the older names of the service, whose schema differs a little (proto/v2.proto). */
  readonly is_older: boolean
}

/** What methods are made of; each takes what it needs. */
export type ListingDeps = { db: Queryable; catalog: Catalog; seating: Seating }

/** Encoded messages that go out together. */
export type Batch = readonly Buffer[]

/**
 * Streams the answer to a request. The next batch is asked for when the one before can be sent, so it is made then and no
 * earlier; a caller that goes away ends the generator. Throws DomainError<GrpcErrorCode> and whatever the store throws.
 */
export type Listing<Request extends DescMessage> = (
  request: MessageShape<Request>,
  call: Call,
) => AsyncGenerator<Batch, void, undefined>

/** Small enough that a reader who stops holds little, large enough that a message costs little. */
export const BATCH_BYTES = 16 * 1024

/** Encodes messages into batches. */
export function* encodeInBatches<Message extends DescMessage>(
  schema: Message,
  messages: Iterable<MessageShape<Message>>,
): Generator<Batch, void, undefined> {
  yield* inBatches(encoded(schema, messages))
}

/** Encoded messages in batches. */
export function* inBatches(messages: Iterable<Uint8Array<ArrayBuffer>>): Generator<Batch, void, undefined> {
  let batch: Buffer[] = []
  let bytes = 0
  for (const { buffer, byteOffset, byteLength } of messages) {
    batch.push(Buffer.from(buffer, byteOffset, byteLength))
    bytes += byteLength
    if (bytes >= BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
  }
  if (batch.length > 0) yield batch
}

function* encoded<Message extends DescMessage>(
  schema: Message,
  messages: Iterable<MessageShape<Message>>,
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const message of messages) yield toBinary(schema, message)
}
