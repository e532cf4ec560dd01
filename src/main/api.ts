/** The part `api`: REST and gRPC, each on its port. */
import assert from 'node:assert/strict'
import type { IncomingMessage, Server as HttpServer } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { Server as NetServer, type Socket } from 'node:net'
import manifest from '../../package.json' with { type: 'json' }
import { createGrpcServer } from '../grpc/server.ts'
import { createHttpServer, renewTls } from '../http/server.ts'
import { createSeating } from '../inventory/seating.ts'
import { placesOfTickets } from '../inventory/tickets.ts'
import { shardOf } from '../kernel/ids.ts'
import { createGetOrder } from '../orders/get-order.ts'
import { createListOrders } from '../orders/list-orders.ts'
import { createAuthenticate } from '../partners/authenticate.ts'
import { trackHandshakes } from '../platform/handshakes.ts'
import type { Tls } from '../platform/tls.ts'
import { createChangeRefundRequest } from '../refunds/change-refund-request.ts'
import { createCreateRefundRequest } from '../refunds/create-refund-request.ts'
import { createListRefundRequests } from '../refunds/list-refund-requests.ts'
import { chooseAddress, hostToReach } from './address.ts'
import { answers } from './answers.ts'
import type { Core, ServicesOptions } from './parts.ts'
import { UserError } from './user-error.ts'

/** Longer than any request takes: what is open then is a client that does not end its request. */
const DRAIN_LIMIT_MS = 20_000
const SWEEP_INTERVAL_MS = 50

/** `base_url` of REST; `grpc_address` is host and port. */
export type Addresses = { base_url: string; grpc_address: string }

/** Both servers, ready to listen. Throws UserError from `listen` when the port of gRPC cannot be listened on. */
export async function createApi({ config, db, log, tls }: ServicesOptions, { metrics, catalog, desk }: Core) {
  const { port, url } = await chooseAddress({ ...config, scheme: tls ? 'https' : 'http' })
  let is_withdrawn = false
  let is_stopping = false
  const isReady = async () => !is_withdrawn && (await answers(db.quick))
  const authenticate = createAuthenticate({ db: db.quick })
  const { rate_limit } = config
  const seating = createSeating({ db })
  const app = await createHttpServer({
    log,
    db,
    metrics,
    isReady,
    isStopping: () => is_stopping,
    authenticate,
    rate_limit,
    public_url: config.public_url?.replace(/\/$/, '') ?? url,
    version: manifest.version,
    tls,
    catalog,
    seating,
    desk,
    getOrder: createGetOrder({ db, catalog }),
    listOrders: createListOrders({ db, catalog }),
    createRefundRequest: createCreateRefundRequest({ db }),
    changeRefundRequest: createChangeRefundRequest({ db }),
    listRefundRequests: createListRefundRequests({ db }),
    partnerName: async (id) => {
      const partner = await catalog.partner(id)
      assert(partner, 'an order has a vendor that is no partner')
      return partner.name
    },
    findEventOfTicket: async (ticket) =>
      (await placesOfTickets(db.quick, [{ shard: shardOf(ticket), id: ticket }])).get(ticket)?.event,
  })
  const grpc = createGrpcServer({
    log,
    db,
    metrics,
    isReady,
    authenticate,
    rate_limit,
    tls,
    catalog,
    seating,
  })

  const silent = trackSilentConnections(app.server)
  const handshakes = app.server instanceof HttpsServer ? trackHandshakes(app.server) : undefined

  async function closeHttp(): Promise<void> {
    // Closing ends the connections that are idle then; those with a request in flight are idle after its answer. One that
    // never sent a request, as a balancer opens them in advance, does not count as idle.
    const sweep = setInterval(() => {
      app.server.closeIdleConnections()
      for (const socket of silent) socket.destroy()
      handshakes?.end()
    }, SWEEP_INTERVAL_MS)
    const limit = setTimeout(() => app.server.closeAllConnections(), DRAIN_LIMIT_MS)
    await app.close()
    clearInterval(sweep)
    clearTimeout(limit)
  }

  return {
    async listen(): Promise<Addresses> {
      const { host, grpc_port } = config
      // First the port that was chosen before, so that one that is free is not given away meanwhile.
      await app.listen({ host, port })
      const bound = await grpc.listen({ host, port: grpc_port }).catch((cause: Error) => {
        throw new UserError(`cannot listen on HOST and GRPC_PORT: ${cause.message}`, { cause })
      })
      return { base_url: url, grpc_address: `${hostToReach(host)}:${bound}` }
    },
    renewTls(next: Tls): void {
      renewTls(app, next)
      grpc.renewTls(next)
    },
    /** Not ready from now on, so that balancers that ask let go; else everything goes on. */
    withdraw(): void {
      is_withdrawn = true
    },
    /** Takes no new connections, and ends each open one with its next answer. Resolves when none is left. */
    async stopListening(): Promise<void> {
      is_withdrawn = true
      is_stopping = true
      // That of HTTP would end the idle connections too, over which a proxy may be sending a request in this moment.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(app.server, resolve))
      await Promise.all([closed, grpc.stopListening()])
    },
    async close(): Promise<void> {
      is_withdrawn = true
      is_stopping = true
      await Promise.all([closeHttp(), grpc.close()])
    },
  }
}

/** The connections over which no request has come yet. */
function trackSilentConnections(server: HttpServer): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  const add = (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  }
  server.on(server instanceof HttpsServer ? 'secureConnection' : 'connection', add)
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return silent
}
