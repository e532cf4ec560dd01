import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Caller, Permission } from '../partners/caller.ts'

/**
 * The application that routes are registered on. A route's schema is its description in the OpenAPI document and the
 * types of its handler; it checks nothing. What a client sends is read by the route's own code, because a fault is
 * reported in the contract's words and in its place in the order of checks.
 */
export type AppInstance = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is for keys with this permission; without it, for everybody. */
    permission?: Permission
  }
  interface FastifyRequest {
    /** Who sends the request; there on routes with a `permission`. */
    caller: Caller
  }
}
