import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import { DomainError } from '../kernel/domain-error.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { HANDSHAKE_LIMIT_MS, secureContextOf } from '../platform/tls.ts'
import type { Tls } from '../platform/tls.ts'
import type { AppInstance } from './app.ts'
import { guardRoutes, type Authenticate } from './authentication.ts'
import { boundBodies } from './bound-bodies.ts'
import { refusalOf, refuse, type HttpErrorCode } from './errors.ts'
import { answerOnce, giveAgain, keepIfAnswer } from './idempotency.ts'
import { registerHealth, type HealthDeps } from './health.ts'
import { observeRequests } from './observe-requests.ts'
import { notFound } from './not-found.ts'
import { describeApi } from './openapi.ts'
import { acceptJson } from './read-json.ts'
import { registerGetMapImage } from './v1/get-map-image.ts'
import { registerListEvents, type ListEventsDeps } from './v1/list-events.ts'
import { registerListTickets, type ListTicketsDeps } from './v1/list-tickets.ts'
import { registerBeginPayment } from './v2/begin-payment.ts'
import { registerChangeOrder, type ChangeOrderDeps } from './v2/change-order.ts'
import { registerChangeRefundRequest, type ChangeRefundRequestDeps } from './v2/change-refund-request.ts'
import { registerCheckPromocode, type CheckPromocodeDeps } from './v2/check-promocode.ts'
import { registerCreateOrder, type CreateOrderDeps } from './v2/create-order.ts'
import { registerCreateRefundRequest, type CreateRefundRequestDeps } from './v2/create-refund-request.ts'
import { registerExportOrders } from './v2/export-orders.ts'
import { registerGetExport } from './v2/get-export.ts'
import { registerFinishPayment } from './v2/finish-payment.ts'
import { registerGetOrder, type GetOrderDeps } from './v2/get-order.ts'
import { registerListOrders, type ListOrdersDeps } from './v2/list-orders.ts'
import { registerListDeliveries } from './v2/list-deliveries.ts'
import { registerListRefundRequests, type ListRefundRequestsDeps } from './v2/list-refund-requests.ts'
import { registerReplayNotification } from './v2/replay-notification.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
const HEADERS_LIMIT_MS = 15_000

/** An idle one takes about 20 KB. Further ones are closed as they come. */
const CONNECTIONS_MAX = 10_000

/** Node takes no more bytes of headers. */
const URL_MAX = 16_384

export type HttpDeps = HealthDeps &
  CreateOrderDeps &
  ChangeOrderDeps &
  GetOrderDeps &
  CheckPromocodeDeps &
  ListOrdersDeps &
  CreateRefundRequestDeps &
  ChangeRefundRequestDeps &
  ListRefundRequestsDeps &
  ListEventsDeps &
  ListTicketsDeps & {
    db: Db
    log: Log
    metrics: Metrics
    authenticate: Authenticate
    /** Whether no new connections are taken any more: each answer then ends its own. */
    isStopping: () => boolean
    /** Requests a second that a key may send; 0 sets no limit. */
    rate_limit: number
    /** Base address that sellers use. */
    public_url: string
    version: string
    /** With it HTTPS is spoken, without it HTTP. */
    tls?: Tls | undefined
  }

