import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll } from 'vitest'

/** A database that can stop answering without a word, as when its machine or the network to it does. */
export type FreezableDatabase = {
  readonly url: string
  /** How many there have been. */
  connections(): number
  /** From now on nothing is passed on, neither to the database nor from it. */
  freeze(): void
  thaw(): void
}

/** A way to the database of `url`, closed after the last test of the file or `describe` it is opened in. */
export async function openFreezable(url: string): Promise<FreezableDatabase> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url })
  const address = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const sockets = new Set<Socket>()
  let is_frozen = false
  let connections = 0
  const server = createServer((near) => {
    connections++
    const far = connect(address)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (is_frozen) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const credentials = [user ?? '', password ?? ''].map(encodeURIComponent).join(':')
  const { port: near_port } = server.address() as AddressInfo
  return {
    url: `postgres://${credentials}@127.0.0.1:${near_port}/${database}`,
    connections: () => connections,
    freeze() {
      is_frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      is_frozen = false
      for (const socket of sockets) socket.resume()
    },
  }
}
