import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestDatabase } from './database.ts'
import { stalledBy } from './stall.ts'

/**
 * Sends the requests (bytes), all with one header `Authorization` that the service has not seen lately, and closes their
 * connections while the key is being asked for, which is then found.
 */
export async function leaveEarly(
  { database, base_url }: { database: TestDatabase; base_url: string },
  requests: readonly string[],
): Promise<void> {
  const { hostname, port } = new URL(base_url)
  const keys: [string, unknown[]] = ['LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE', []]
  await stalledBy(database, keys, async (untilWaiting) => {
    const sockets = requests.map((request) => connect(Number(port), hostname).resume().end(request))
    const closed = sockets.map((socket) => once(socket, 'close'))
    await untilWaiting(1)
    await Promise.all(closed)
  })
}
