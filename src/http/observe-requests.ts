import type { onResponseHookHandler } from 'fastify'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { AppInstance } from './app.ts'

/**
 * Counts and times the requests to every route registered from here on, and logs a line for each at level debug: neither
 * path nor query, body or key, but the route's pattern and the partner's id.
 */
export function observeRequests(app: AppInstance, { log, metrics }: { log: Log; metrics: Metrics }): void {
  app.addHook('onRoute', (route) => {
    const { url } = route
    // A route of several methods is told as one, so that nothing has to be looked up for an answer.
    const method = [route.method].flat().join(',')
    const duration = metrics.http_duration_seconds.labels(method, url)
    const answered = new Map<number, { inc(): void }>()
    const observe: onResponseHookHandler = (request, reply, done) => {
      const status = reply.statusCode
      let counter = answered.get(status)
      if (counter === undefined) {
        counter = metrics.http_requests.labels(method, url, String(status))
        answered.set(status, counter)
      }
      counter.inc()
      const ms = reply.elapsedTime
      duration.observe(ms / 1000)
      if (log.isLevelEnabled('debug'))
        log.debug(
          { method, route: url, status, ms: Math.round(ms), partner: request.caller?.partner.id },
          'request',
        )
      done()
    }
    route.onResponse = [observe, ...[route.onResponse ?? []].flat()]
  })
}
