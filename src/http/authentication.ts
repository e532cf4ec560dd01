import type { onRequestAsyncHookHandler } from 'fastify'
import { DomainError } from '../kernel/domain-error.ts'
import type { Caller } from '../partners/caller.ts'
import type { PartnerErrorCode } from '../partners/partner-errors.ts'
import type { AppInstance } from './app.ts'

/** Tells who sends a request by its `Authorization` header; throws DomainError<PartnerErrorCode>. */
export type Authenticate = (header: string | undefined) => Promise<Caller>

/**
 * Guards every route registered from here on that names a `permission`: before the body is read, the request's key is
 * checked, and `request.caller` is set.
 */
export function guardRoutes(app: AppInstance, authenticate: Authenticate): void {
  // A shape known from the start: V8 keeps one hidden class for all requests.
  app.decorateRequest('caller')
  app.addHook('onRoute', (route) => {
    const permission = route.config?.permission
    if (permission === undefined) return
    const guard: onRequestAsyncHookHandler = async (request) => {
      const caller = await authenticate(request.headers.authorization)
      if (!caller.permissions.includes(permission))
        throw new DomainError<PartnerErrorCode>('permission_missing', { permission })
      request.caller = caller
    }
    // Before what the route itself does on a request.
    route.onRequest = [guard, ...[route.onRequest ?? []].flat()]
  })
}
