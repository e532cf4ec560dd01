/** What the transport answers by itself, over real sockets; behind it are stand-ins that give what each case needs. */
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import type { IncomingHttpHeaders } from 'node:http2'
import { connect } from 'node:net'
import { Client, credentials, Metadata, status as Status } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { pino } from 'pino'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createGrpcServer } from '../../src/grpc/server.ts'
import type { GrpcDeps } from '../../src/grpc/server.ts'
import { DomainError } from '../../src/kernel/domain-error.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { createGrpcClient } from '../support/grpc-client.ts'
import { CALLER } from '../support/order-sample.ts'
import { waitUntil } from '../support/wait.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

/** The headers of a call of Tags without a library. */
const TAGS_CALL = {
  ':method': 'POST',
  ':path': '/v3.Simple/Tags',
  'content-type': 'application/grpc',
  te: 'trailers',
  authorization: 'key good',
}

const unused = () => Promise.reject(new Error('not of this test'))

async function start(changes: Partial<GrpcDeps> = {}) {
  const lines: string[] = []
  const keys: (string | undefined)[] = []
  const metrics = createMetrics()
  const server = createGrpcServer({
    log: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    metrics,
    isReady: async () => true,
    authenticate: async (header) => {
      keys.push(header)
      if (header === undefined) throw new DomainError('key_missing')
      if (header === 'key orders-only') return { ...CALLER, permissions: ['orders'] }
      if (!header.startsWith('key good')) throw new DomainError('key_bad')
      return { ...CALLER, key_id: header }
    },
    rate_limit: 0,
    db: { query: async () => [], execute: unused },
    catalog: { event: async () => undefined, events: async () => [], partner: async () => undefined },
    seating: { of: unused },
    ...changes,
  })
  opened.push(server)
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const address = `127.0.0.1:${port}`
  return {
    port,
    address,
    lines,
    keys,
    metrics,
    close: () => server.close(),
    client: (key?: string, metadata?: Record<string, string>) =>
      createGrpcClient({ address, ...(key === undefined ? {} : { key }), ...(metadata && { metadata }) }),
  }
}

describe('the key', () => {
  test('is needed', async () => {
    const { client } = await start()
    expect(await client().refusal('tags')).toEqual({
      code: Status.UNAUTHENTICATED,
      details: 'the metadata authorization: key <API_KEY> is needed',
    })
  })

  test('that is bad is refused and not repeated', async () => {
    const { client, lines } = await start()
    expect(await client('evil').refusal('tags')).toEqual({ code: Status.UNAUTHENTICATED, details: 'bad key' })
    expect(lines.join('')).not.toContain('evil')
  })

  test('may come bare, as older clients send it', async () => {
    const { client, keys } = await start()
    expect(await client(undefined, { authorization: 'good-bare' }).list('tags')).toEqual([])
    expect(keys).toEqual(['key good-bare'])
  })

  test('needs the permission events', async () => {
    const { client } = await start()
    expect(await client('orders-only').refusal('events')).toEqual({
      code: Status.PERMISSION_DENIED,
      details: 'the key lacks the permission events',
    })
  })
})

describe('limits of a key', () => {
  test('calls a second', async () => {
    const { client } = await start({ rate_limit: 2 })
    const [one, other] = [client('good-one'), client('good-other')]
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => one.list('tags').catch((error: ServiceError) => error)),
    )
    const refused = outcomes.filter((outcome) => !Array.isArray(outcome))
    // The calls may have come in two of the clock's seconds.
    expect(refused.length).toBeGreaterThanOrEqual(16)
    expect(refused[0]).toMatchObject({
      code: Status.RESOURCE_EXHAUSTED,
      details: 'more than 2 calls in a second',
    })
    expect(await other.list('tags')).toEqual([])
  })

  test('open calls, which count until they end', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const query = async () => {
      await held
      return []
    }
    const { client, keys } = await start({ db: { query, execute: unused } })
    const caller = client('good')
    const calls = Array.from({ length: 100 }, () => caller.list('tags'))
    await waitUntil(() => keys.length === 100)
    expect(await client('good').refusal('tags')).toEqual({
      code: Status.RESOURCE_EXHAUSTED,
      details: 'more than 100 calls of the key are open',
    })
    release()
    expect((await Promise.all(calls)).flat()).toEqual([])
    expect(await client('good').list('tags')).toEqual([])
  })
})

