import type { FastifyReply } from 'fastify'

/**
 * Calls `end` once nobody waits for the answer any more: it is sent, or the client has gone. It may have gone before, while its
 * key was asked for, and of that nothing is told again.
 */
export function whenOver({ raw }: FastifyReply, end: () => void): void {
  if (raw.closed) end()
  else raw.once('close', end)
}
