import Fastify from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { AppInstance } from './app.ts'
import { refusalOf, refuse } from './errors.ts'
import { registerHealth, type HealthDeps } from './health.ts'
import { notFound } from './not-found.ts'

/** What a process without the API answers: its health and its metrics. Ready to listen; closing it ends its connections. */
export async function createHealthServer(deps: HealthDeps): Promise<AppInstance> {
  const app: AppInstance = Fastify({
    logger: false,
    forceCloseConnections: true,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler((error, _request, reply) => refuse(reply, refusalOf(error)))
  app.setNotFoundHandler((request, reply) => refuse(reply, refusalOf(notFound(request))))
  registerHealth(app, deps)
  await app.ready()
  return app
}
