import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, onTestFinished } from 'vitest'

export type Received = { path: string; headers: IncomingHttpHeaders; body: string }

export type Receiver = {
  url: string
  /** What came, in its order, to a path or to all of them. */
  received(path?: string): Received[]
}

/**
 * A receiver of webhooks on this machine, closed at the end of the test or file. Each request is answered by what `answer`
 * gives for it: a status, or a function that answers itself.
 */
export async function startReceiver(
  answer: (request: Received) => number | RequestListener,
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const one = { path: request.url ?? '', headers: request.headers, body: await text(request) }
      received.push(one)
      const answered = answer(one)
      if (typeof answered === 'number') response.writeHead(answered).end()
      else answered(request, response)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  try {
    onTestFinished(close)
  } catch {
    afterAll(close)
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received: (path) => received.filter((one) => path === undefined || one.path === path),
  }
}
