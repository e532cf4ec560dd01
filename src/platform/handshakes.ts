import type { Socket } from 'node:net'
import type { Server } from 'node:tls'

/**
 * The connections of a server that are not encrypted yet. A server that closes waits for them, and the client may never begin.
 */
export function trackHandshakes(server: Server): { end(): void } {
  const open = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    open.set(name, socket)
    // Its port may have been used again meanwhile.
    socket.once('close', () => open.get(name) === socket && open.delete(name))
  })
  // The socket of this event is another object for the same connection.
  server.on('secureConnection', (socket) => open.delete(nameOf(socket)))
  return {
    end() {
      for (const socket of open.values()) socket.destroy()
    },
  }
}

function nameOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
