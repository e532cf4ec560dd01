import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { trackHandshakes } from '../platform/handshakes.ts'
import { HANDSHAKE_LIMIT_MS, secureContextOf } from '../platform/tls.ts'
import type { Tls } from '../platform/tls.ts'

export type Listeners = {
  /** On every address of the host; answers the port. Throws what is wrong when none can be listened on. */
  listen(address: { host: string; port: number }): Promise<number>
  /** Connections made from now on get this certificate; for listeners that were made with one. */
  renewTls(tls: Tls): void
  /** Takes no more connections. Resolves when none is left. */
  stop(): Promise<void>
  /** The same, and ends those that are not encrypted yet. */
  close(): Promise<void>
  /** Ends all connections. */
  destroy(): void
}

/**
 * Where the connections of the gRPC server come from. Its library can listen too, but then nobody has hold of a connection over
 * which no handshake comes. `take` gets each one that is ready for HTTP/2, decrypted.
 */
export function createListeners(tls: Tls | undefined, take: (socket: Socket) => void): Listeners {
  const servers: Listener[] = []
  const open = new Set<Socket>()

  async function listenOn(host: string, port: number): Promise<number> {
    const listener = tls ? createTlsListener(tls, take) : createPlainListener(take)
    const { server } = listener
    server.on('connection', (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
    server.listen(port, host)
    await once(server, 'listening')
    servers.push(listener)
    return (server.address() as AddressInfo).port
  }

  async function stop(): Promise<void> {
    await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  }

  return {
    async listen({ host, port }) {
      let bound = port
      let failure: unknown
      for (const { address } of await lookup(host, { all: true })) {
        try {
          bound = await listenOn(address, bound)
        } catch (error) {
          failure ??= error
        }
      }
      // `localhost` may name an address that this machine has not.
      if (servers.length === 0) throw failure
      return bound
    },
    renewTls(next) {
      for (const { renew } of servers) renew?.(next)
    },
    stop,
    async close() {
      const stopped = stop()
      // One that were encrypted after this would be taken by a server that has told its connections to end.
      for (const { endHandshakes } of servers) endHandshakes?.()
      await stopped
    },
    destroy() {
      for (const socket of open) socket.destroy()
    },
  }
}

type Listener = { server: Server; renew?: (tls: Tls) => void; endHandshakes?: () => void }

function createPlainListener(take: (socket: Socket) => void): Listener {
  return { server: createServer(take) }
}

function createTlsListener(tls: Tls, take: (socket: Socket) => void): Listener {
  const options = { ALPNProtocols: ['h2'], handshakeTimeout: HANDSHAKE_LIMIT_MS }
  const server: TlsServer = createTlsServer({ ...secureContextOf(tls), ...options }, (socket) => {
    // HTTP/2 leaves these to whoever made the socket, and a connection that breaks harms nobody.
    socket.on('error', () => {})
    take(socket)
  })
  const handshakes = trackHandshakes(server)
  return {
    server,
    renew: (next) => server.setSecureContext(secureContextOf(next)),
    endHandshakes: () => handshakes.end(),
  }
}
