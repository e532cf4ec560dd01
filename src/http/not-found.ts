import type { FastifyRequest } from 'fastify'
import { DomainError } from '../kernel/domain-error.ts'
import type { HttpErrorCode } from './errors.ts'

/** What a request to a path that there is not is refused by. */
export function notFound({ method, url }: FastifyRequest): DomainError<HttpErrorCode> {
  return new DomainError('route_not_found', { method, path: url.replace(/\?.*$/s, '') })
}
