import type { Message } from '@bufbuild/protobuf'
import { Metadata, ServerInterceptingCall } from '@grpc/grpc-js'
import type { ServerInterceptingCallInterface, ServerInterceptor } from '@grpc/grpc-js'
import type { Batch } from './listing.ts'

/**
 * Lets a streaming handler write a Batch. A message written by itself waits until it is sent before the next one, which
 * costs about 8 microseconds; those of a batch are given to the connection in one turn and leave together.
 */
export const sendBatches: ServerInterceptor = (_method, call) => new BatchingCall(call)

class BatchingCall extends ServerInterceptingCall {
  readonly #call: ServerInterceptingCallInterface
  #is_metadata_sent = false

  constructor(call: ServerInterceptingCallInterface) {
    super(call)
    this.#call = call
  }

  override sendMetadata(metadata: Metadata): void {
    this.#is_metadata_sent = true
    super.sendMetadata(metadata)
  }

  /** A message that is no batch is one of the other services'. */
  override sendMessage(message: Batch | Message, callback: () => void): void {
    if (!isBatch(message)) return super.sendMessage(message, callback)
    if (!this.#is_metadata_sent) this.sendMetadata(new Metadata())
    const last = message.length - 1
    for (const [index, one] of message.entries())
      this.#call.sendMessage(one, index === last ? callback : ignore)
  }
}

function isBatch(message: Batch | Message): message is Batch {
  return Array.isArray(message)
}

function ignore(): void {}
