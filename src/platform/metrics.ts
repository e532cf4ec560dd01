import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

export type Metrics = ReturnType<typeof createMetrics>

/**
 * What a process tells Prometheus about itself, in a registry of its own; with it go prom-client's process metrics, the lag
 * of the event loop among them.
 */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    http_requests: new Counter({
      name: 'parterre_http_requests_total',
      help: 'HTTP requests answered, by route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    http_duration_seconds: new Histogram({
      name: 'parterre_http_request_duration_seconds',
      help: 'Seconds from the headers of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: SECONDS,
      registers,
    }),
    grpc_calls: new Counter({
      name: 'parterre_grpc_calls_total',
      help: 'Calls of the listing service that ended, by method and status.',
      labelNames: ['method', 'code'],
      registers,
    }),
    grpc_duration_seconds: new Histogram({
      name: 'parterre_grpc_call_duration_seconds',
      help: 'Seconds from the begin of a call to the end of its answer, which is read as fast as the caller likes.',
      labelNames: ['method'],
      buckets: SECONDS,
      registers,
    }),
    desk_batches: new Counter({
      name: 'parterre_desk_batches_total',
      help: 'Batches of the desk, by mode: optimistic (written without asking first), asking, refused (optimistic, run again asking), lapsing (ends of unpaid orders).',
      labelNames: ['mode'],
      registers,
    }),
    desk_batch_size: new Histogram({
      name: 'parterre_desk_batch_size',
      help: 'Order requests in a batch of the desk.',
      buckets: BATCH_SIZES,
      registers,
    }),
    desk_wait_seconds: new Histogram({
      name: 'parterre_desk_wait_seconds',
      help: 'Seconds an order request waited for its batch to begin.',
      buckets: SECONDS,
      registers,
    }),
    holds: new Counter({
      name: 'parterre_holds_total',
      help: 'Tickets taken into a hold.',
      registers,
    }),
    sales: new Counter({
      name: 'parterre_sales_total',
      help: 'Tickets sold.',
      registers,
    }),
    orders_ended: new Counter({
      name: 'parterre_orders_total',
      help: 'Orders that ended, by how: done, cancelled, expired.',
      labelNames: ['result'],
      registers,
    }),
  }
}
