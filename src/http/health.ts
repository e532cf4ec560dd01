import { DomainError } from '../kernel/domain-error.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { AppInstance } from './app.ts'
import type { HttpErrorCode } from './errors.ts'

export type HealthDeps = {
  metrics: Metrics
  /** Whether the process can serve: its database answers. */
  isReady: () => Promise<boolean>
}

/** For whoever runs the service: whether the process runs, whether it can serve, its metrics. Open to everybody. */
export function registerHealth(app: AppInstance, { metrics, isReady }: HealthDeps): void {
  const schema = { hide: true }
  app.get('/health/live', { schema }, () => ({ status: 'live' }))
  app.get('/health/ready', { schema }, async () => {
    if (!(await isReady())) throw new DomainError<HttpErrorCode>('not_ready')
    return { status: 'ready' }
  })
  app.get('/metrics', { schema }, async (_request, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}
