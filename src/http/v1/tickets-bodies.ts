import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { EventSeating } from '../../inventory/seating.ts'

const compress = promisify(gzip)

/** A list of seats is so alike from seat to seat that more effort saves little. */
const EFFORT = { level: constants.Z_BEST_SPEED }

export type Encoding = 'identity' | 'gzip'

/**
 * Bodies that are written and compressed once for all who are shown the same seating: many clients of a sale ask for the whole
 * list, and a hall of 10,000 seats is two megabytes of it.
 */
export function createTicketsBodies(write: (seating: EventSeating) => Buffer) {
  const bodies = new WeakMap<EventSeating, { identity: Buffer; gzip: Promise<Buffer> | undefined }>()

  return (seating: EventSeating, encoding: Encoding): Buffer | Promise<Buffer> => {
    let body = bodies.get(seating)
    if (body === undefined) bodies.set(seating, (body = { identity: write(seating), gzip: undefined }))
    if (encoding === 'identity') return body.identity
    return (body.gzip ??= compress(body.identity, EFFORT))
  }
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