/** The HTTP server with all its routes, ready to listen. Closing it waits for the requests in flight. */
export async function createHttpServer(deps: HttpDeps): Promise<AppInstance> {
  const { log, tls } = deps
  const refuseAndLog = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalOf(error)
    if (refusal.status >= 500 && !(error instanceof DomainError)) {
      const { method, routeOptions, id } = request
      const about = { method, route: routeOptions?.url, request_id: id }
      // A store that is away fails every request: a line each, without the trace.
      if (refusal.status === 503) log.warn({ ...about, reason: String(error) }, 'the store is away')
      else log.error({ ...about, err: error }, 'request failed')
      // What the client can quote.
      reply.header('x-request-id', id)
    }
    return refuse(reply, refusal)
  }
  const app: AppInstance = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    http: { headersTimeout: HEADERS_LIMIT_MS },
    ...(tls && {
      https: {
        ...secureContextOf(tls),
        headersTimeout: HEADERS_LIMIT_MS,
        handshakeTimeout: HANDSHAKE_LIMIT_MS,
      },
    }),
    forceCloseConnections: 'idle',
    // Requests that come on open connections while the server closes are answered as ever.
    return503OnClosing: false,
    // An id of the wrong form is told of by its route, however long it is.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: URL_MAX },
    genReqId: createRequestIds(),
    frameworkErrors: (error, request, reply) => void refuseAndLog(error, request, reply),
    clientErrorHandler: refuseBrokenRequest,
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.server.maxConnections = CONNECTIONS_MAX
  app.server.on('checkExpectation', refuseExpectation)
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler<FastifyError>(async (error, request, reply) => {
    try {
      const kept = await keepIfAnswer(deps.db, request, refusalOf(error))
      if (kept !== undefined) return giveAgain(reply, kept)
    } catch (failure) {
      log.warn({ err: failure }, 'an answer could not be kept')
    }
    return refuseAndLog(error, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    deps.metrics.http_requests.inc({ method: 'any', route: 'none', status: 404 })
    return refuseAndLog(notFound(request), request, reply)
  })
  acceptJson(app)
  boundBodies(app, { body_max: BODY_LIMIT_BYTES })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    if (deps.isStopping()) reply.header('connection', 'close')
    done(hasOneHost(request.raw.rawHeaders) ? undefined : new DomainError<HttpErrorCode>('host_ambiguous'))
  })
  observeRequests(app, deps)
  guardRoutes(app, deps.authenticate)
  await describeApi(app, deps)
  registerHealth(app, deps)
  registerGetMapImage(app, deps)
  await app.register(async (api: AppInstance) => {
    if (deps.rate_limit > 0) await limitRate(api, deps.rate_limit)
    answerOnce(api, deps.db.quick)
    registerCreateOrder(api, deps)
    registerChangeOrder(api, deps)
    registerGetOrder(api, deps)
    registerBeginPayment(api, deps)
    registerFinishPayment(api, deps)
    registerCheckPromocode(api, deps)
    registerListOrders(api, deps)
    registerExportOrders(api, deps)
    registerGetExport(api, deps)
    registerCreateRefundRequest(api, deps)
    registerChangeRefundRequest(api, deps)
    registerListRefundRequests(api, deps)
    registerListEvents(api, deps)
    registerListTickets(api, deps)
    registerListDeliveries(api, deps)
    registerReplayNotification(api, deps)
  })
  await app.ready()
  return app
}

/** Connections made from now on get this certificate. For a server that was made with one. */
export function renewTls(app: AppInstance, tls: Tls): void {
  const server = app.server as Server
  server.setSecureContext(secureContextOf(tls))
}

/** Every route registered from here on takes at most `max` requests a second from a key. */
async function limitRate(api: AppInstance, max: number): Promise<void> {
  await api.register(rateLimit, {
    max,
    timeWindow: 1000,
    enableDraftSpec: true,
    keyGenerator: (request) => request.caller.key_id,
    errorResponseBuilder: () => new DomainError<HttpErrorCode>('rate_exceeded', { max }),
  })
}

/** Ids that say nothing, distinct among processes: what a client quotes to find an error in the log. */
function createRequestIds(): () => string {
  const process_part = randomBytes(4).toString('hex')
  let counter = 0
  return () => `${process_part}-${(counter++).toString(36)}`
}

/** Node takes the first of several Host headers; a proxy in front may have taken another. */
function hasOneHost(raw_headers: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < raw_headers.length; index += 2) {
    const name = raw_headers[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts < 2
}

/** Node answers without a body, before any route. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ errors: ['the header Expect may only be 100-continue'] })
  response
    .writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      connection: 'close',
    })
    .end(body)
}

const BROKEN_REQUESTS: Readonly<Record<string, readonly [status: string, text: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request did not come in time'],
}

/** Answers what is no HTTP request, or did not come in time, on the bare socket. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // What is written to a connection that is not encrypted yet would wait for that, and keep it open.
  const is_shaking_hands = 'secureConnecting' in socket && socket.secureConnecting === true
  if (error.code === 'ECONNRESET' || !socket.writable || is_shaking_hands) return void socket.destroy()
  const [status, text] = BROKEN_REQUESTS[error.code ?? ''] ?? ['400 Bad Request', 'this is no HTTP request']
  const body = JSON.stringify({ errors: [text] })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
