/**
 * HTTP/1.1 over one kept-alive connection, one request at a time, with nothing that a simulated buyer does not need: the load
 * shares the machine with what it measures. Every answer must carry Content-Length, as the service's do.
 */
import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'

/** `body` holds UTF-8. */
export type Answer = { status: number; body: Buffer }

export type Client = {
  /** `body` is JSON text. Throws when the connection ends before the answer. */
  send(method: string, path: string, body?: string): Promise<Answer>
  close(): void
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

/** `url` is the base address of the service, `key` the API key that every request carries. */
export async function connect({ url, key }: { url: string; key: string }): Promise<Client> {
  const { protocol, hostname, host, port } = new URL(url)
  if (protocol !== 'http:') throw new Error(`the bench speaks plain HTTP, not ${protocol}`)
  const socket = connectSocket({
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port || 80),
    noDelay: true,
  })
  await once(socket, 'connect')
  const headers = `Host: ${host}\r\nAuthorization: key ${key}\r\n`
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  let received: Buffer = Buffer.alloc(0)

  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = readAnswer(received)
    if (answer === 'incomplete') return
    received = Buffer.alloc(0)
    if (answer === 'unreadable') socket.destroy(new Error('an answer without Content-Length'))
    else settle()?.resolve(answer)
  })
  socket.on('error', (error) => settle()?.reject(error))
  socket.on('close', () => settle()?.reject(closed()))

  function settle() {
    const settled = waiting
    waiting = undefined
    return settled
  }

  return {
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(closed())
        waiting = { resolve, reject }
        const content =
          body === undefined
            ? '\r\n'
            : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        socket.write(`${method} ${path} HTTP/1.1\r\n${headers}${content}`)
      }),
    close: () => void socket.destroy(),
  }
}

function closed(): Error {
  return new Error('the connection was closed')
}

function readAnswer(received: Buffer): Answer | 'incomplete' | 'unreadable' {
  const head_end = received.indexOf(HEAD_END)
  if (head_end === -1) return 'incomplete'
  const head = received.toString('latin1', 0, head_end)
  const length = CONTENT_LENGTH.exec(head)?.[1]
  if (length === undefined) return 'unreadable'
  const start = head_end + HEAD_END.length
  const end = start + Number(length)
  if (received.length < end) return 'incomplete'
  return { status: Number(head.slice(9, 12)), body: received.subarray(start, end) }
}
