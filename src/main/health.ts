/** The port of a process without the part `api`: its health and its metrics, for whoever runs it. */
import { createHealthServer } from '../http/health-server.ts'
import type { Db } from '../platform/db/db.ts'
import type { Metrics } from '../platform/metrics.ts'
import { chooseAddress } from './address.ts'
import { answers } from './answers.ts'
import type { Config } from './config.ts'
import { UserError } from './user-error.ts'

type HealthOptions = { config: Config; db: Db; metrics: Metrics }

/** Ready to listen, in the clear. Throws UserError from `listen`, which answers the address, when the port cannot be listened on. */
export async function createHealth({ config, db, metrics }: HealthOptions) {
  const { host } = config
  let is_stopping = false
  const isReady = async () => !is_stopping && (await answers(db.quick))
  const app = await createHealthServer({ metrics, isReady })
  return {
    async listen(): Promise<string> {
      const { port, url } = await chooseAddress({ host, port: config.jobs_port, scheme: 'http' })
      await app.listen({ host, port }).catch((cause: Error) => {
        throw new UserError(`cannot listen on HOST and JOBS_PORT: ${cause.message}`, { cause })
      })
      return url
    },
    withdraw(): void {
      is_stopping = true
    },
    close: () => app.close(),
  }
}
