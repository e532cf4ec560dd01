import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerHttp2Stream } from 'node:http2'
import { create } from '@bufbuild/protobuf'
import type { DescMessage, DescService } from '@bufbuild/protobuf'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { sendUnaryData, ServerDuplexStream } from '@grpc/grpc-js'
import type { Tls } from '../platform/tls.ts'
import { addService, messagesOf, WIRE } from './add-service.ts'
import { createCallRunner } from './call-runner.ts'
import type { CallRunnerDeps } from './call-runner.ts'
import { endSilentCalls } from './end-silent-calls.ts'
import { Health } from './generated/grpc/health_pb.js'
import { ServerReflection as ReflectionV1 } from './generated/grpc/reflection_v1_pb.js'
import type { ServerReflectionRequest, ServerReflectionResponse } from './generated/grpc/reflection_v1_pb.js'
import { ServerReflection as ReflectionV1Alpha } from './generated/grpc/reflection_v1alpha_pb.js'
import { Simple as SimpleV3 } from './generated/service_pb.js'
import { Simple as SimpleV1 } from './generated/v1_pb.js'
import { HealtzResponseSchema, Simple as SimpleV2 } from './generated/v2_pb.js'
import type { HealtzResponse } from './generated/v2_pb.js'
import { createHealth } from './health.ts'
import type { Listing, ListingDeps } from './listing.ts'
import { createListeners } from './listeners.ts'
import { createListings } from './listings.ts'
import type { Listings } from './listings.ts'
import { createReflect } from './reflection.ts'
import { sendBatches } from './send-batches.ts'
import type { Stream } from './write-batches.ts'

/** The listing service and the names that older clients call it by. */
const SIMPLES: readonly DescService[] = [SimpleV3, SimpleV2, SimpleV1]

/** A request lists ids at most; 10,000 of them are a quarter of this. */
const REQUEST_MAX_BYTES = 1024 * 1024
/** Of one connection. */
const CONCURRENT_CALLS_MAX = 100
/** A connection over which nothing comes is asked whether it is still there, and closed when it does not answer. */
const KEEPALIVE = { 'grpc.keepalive_time_ms': 60_000, 'grpc.keepalive_timeout_ms': 20_000 }
/** What Node tells of each stream of HTTP/2 that a client has opened. */
const CALL_BEGINS = 'http2.server.stream.start'
/** Longer than a hall takes to be read; whoever is not done then calls again. */
const DRAIN_LIMIT_MS = 20_000

export type GrpcDeps = CallRunnerDeps &
  ListingDeps & {
    /** Whether requests can be served at this moment; false while the service stops. */
    isReady: () => Promise<boolean>
    /** With it TLS is spoken alone. */
    tls?: Tls | undefined
  }

export type GrpcServer = {
  /** Answers the port. */
  listen(address: { host: string; port: number }): Promise<number>
  /** Connections made from now on get this certificate; for a server that was made with one. */
  renewTls(tls: Tls): void
  /** Takes no new connections, and ends each open one with its next call. Resolves when none is left. */
  stopListening(): Promise<void>
  /** Takes no new connections and calls, and waits for those that are open, 20 seconds at most. */
  close(): Promise<void>
}

/** The gRPC server: the listing service under its three names, health, reflection. */
export function createGrpcServer(deps: GrpcDeps): GrpcServer {
  const { isReady, tls } = deps
  const server = new Server({
    ...KEEPALIVE,
    'grpc.max_receive_message_length': REQUEST_MAX_BYTES,
    'grpc.max_concurrent_streams': CONCURRENT_CALLS_MAX,
    interceptors: [endSilentCalls, sendBatches],
  })
  const listings = createListings(deps)
  const run = createCallRunner(deps)
  // What it gets is decrypted.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const listeners = createListeners(tls, injector.injectConnection)
  const names = SIMPLES.map(({ typeName }) => typeName)
  const health = createHealth({ isReady, services: names })
  const reflect = createReflect([...SIMPLES, Health, ReflectionV1, ReflectionV1Alpha])
  const reflections = new Set<ReflectionStream>()
  let port: number | undefined

  for (const simple of SIMPLES) {
    const is_older = simple !== SimpleV3
    const handlers = Object.entries(listings).map(([local_name, listing]) => {
      const { name, input } = SimpleV3.method[local_name as keyof Listings]
      const method = { name, request: input, listing: listing as Listing<DescMessage>, is_older }
      return [name, (stream: Stream) => void run(stream, method)] as const
    })
    addService(server, simple, {
      handlers: { ...Object.fromEntries(handlers), Healtz: answerHealtz },
      codecOf: (method) => (method.methodKind === 'unary' ? messagesOf(method) : WIRE),
    })
  }
  addService(server, Health, {
    handlers: { Check: health.check, List: health.list, Watch: health.watch },
    codecOf: messagesOf,
  })
  for (const reflection of [ReflectionV1, ReflectionV1Alpha]) {
    addService(server, reflection, {
      handlers: {
        ServerReflectionInfo(stream: ReflectionStream) {
          reflections.add(stream)
          stream.once('close', () => reflections.delete(stream))
          reflectOn(stream, reflect)
        },
      },
      // Both have the same messages by different names.
      codecOf: () => messagesOf(ReflectionV1.method.serverReflectionInfo),
    })
  }

  /**
   * The client is told to take no more calls to the connection, while it has this one in flight: one that has none may be
   * sending one. The library has no such thing, and the channel is that of every session in the process.
   */
  function endSession(message: unknown): void {
    const { session } = (message as { stream: ServerHttp2Stream }).stream
    if (session && session.socket.localPort === port) session.close()
  }

  return {
    listen: async (address) => (port = await listeners.listen(address)),
    renewTls: listeners.renewTls,
    async stopListening() {
      subscribe(CALL_BEGINS, endSession)
      await listeners.stop()
    },
    async close() {
      // These end when the caller likes, and would keep the server from closing.
      health.endWatches()
      for (const stream of reflections) stream.end()
      const limit = setTimeout(() => {
        server.forceShutdown()
        listeners.destroy()
      }, DRAIN_LIMIT_MS)
      await Promise.all([
        listeners.close(),
        new Promise<void>((resolve) => server.tryShutdown(() => resolve())),
      ])
      clearTimeout(limit)
      unsubscribe(CALL_BEGINS, endSession)
    },
  }
}

type ReflectionStream = ServerDuplexStream<ServerReflectionRequest, ServerReflectionResponse>

/** Answers one by one: a caller that does not read is not read from. */
function reflectOn(stream: ReflectionStream, reflect: ReturnType<typeof createReflect>): void {
  stream.on('data', (request: ServerReflectionRequest) => {
    if (stream.write(reflect(request))) return
    stream.pause()
    stream.once('drain', () => stream.resume())
  })
  stream.once('end', () => stream.end())
}

function answerHealtz(_call: unknown, answer: sendUnaryData<HealtzResponse>): void {
  answer(null, create(HealtzResponseSchema, { status: 'ok' }))
}