describe('answers that are not read', () => {
  test('are of open calls, until the caller goes', async () => {
    const query = async () => [{ label: 'jazz' }]
    const { address, client, metrics } = await start({ db: { query, execute: unused } as GrpcDeps['db'] })
    const session = connectHttp2(`http://${address}`, { settings: { initialWindowSize: 0 } })
    for (let count = 0; count < 100; count++) session.request(TAGS_CALL).end(Buffer.alloc(5))
    await waitUntil(async () =>
      (await metrics.registry.getSingleMetricAsString('parterre_grpc_calls_total')).includes(
        'code="OK"} 100',
      ),
    )
    expect((await client('good').refusal('tags')).details).toBe('more than 100 calls of the key are open')
    session.destroy()
    await waitUntil(() =>
      client('good')
        .list('tags')
        .catch(() => undefined),
    )
  })
})

describe('a store that fails', () => {
  const failing = (failure: Error): Partial<GrpcDeps> => ({
    db: { query: () => Promise.reject(failure), execute: unused },
  })
  const away = Object.assign(new Error('terminating connection'), { code: '57P01' })

  test('because it is away is UNAVAILABLE', async () => {
    const { client, lines } = await start(failing(away))
    expect(await client('good').refusal('tags')).toEqual({
      code: Status.UNAVAILABLE,
      details: 'the store is away, try again',
    })
    expect(lines.join('')).toContain('the store is away')
  })

  test('for another reason is INTERNAL, which tells the caller nothing and the log everything', async () => {
    const { client, lines, metrics } = await start(failing(new Error('column "secret" does not exist')))
    expect(await client('good').refusal('tags')).toEqual({ code: Status.INTERNAL, details: 'internal error' })
    expect(lines.join('')).toContain('secret')
    expect(await metrics.registry.getSingleMetricAsString('parterre_grpc_calls_total')).toContain(
      'parterre_grpc_calls_total{method="Tags",code="INTERNAL"} 1',
    )
  })
})

describe('what is no call', () => {
  /** What a call with these bytes as its request is refused for. */
  async function refusalOf(address: string, method: string, bytes: Buffer) {
    const client = new Client(address, credentials.createInsecure())
    onTestFinished(() => client.close())
    const metadata = new Metadata()
    metadata.set('authorization', 'key good')
    const asIs = (message: Buffer) => message
    const call = client.makeServerStreamRequest(method, asIs, asIs, bytes, metadata)
    const outcome = await Array.fromAsync(call).catch((error: ServiceError) => error)
    return Array.isArray(outcome) ? outcome : { code: outcome.code, details: outcome.details }
  }

  test.each([
    [
      'a request that is no message',
      '/v3.Simple/Seats',
      Buffer.from([0xff, 0xff, 0xff]),
      Status.INVALID_ARGUMENT,
    ],
    ['a method that is not there', '/v3.Simple/Nothing', Buffer.alloc(0), Status.UNIMPLEMENTED],
    ['a service that is not there', '/v4.Simple/Seats', Buffer.alloc(0), Status.UNIMPLEMENTED],
    ['a request that is too large', '/v3.Simple/Tags', Buffer.alloc(2_000_000), Status.RESOURCE_EXHAUSTED],
  ])('%s is refused', async (_case, method, bytes, code) => {
    const { address, client } = await start()
    expect(await refusalOf(address, method, bytes)).toMatchObject({ code })
    expect(await client('good').list('tags')).toEqual([])
  })

  test('a request that is no message names what it should be', async () => {
    const { address } = await start()
    const { details } = (await refusalOf(address, '/v3.Simple/Seats', Buffer.from([0xff]))) as ServiceError
    expect(details).toBe('the request is no v3.SeatsRequest')
  })

  const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  test.each([
    ['noise', Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256))],
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['half a preface', PREFACE.subarray(0, 10)],
    ['a frame of 16 MB', Buffer.concat([PREFACE, SETTINGS, Buffer.from([255, 255, 255, 0, 0, 0, 0, 0, 1])])],
    [
      'an unknown frame',
      Buffer.concat([PREFACE, SETTINGS, Buffer.from([0, 0, 3, 200, 0, 0, 0, 0, 0, 1, 2, 3])]),
    ],
    [
      'headers that do not decode',
      Buffer.concat([PREFACE, SETTINGS, Buffer.from([0, 0, 4, 1, 4, 0, 0, 0, 1, 255, 255, 255, 255])]),
    ],
  ])('%s on the port leaves the service well', async (_case, bytes) => {
    const { port, client } = await start()
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.on('error', () => resolve()).on('close', () => resolve())
            socket.on('data', () => resolve())
            socket.write(bytes, () => socket.end(resolve))
          }),
      ),
    )
    expect(await client('good').list('tags')).toEqual([])
    for (const socket of sockets) socket.destroy()
  })
})

