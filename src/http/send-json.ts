import type { FastifyReply } from 'fastify'

/** Answers with JSON that is already written, as text or in UTF-8. */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json)
}
