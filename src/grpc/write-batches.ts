import type { ServerWritableStream } from '@grpc/grpc-js'
import { DomainError } from '../kernel/domain-error.ts'
import type { GrpcErrorCode } from './errors.ts'
import type { Batch } from './listing.ts'

export type Stream = ServerWritableStream<Buffer, Batch>

/** More than one, so that the connection has something to send while the next one is made. */
const BATCHES_IN_FLIGHT = 2
/** A caller that reads nothing for so long has forgotten its call. */
const STALL_LIMIT_S = 60
/** And so much longer for a message that is large, such as a map. */
const SLOWEST_BYTES_A_SECOND = 16 * 1024

/**
 * Writes the batches as fast as the caller reads them, holding two of them. When the caller has cancelled or its deadline
 * has passed it returns, and ends the generator; it throws `reader_stalled` when the caller stops reading, and whatever the
 * generator throws.
 */
export async function writeBatches(
  stream: Stream,
  batches: AsyncGenerator<Batch, void, undefined>,
): Promise<void> {
  let in_flight = 0
  let wake = () => {}
  const written = () => {
    in_flight--
    wake()
  }
  // What was written to a cancelled call is never reported as written.
  stream.once('cancelled', () => wake())
  for await (const batch of batches) {
    if (stream.cancelled) return
    in_flight++
    stream.write(batch, written)
    if (in_flight < BATCHES_IN_FLIGHT) continue
    await new Promise<void>((resolve, reject) => {
      const seconds = STALL_LIMIT_S + Math.ceil(sizeOf(batch) / SLOWEST_BYTES_A_SECOND)
      const error = new DomainError<GrpcErrorCode>('reader_stalled', { seconds })
      const timer = setTimeout(() => reject(error), seconds * 1000)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    if (stream.cancelled) return
  }
}

function sizeOf(batch: Batch): number {
  return batch.reduce((bytes, message) => bytes + message.length, 0)
}
