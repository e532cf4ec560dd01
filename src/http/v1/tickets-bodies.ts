import type { EventSeating } from '../../inventory/seating.ts'
import { createEncodedBody } from '../encoded-body.ts'
import type { EncodedBody } from '../encoded-body.ts'

/**
 * Bodies that are written and compressed once for all who are shown the same seating: many clients of a sale ask for the whole
 * list, and a hall of 10,000 seats is two megabytes of it.
 */
export function createTicketsBodies(write: (seating: EventSeating) => Buffer) {
  const bodies = new WeakMap<EventSeating, EncodedBody>()

  return (seating: EventSeating): EncodedBody => {
    let body = bodies.get(seating)
    if (body === undefined) bodies.set(seating, (body = createEncodedBody(write(seating))))
    return body
  }
}
