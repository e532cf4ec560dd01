import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventSeating } from '../../inventory/seating.ts'
import { compressParts } from '../encoded-body.ts'
import type { Encoding } from '../encoded-body.ts'
import type { SentBody } from '../send-json.ts'

/** Writes a body part by part, which may take a turn of the event loop each. */
export type Write = (seating: EventSeating) => Iterable<Buffer>

/**
 * Bodies that are written, and compressed beside that, once for all who are shown the same seating: many clients of a sale ask
 * for the whole list, and a hall of 10,000 seats is two megabytes of it. Each encoding is written by itself: most clients ask
 * for the same one, and what is compressed as it is written is never there as a whole.
 */
export function createTicketsBodies(write: Write) {
  const bodies = new WeakMap<EventSeating, Map<Encoding, Promise<Buffer>>>()

  return (seating: EventSeating): SentBody => ({
    in(encoding) {
      const encoded = bodies.get(seating) ?? new Map<Encoding, Promise<Buffer>>()
      bodies.set(seating, encoded)
      const parts = () => write(seating)
      const body =
        encoded.get(encoding) ?? (encoding === 'gzip' ? compressParts(parts()) : joinParts(parts()))
      encoded.set(encoding, body)
      return body
    },
  })
}

/** One part in a turn of the event loop. */
export async function joinParts(parts: Iterable<Buffer>): Promise<Buffer> {
  const written: Buffer[] = []
  for (const part of parts) {
    written.push(part)
    await nextTurn()
  }
  return Buffer.concat(written)
}
