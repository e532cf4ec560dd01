import type { FastifyRequest } from 'fastify'
import { DomainError } from '../kernel/domain-error.ts'
import type { OrderErrorCode } from '../orders/commands.ts'
import type { AppInstance } from './app.ts'
import { whenOver } from './when-over.ts'

/** Up to so many bytes a body is free: connections are counted, and an order with a dozen tickets is a kilobyte. */
const SMALL_BODY_BYTES = 16 * 1024

/** What all larger bodies may have together, as sent. Parsed they may take ten times as much. */
const LARGE_BODIES_BYTES = 16 * 1024 * 1024

/**
 * Bounds what the bodies of requests that are not answered yet hold in memory, however slow answers are: a large one for which
 * there is no room is refused with 503 before it is read. It is asked for its key before, so no stranger takes the room.
 */
export function boundBodies(app: AppInstance, { body_max }: { body_max: number }): void {
  let held = 0
  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = Math.min(bytesOf(request), body_max)
    if (bytes <= SMALL_BODY_BYTES) return done(null, payload)
    if (held + bytes > LARGE_BODIES_BYTES) return done(new DomainError<OrderErrorCode>('desk_full'))
    held += bytes
    whenOver(reply, () => {
      held -= bytes
    })
    done(null, payload)
  })
}

/** What is sent in chunks may be of any length. */
function bytesOf({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return Infinity
  return Number(headers['content-length'] ?? 0)
}
