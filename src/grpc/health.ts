/** Health checking (https://github.com/grpc/grpc/blob/master/doc/health-checking.md), for load balancers: needs no key. */
import { create } from '@bufbuild/protobuf'
import { status as Status } from '@grpc/grpc-js'
import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
} from './generated/grpc/health_pb.js'
import type {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthListResponse,
} from './generated/grpc/health_pb.js'

/** How soon a watcher is told. */
const WATCH_INTERVAL_MS = 1000

export type HealthOptions = {
  /** Whether requests can be served at this moment. */
  isReady: () => Promise<boolean>
  /** Names of the services whose health is known; all are as healthy as the process, whose name is ''. */
  services: readonly string[]
}

export function createHealth({ isReady, services }: HealthOptions) {
  const names = new Set(['', ...services])
  const watchers = new Set<() => void>()
  let looking: Promise<boolean> | undefined

  /** Nobody needs a key to ask, so all who ask at once share a look. */
  async function statusNow(): Promise<HealthCheckResponse> {
    looking ??= isReady().finally(() => (looking = undefined))
    const status = (await looking) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING
    return create(HealthCheckResponseSchema, { status })
  }

  async function check(
    { request }: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
    answer: sendUnaryData<HealthCheckResponse>,
  ): Promise<void> {
    if (names.has(request.service)) answer(null, await statusNow())
    else answer({ code: Status.NOT_FOUND, details: 'unknown service' })
  }

  async function list(
    _call: ServerUnaryCall<unknown, HealthListResponse>,
    answer: sendUnaryData<HealthListResponse>,
  ): Promise<void> {
    const status = await statusNow()
    const statuses = Object.fromEntries([...names].map((name) => [name, status]))
    answer(null, create(HealthListResponseSchema, { statuses }))
  }

  /** The status now and each time it has changed, until the caller cancels or the server closes. */
  function watch(call: ServerWritableStream<HealthCheckRequest, HealthCheckResponse>): void {
    let told: ServingStatus | undefined
    const tell = async () => {
      const response = names.has(call.request.service)
        ? await statusNow()
        : create(HealthCheckResponseSchema, { status: ServingStatus.SERVICE_UNKNOWN })
      // One that does not read is told the latest when it reads again.
      if (response.status === told || call.writableLength > 0 || call.cancelled || call.writableEnded) return
      told = response.status
      call.write(response)
    }
    const timer = setInterval(() => void tell(), WATCH_INTERVAL_MS)
    const end = () => {
      clearInterval(timer)
      watchers.delete(end)
      call.end()
    }
    watchers.add(end)
    call.once('cancelled', end)
    void tell()
  }

  return {
    check,
    list,
    watch,
    /** Ends the watches, when the server closes. */
    endWatches(): void {
      for (const end of watchers) end()
    },
  }
}
