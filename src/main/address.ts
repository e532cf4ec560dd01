import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { Config } from './config.ts'

/**
 * The port to listen on, and the address of the service on this machine. Answers contain the address, so that port 0 has to
 * be settled before the server listens: the port is one that was free a moment ago.
 */
export async function chooseAddress({
  host,
  port: wanted,
  scheme,
}: Pick<Config, 'host' | 'port'> & { scheme: 'http' | 'https' }): Promise<{ port: number; url: string }> {
  const port = wanted === 0 ? await findFreePort(host) : wanted
  return { port, url: `${scheme}://${hostToReach(host)}:${port}` }
}

async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** An address that means all of the machine's is reached at the loopback one. */
export function hostToReach(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
