import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'

const compress = promisify(gzip)

/** Lists are so alike from line to line that more effort saves little. */
const EFFORT = { level: constants.Z_BEST_SPEED }

export type Encoding = 'identity' | 'gzip'

/** The body of an answer that is sent more than once. */
export type EncodedBody = {
  /** It is compressed when that is asked for first. */
  in(encoding: Encoding): Buffer | Promise<Buffer>
  /** How much memory it takes now. */
  bytes(): number
}

export function createEncodedBody(identity: Buffer): EncodedBody {
  let compressed: Promise<Buffer> | undefined
  let bytes = identity.length

  async function compressOnce(): Promise<Buffer> {
    const body = await compress(identity, EFFORT)
    bytes += body.length
    return body
  }

  return {
    in: (encoding) => (encoding === 'identity' ? identity : (compressed ??= compressOnce())),
    bytes: () => bytes,
  }
}

/** A body that is written part by part, compressed: a thread does that, while the next part is written. */
export async function compressParts(parts: Iterable<Buffer>): Promise<Buffer> {
  const stream = createGzip(EFFORT)
  const compressing = [buffer(stream), writeParts(stream, parts)] as const
  const [body] = await Promise.all(compressing).finally(() => stream.destroy())
  return body
}

async function writeParts(stream: Writable, parts: Iterable<Buffer>): Promise<void> {
  for (const part of parts) {
    if (stream.writableNeedDrain) await once(stream, 'drain')
    stream.write(part)
  }
  stream.end()
}

/** What the header `Accept-Encoding` lets an answer be sent in. */
export function encodingFor(header: string | undefined): Encoding {
  const codings = (header ?? '').toLowerCase().split(',')
  const accepts = codings.some((coding) => {
    const [name, quality] = coding.split(';').map((part) => part.trim())
    return name === 'gzip' && !/^q=0(\.0*)?$/.test(quality ?? '')
  })
  return accepts ? 'gzip' : 'identity'
}
