/**
 * HTTP/1.1 over one kept-alive connection, one request at a time, with nothing that a simulated buyer does not need: the load
 * shares the machine with what it measures. Every answer must carry Content-Length, as the service's do.
 */
import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'

export type Encoding = 'identity' | 'gzip'

/** `body` is as it was sent, and empty when the answer was skimmed. `bytes` is its length. */
export type Answer = { status: number; encoding: Encoding; bytes: number; body: Buffer }

export type Client = {
  /** `body` is JSON text. Throws when the connection ends before the answer. */
  send(method: string, path: string, body?: string): Promise<Answer>
  /** GETs, accepting the encoding (identity when none is named) and no other. */
  get(path: string, encoding?: Encoding): Promise<Answer>
  /** The same, throwing the body away as it comes: a list of some megabytes must not cost more to read than to make. */
  skim(path: string, encoding?: Encoding): Promise<Answer>
  close(): void
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const CONTENT_GZIP = /\r\ncontent-encoding: *gzip/i
const NOTHING = Buffer.alloc(0)
/** What is read is copied or forgotten before the next read of any connection. */
const READ_BUFFER = Buffer.alloc(256 * 1024)

/** `url` is the base address of the service, `key` the API key that every request carries. */
export async function connect({ url, key }: { url: string; key: string }): Promise<Client> {
  const { protocol, hostname, host, port } = new URL(url)
  if (protocol !== 'http:') throw new Error(`the bench speaks plain HTTP, not ${protocol}`)
  const socket = connectSocket({
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: Number(port || 80),
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback(length) {
        receive(READ_BUFFER.subarray(0, length))
        return true
      },
    },
  })
  await once(socket, 'connect')
  const headers = `Host: ${host}\r\nAuthorization: key ${key}\r\n`
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  let is_skimmed = false
  let head = NOTHING
  let status = 0
  let encoding: Encoding = 'identity'
  let bytes = 0
  /** Of the body, while it is being received. */
  let missing: number | undefined
  let parts: Buffer[] = []

  socket.on('error', (error) => settle()?.reject(error))
  socket.on('close', () => settle()?.reject(closed()))

  function receive(chunk: Buffer): void {
    if (missing !== undefined) return receiveBody(chunk, missing)
    const received = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    const end = received.indexOf(HEAD_END)
    if (end === -1) {
      head = Buffer.from(received)
      return
    }
    head = NOTHING
    const lines = received.toString('latin1', 0, end)
    const length = CONTENT_LENGTH.exec(lines)?.[1]
    if (length === undefined) {
      socket.destroy(new Error('an answer without Content-Length'))
      return
    }
    status = Number(lines.slice(9, 12))
    encoding = CONTENT_GZIP.test(lines) ? 'gzip' : 'identity'
    bytes = Number(length)
    receiveBody(received.subarray(end + HEAD_END.length), bytes)
  }

  function receiveBody(chunk: Buffer, expected: number): void {
    missing = expected - chunk.length
    if (!is_skimmed) parts.push(Buffer.from(chunk))
    if (missing > 0) return
    const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    missing = undefined
    parts = []
    settle()?.resolve({ status, encoding, bytes, body })
  }

  function settle() {
    const settled = waiting
    waiting = undefined
    return settled
  }

  function request(text: string, options: { skim: boolean }): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(closed())
      waiting = { resolve, reject }
      is_skimmed = options.skim
      socket.write(text)
    })
  }

  const getting = (path: string, accepted: Encoding) =>
    `GET ${path} HTTP/1.1\r\n${headers}Accept-Encoding: ${accepted}\r\n\r\n`

  return {
    send(method, path, body) {
      const content =
        body === undefined
          ? '\r\n'
          : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      return request(`${method} ${path} HTTP/1.1\r\n${headers}${content}`, { skim: false })
    },
    get: (path, accepted = 'identity') => request(getting(path, accepted), { skim: false }),
    skim: (path, accepted = 'identity') => request(getting(path, accepted), { skim: true }),
    close: () => void socket.destroy(),
  }
}

function closed(): Error {
  return new Error('the connection was closed')
}
