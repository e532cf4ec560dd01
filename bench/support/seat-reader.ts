/**
 * Reads the method Seats over HTTP/2 and counts the messages without decoding them: a client that does would take more of the
 * machine than the server that is measured.
 */
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { create, toBinary } from '@bufbuild/protobuf'
import { SeatsRequestSchema } from '../../src/grpc/generated/seats_pb.js'

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_CONTENT_TYPE, HTTP2_HEADER_TE } = constants
/** A message is preceded by a byte that tells whether it is compressed, and four with its length. */
const HEAD_BYTES = 5

export type SeatReader = {
  /** All seats of the event; answers how many. Throws when the call ends with another status than OK. */
  read(event: string): Promise<number>
  close(): void
}

/** `address` is host and port. */
export async function openSeatReader({
  address,
  key,
}: {
  address: string
  key: string
}): Promise<SeatReader> {
  const session = connectHttp2(`http://${address}`)
  // The calls that are open fail with it.
  session.on('error', () => {})
  await once(session, 'connect')
  return {
    async read(event) {
      const stream = session.request({
        [HTTP2_HEADER_METHOD]: 'POST',
        [HTTP2_HEADER_PATH]: '/v3.Simple/Seats',
        [HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
        [HTTP2_HEADER_TE]: 'trailers',
        authorization: `key ${key}`,
      })
      let status: unknown = 'none'
      const counter = createCounter()
      stream.on('response', (headers) => void (status = headers['grpc-status'] ?? status))
      stream.on('trailers', (trailers) => void (status = trailers['grpc-status'] ?? status))
      stream.on('data', (chunk: Buffer) => counter.take(chunk))
      stream.end(frameOf(toBinary(SeatsRequestSchema, create(SeatsRequestSchema, { event }))))
      await once(stream, 'close')
      if (status !== '0') throw new Error(`Seats ended with status ${String(status)}`)
      return counter.messages()
    },
    close: () => session.close(),
  }
}

function frameOf(message: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Counts messages in a stream that is cut anywhere. */
function createCounter() {
  let messages = 0
  let rest: Buffer = Buffer.alloc(0)
  let skip = 0
  return {
    messages: () => messages,
    take(chunk: Buffer): void {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let at = skip
      while (at + HEAD_BYTES <= bytes.length) {
        at += HEAD_BYTES + bytes.readUInt32BE(at + 1)
        messages++
      }
      rest = bytes.subarray(Math.min(at, bytes.length))
      skip = Math.max(at - bytes.length, 0)
    },
  }
}