describe('callers that go away', () => {
  const CALLS = 10_000

  /** A key with calls left open could not have so many at a time. */
  async function untilNoneIsOpen(caller: ReturnType<typeof createGrpcClient>): Promise<void> {
    await waitUntil(async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => caller.list('tags')))
      return outcomes.every(({ status }) => status === 'fulfilled')
    })
  }

  test('10,000 quick cancels leave the service well and nothing open', async () => {
    const { client, keys, metrics } = await start()
    const caller = client('good')
    await caller.list('tags')
    for (let round = 0; round < CALLS / 100; round++) {
      const calls = Array.from({ length: 100 }, () => caller.open('tags').on('error', () => {}))
      await new Promise((resolve) => setImmediate(resolve))
      for (const call of calls) call.cancel()
    }
    await untilNoneIsOpen(caller)
    // Those that are cancelled before they leave the client are no test of the server.
    expect(keys.length).toBeGreaterThan(CALLS / 2)
    expect(await metrics.registry.getSingleMetricAsString('parterre_grpc_calls_total')).not.toContain(
      'INTERNAL',
    )
  })

  test('10,000 streams reset as they are opened leave the service well and nothing open', async () => {
    const { address, client } = await start()
    for (let connection = 0; connection < CALLS / 1000; connection++) {
      const session = connectHttp2(`http://${address}`)
      // The server may end a connection that does nothing else.
      session.on('error', () => {})
      for (let count = 0; count < 1000 && !session.destroyed; count++) {
        const stream = session.request(TAGS_CALL).on('error', () => {})
        stream.end(Buffer.alloc(5))
        stream.close(constants.NGHTTP2_CANCEL)
        if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      session.destroy()
    }
    await untilNoneIsOpen(client('good'))
  })
})

test('a call whose request does not come is ended after 15 seconds', async () => {
  const { address } = await start()
  const session = connectHttp2(`http://${address}`)
  onTestFinished(() => session.destroy())
  const headers = { ':method': 'POST', ':path': '/v3.Simple/Tags', 'content-type': 'application/grpc' }
  const stream = session.request(headers, { endStream: false })
  const begun_at = performance.now()
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  expect(answer).toMatchObject({ 'grpc-status': String(Status.DEADLINE_EXCEEDED) })
  expect(performance.now() - begun_at).toBeGreaterThan(14_000)
})

describe('closing', () => {
  test('waits for the calls that are open and takes no more', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let queries = 0
    const query = async () => {
      queries++
      await held
      return []
    }
    const { client, close } = await start({ db: { query, execute: unused } })
    const caller = client('good')
    const open = caller.list('tags')
    await waitUntil(() => queries === 1)
    const closed = close()
    const late = await client('good').refusal('tags')
    expect(late.code).toBe(Status.UNAVAILABLE)
    release()
    expect(await open).toEqual([])
    await closed
  })
})
