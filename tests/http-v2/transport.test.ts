/** What the transport answers by itself, over real sockets; behind it are stand-ins that give what each case needs. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttpServer, type HttpDeps } from '../../src/http/server.ts'
import { DomainError } from '../../src/kernel/domain-error.ts'
import { orderError } from '../../src/orders/order-errors.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { createClient } from '../support/client.ts'
import { CALLER, EVENT, ORDER, RESULT, SETS } from '../support/order-sample.ts'
import { sendRaw } from '../support/raw-http.ts'

const ORDERS = '/v2/resources/orders'
const UNKNOWN = '6920a1f00007c3a5e10000ff'
const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((app) => app.close()))
})

const unused = () => Promise.reject(new Error('not of this test'))

async function start(changes: Partial<HttpDeps> = {}) {
  const lines: string[] = []
  const commands: unknown[] = []
  const deps: HttpDeps = {
    log: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    metrics: createMetrics(),
    isReady: async () => true,
    isStopping: () => false,
    authenticate: async (header) => {
      if (header === undefined) throw new DomainError('key_missing')
      if (header === 'key events-only') return { ...CALLER, permissions: ['events'] }
      if (!header.startsWith('key good')) throw new DomainError('key_bad')
      return { ...CALLER, key_id: header }
    },
    rate_limit: 0,
    public_url: 'http://127.0.0.1:8080',
    version: '0.0.0',
    db: {
      target: { connectionString: '' },
      quick: { query: async () => [], execute: async () => 0 },
      query: async () => [],
      execute: async () => 0,
      transaction: unused,
      longTransaction: unused,
      connect: unused,
      close: unused,
    },
    catalog: {
      event: async (id) => (id === EVENT.id ? EVENT : undefined),
      events: async () => [],
      partner: async () => undefined,
    },
    seating: { of: unused },
    desk: {
      submit: async (command) => {
        commands.push(command)
        return RESULT
      },
    },
    findEventOfTicket: async (ticket) => (ticket === UNKNOWN ? undefined : EVENT.id),
    listOrders: async () => ({ results: [], total_count: 0 }),
    createRefundRequest: unused,
    changeRefundRequest: unused,
    listRefundRequests: unused,
    getOrder: async (_caller, id) => {
      if (id !== ORDER.id) throw orderError('order_not_found')
      return RESULT
    },
    partnerName: async () => 'Another',
    ...changes,
  }
  const app = await createHttpServer(deps)
  opened.push(app)
  const base_url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(base_url)
  return { app, lines, commands, port: Number(port), base_url, client: createClient(base_url, 'good') }
}

/** A whole request as bytes; the length of the body is added. */
function raw(
  method: string,
  path: string,
  { headers = [], body = '' }: { headers?: string[]; body?: string | Buffer } = {},
) {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Authorization: key good',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}

const JSON_TYPE = 'Content-Type: application/json'

describe('the order routes', () => {
  test('hand the desk what the body asks for, and answer what it gives', async () => {
    const { client, commands } = await start()
    const random = { [SETS[0]!.id]: 2 }
    const created = await client.createOrder({ event: EVENT.id, random, all_or_nothing: true, unknown: 1 })
    expect(created.status).toBe(200)
    expect(created.body.data.id).toBe(ORDER.id)
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(created.headers.get('cache-control')).toBe('no-store')
    expect(created.headers.get('x-content-type-options')).toBe('nosniff')
    await client.changeOrder(ORDER.id, { status: 'done' })
    const caller = { ...CALLER, key_id: 'key good' }
    expect(commands).toEqual([
      { kind: 'create', caller, event: EVENT, random, all_or_nothing: true, faults: [] },
      { kind: 'change', caller, order: ORDER.id, status: 'done', faults: [] },
    ])
    expect((await client.getOrder(ORDER.id)).body).toEqual(created.body)
  })

  test('take a trailing slash, a charset, and text in pieces', async () => {
    const { port, commands } = await start()
    const headers = ['Content-Type: Application/JSON ; charset="UTF-8"']
    const slash = raw('POST', `${ORDERS}/`, { headers, body: JSON.stringify({ event: EVENT.id }) })
    expect(await sendRaw(port, slash)).toMatchObject({ status: 200 })
    const chunked =
      `POST ${ORDERS} HTTP/1.1\r\nHost: x\r\nAuthorization: key good\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n` +
      `a\r\n{"event":"\r\n1a\r\n${EVENT.id}"}\r\n0\r\n\r\n`
    expect(await sendRaw(port, chunked)).toMatchObject({ status: 200 })
    expect(commands).toHaveLength(2)
  })

  test('find the event of the first ticket when none is named', async () => {
    const { client, commands } = await start()
    expect((await client.createOrder({ tickets: [ORDER.tickets[0]!.id] })).status).toBe(200)
    expect(commands).toMatchObject([{ event: { id: EVENT.id } }])
    const unknown = await client.createOrder({ tickets: [UNKNOWN] })
    expect([unknown.status, unknown.body]).toEqual([400, { errors: ['Event not found'] }])
  })

  test('name the vendor of an order that another partner reads', async () => {
    const organizer = { ...CALLER, partner: EVENT.org }
    const { client } = await start({ authenticate: async () => organizer })
    const { refs } = (await client.getOrder(ORDER.id)).body
    expect(refs['partners']![ORDER.vendor]).toEqual({ id: ORDER.vendor, name: 'Another' })
  })
})

describe('bad input', () => {
  const body = JSON.stringify({ event: EVENT.id })
  const cases: [string, Buffer, number, string | RegExp][] = [
    [
      'malformed JSON',
      raw('POST', ORDERS, { headers: [JSON_TYPE], body: '{"event":' }),
      400,
      /^malformed JSON: /,
    ],
    ['an empty body', raw('POST', ORDERS, { headers: [JSON_TYPE] }), 400, 'the body is empty'],
    ['no body at all', raw('PATCH', `${ORDERS}/${ORDER.id}`), 400, 'the body is empty'],
    [
      'a list',
      raw('POST', ORDERS, { headers: [JSON_TYPE], body: '[]' }),
      400,
      'the body must be a JSON object',
    ],
    [
      'bytes that are no UTF-8',
      raw('POST', ORDERS, { headers: [JSON_TYPE], body: Buffer.from([0x7b, 0xff, 0x7d]) }),
      400,
      'the body is not UTF-8',
    ],
    ['no media type', raw('POST', ORDERS, { body }), 415, 'Content-Type must be application/json in UTF-8'],
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'json',
      'application/json; charset=utf-16',
    ].map((type): [string, Buffer, number, string] => [
      type,
      raw('POST', ORDERS, { headers: [`Content-Type: ${type}`], body }),
      415,
      'Content-Type must be application/json in UTF-8',
    ]),
    [
      'a compressed body',
      raw('POST', ORDERS, { headers: [JSON_TYPE, 'Content-Encoding: gzip'], body }),
      415,
      'the body must not be compressed',
    ],
    [
      'more than 1 MiB',
      raw('POST', ORDERS, { headers: [JSON_TYPE], body: `{"a":"${'a'.repeat(1024 * 1024)}"}` }),
      413,
      'the body is larger than 1 MiB',
    ],
    [
      'an unknown path',
      raw('GET', '/v2/resources/tickets?key=secret'),
      404,
      'GET /v2/resources/tickets not found',
    ],
    [
      'a path in other letters',
      raw('GET', '/V2/resources/orders/x'),
      404,
      'GET /V2/resources/orders/x not found',
    ],
    ['the wrong method', raw('DELETE', ORDERS), 404, `DELETE ${ORDERS} not found`],
    [
      'the wrong method with a body',
      raw('PUT', ORDERS, { headers: [JSON_TYPE], body }),
      404,
      `PUT ${ORDERS} not found`,
    ],
    ['OPTIONS', raw('OPTIONS', ORDERS), 404, `OPTIONS ${ORDERS} not found`],
    ['a path that is no URL', raw('GET', '/v2/%zz'), 400, 'the path is not a valid URL'],
    ['an order id of the wrong form', raw('GET', `${ORDERS}/1`), 404, 'Order not found'],
    ['an order id with NUL', raw('GET', `${ORDERS}/%00`), 404, 'Order not found'],
    ['a very long order id', raw('GET', `${ORDERS}/${'0'.repeat(1000)}`), 404, 'Order not found'],
    [
      'an order id of the wrong form in PATCH',
      raw('PATCH', `${ORDERS}/${ORDER.id.toUpperCase()}`, {
        headers: [JSON_TYPE],
        body: '{"status":"done"}',
      }),
      404,
      'Order not found',
    ],
    ['an unknown order', raw('GET', `${ORDERS}/${UNKNOWN}`), 404, 'Order not found'],
    [
      'an expectation that nobody knows',
      raw('POST', ORDERS, { headers: [JSON_TYPE, 'Expect: a miracle'], body }),
      417,
      'the header Expect may only be 100-continue',
    ],
    [
      'two Host headers',
      raw('GET', '/health/live', { headers: ['host: other'] }),
      400,
      'more than one Host header',
    ],
    ['no Host header', Buffer.from('GET /health/live HTTP/1.1\r\n\r\n'), 400, ''],
    ['what is no HTTP', Buffer.from('HELO example.org\r\n\r\n'), 400, 'this is no HTTP request'],
    [
      'two lengths',
      raw('POST', ORDERS, { headers: [JSON_TYPE, 'Content-Length: 1'], body }),
      400,
      'this is no HTTP request',
    ],
    [
      'headers without end',
      Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`),
      431,
      'the headers are too large',
    ],
  ]

  test.each(cases)('%s', async (_name, request, status, text) => {
    const { port, commands, lines } = await start()
    const answer = await sendRaw(port, request)
    expect(answer.status).toBe(status)
    if (text !== '') {
      const errors = [typeof text === 'string' ? text : expect.stringMatching(text)]
      expect(JSON.parse(answer.body)).toEqual({ errors })
    }
    expect(commands).toEqual([])
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  test('all faults of a POST are told at once', async () => {
    const { client, commands } = await start()
    const { status, body: told } = await client.createOrder({ event: 1, tickets: ['x'], all_or_nothing: 1 })
    expect(status).toBe(400)
    expect(told).toEqual({
      errors: [
        'event must be an objectid',
        'tickets[0] must be an objectid',
        'all_or_nothing must be a boolean',
      ],
    })
    expect(commands).toEqual([])
  })

  test("the faults of a PATCH are the desk's to tell, after the state", async () => {
    const { client, commands } = await start()
    await client.changeOrder(ORDER.id, { random: { [SETS[0]!.id]: -1 } })
    expect(commands).toMatchObject([
      { faults: [`random.${SETS[0]!.id} must be an integer from 0 to 1000000`] },
    ])
  })

  test('an unknown event', async () => {
    const { client } = await start()
    const { status, body: told } = await client.createOrder({ event: UNKNOWN })
    expect([status, told]).toEqual([400, { errors: [`Event ${UNKNOWN} not found`] }])
  })
})

describe('keys', () => {
  test.each([
    ['none', undefined, 401, 'the header Authorization: key <API_KEY> is needed'],
    ['a bad one', 'key secret', 403, 'bad key'],
    ['one without the permission', 'key events-only', 403, 'the key lacks the permission orders'],
  ])('%s', async (_name, authorization, status, text) => {
    const { base_url, lines } = await start()
    const answer = await createClient(base_url).send('POST', ORDERS, {
      // Not read: who may not order is not told what is wrong with the order.
      body: '{',
      headers: authorization === undefined ? {} : { authorization },
    })
    expect([answer.status, answer.body]).toEqual([status, { errors: [text] }])
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'key' : null)
    expect(lines.join('')).not.toContain('secret')
  })

  test('a limit holds for each key by itself, and says how much is left', async () => {
    const { base_url, client } = await start({ rate_limit: 2 })
    const other = createClient(base_url, 'good-too')
    const answers = [
      await client.getOrder(ORDER.id),
      await client.getOrder(UNKNOWN),
      await client.getOrder(ORDER.id),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 429])
    expect(answers[2]!.body).toEqual({ errors: ['more than 2 requests in a second'] })
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0'])
    expect(answers[2]!.headers.get('ratelimit-limit')).toBe('2')
    expect(answers[2]!.headers.get('retry-after')).toBe('1')
    expect((await other.getOrder(ORDER.id)).status).toBe(200)
    expect((await createClient(base_url).get('/health/live')).status).toBe(200)
  })
})

describe("failures that are not the client's", () => {
  const away = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const refused = Object.assign(new AggregateError([], 'connect'), { code: 'ECONNREFUSED' })
  test.each<[string, Error, number, string]>([
    ['the database shuts down', away, 503, 'the store is away, try again'],
    ['the database is not there', refused, 503, 'the store is away, try again'],
    [
      'a connection ends',
      new Error('Connection terminated unexpectedly'),
      503,
      'the store is away, try again',
    ],
    [
      'no connection is to be had',
      new Error('timeout exceeded when trying to connect'),
      503,
      'the store is away, try again',
    ],
    ['the desk is full', orderError('desk_full'), 503, 'too many requests are waiting, try again'],
    ['a bug', new TypeError('secret is undefined'), 500, 'internal error'],
    ['a constraint', Object.assign(new Error('secret'), { code: '23514' }), 500, 'internal error'],
  ])('%s', async (_name, error, status, text) => {
    const submit = () => Promise.reject(error)
    const { client, lines } = await start({ desk: { submit } })
    const answer = await client.changeOrder(ORDER.id, { status: 'done' })
    expect([answer.status, answer.body]).toEqual([status, { errors: [text] }])
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
    const logged = lines
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter(({ level }) => level === 40 || level === 50)
    const about = {
      method: 'PATCH',
      route: `${ORDERS}/:id`,
      request_id: answer.headers.get('x-request-id'),
    }
    const line = {
      500: { ...about, level: 50, err: expect.objectContaining({ message: error.message }) },
      503: { ...about, level: 40, reason: String(error) },
    }[status]
    expect(logged).toEqual(error instanceof DomainError ? [] : [expect.objectContaining(line)])
  })
})

test('every request is one line at debug, without path, query, body or key', async () => {
  const { client, lines } = await start()
  await client.get(`${ORDERS}/${ORDER.id}?email=a@example.org`)
  await expect.poll(() => lines.length).toBe(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    method: 'GET',
    route: `${ORDERS}/:id`,
    status: 200,
    ms: expect.any(Number),
    partner: CALLER.partner.id,
  })
  expect(lines[0]).not.toMatch(/good|example|6920b000/)
})

test('health says that the process lives, and whether it can serve', async () => {
  let is_ready = true
  const { client, base_url } = await start({ isReady: async () => is_ready })
  expect((await client.get('/health/live')).body).toEqual({ status: 'live' })
  expect((await client.get('/health/ready')).body).toEqual({ status: 'ready' })
  expect((await fetch(`${base_url}/health/ready`, { method: 'HEAD' })).status).toBe(200)
  is_ready = false
  expect((await createClient(base_url).get('/health/live')).status).toBe(200)
  const { status, body, headers } = await createClient(base_url).get('/health/ready')
  expect([status, body, headers.get('retry-after')]).toEqual([503, { errors: ['not ready'] }, '1'])
})

test('metrics count requests by route and status', async () => {
  const { client, base_url } = await start()
  await client.getOrder(ORDER.id)
  await client.getOrder(ORDER.id)
  await client.getOrder(UNKNOWN)
  await client.get('/nowhere')
  await fetch(`${base_url}/health/live`, { method: 'HEAD' })
  const text = String((await client.get('/metrics')).body)
  expect(text).toContain(`parterre_http_requests_total{method="GET",route="${ORDERS}/:id",status="200"} 2`)
  expect(text).toContain(`parterre_http_requests_total{method="GET",route="${ORDERS}/:id",status="404"} 1`)
  expect(text).toContain('parterre_http_requests_total{method="any",route="none",status="404"} 1')
  expect(text).toContain('parterre_http_requests_total{method="HEAD",route="/health/live",status="200"} 1')
  expect(text).toContain(`parterre_http_request_duration_seconds_count{method="GET",route="${ORDERS}/:id"} 3`)
  for (const name of ['desk_batch_size', 'desk_wait_seconds', 'holds_total', 'sales_total', 'orders_total'])
    expect(text).toContain(`# TYPE parterre_${name} `)
  expect(text).toContain('nodejs_eventloop_lag_seconds')
})

test('the OpenAPI document is valid and describes the order routes; a page shows it', async () => {
  const { base_url } = await start()
  const anyone = createClient(base_url)
  const document = (await anyone.get<Record<string, Record<string, object>>>('/openapi.json')).body
  expect(document['openapi']).toBe('3.1.0')
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  expect(Object.keys(document['paths']![ORDERS]!).toSorted()).toEqual(['get', 'post'])
  expect(Object.keys(document['paths']![`${ORDERS}/{id}`]!).toSorted()).toEqual(['get', 'patch'])
  const page = await anyone.get('/docs')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
  expect((await anyone.get('/docs/static/swagger-initializer.js')).body).toContain('/openapi.json')
})

test('closing waits for the requests in flight', async () => {
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const submit = async () => {
    started.resolve()
    await finish.promise
    return RESULT
  }
  const { app, client } = await start({ desk: { submit } })
  const answer = client.changeOrder(ORDER.id, { status: 'done' })
  await started.promise
  const closed = app.close()
  finish.resolve()
  expect((await answer).status).toBe(200)
  await closed
})
