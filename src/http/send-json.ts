import type { FastifyReply } from 'fastify'
import { encodingFor } from './encoded-body.ts'
import type { Encoding } from './encoded-body.ts'

/** A body that may be sent in any encoding. */
export type SentBody = { in(encoding: Encoding): Buffer | Promise<Buffer> }

/** Answers with JSON that is already written, as text or in UTF-8. */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json)
}

/** Answers with JSON in the encoding that the request accepts. The route's answers say that they vary by `accept-encoding`. */
export async function sendEncodedJson(reply: FastifyReply, body: SentBody): Promise<FastifyReply> {
  const encoding = encodingFor(reply.request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return sendJson(reply, await body.in(encoding))
}
