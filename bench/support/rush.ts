/** Many clients at once, each doing the same thing again and again for a time, and what was measured meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Answer, type Client } from './client.ts'
import { sort } from './percentiles.ts'
import type { Target } from './service.ts'
import type { Usage } from './usage.ts'

export type Rush = {
  target: Target
  key: string
  clients: number
  /** Not measured. */
  warmup_s: number
  seconds: number
}

/** One of the clients. */
export type Buyer = {
  /** Sends a request and takes the time of its answer under the name `kind`. */
  send(kind: string, method: string, path: string, body?: string): Promise<Answer>
  completed(): void
  /** Nothing was left to buy. */
  refused(): void
  /** The answer is not what was asked for. */
  failed(kind: string, answer: Answer): void
}

export type Measured = {
  /** What the first purchase took, on a service that has not seen the event before. */
  first_ms: number
  seconds: number
  completed: number
  refused: number
  /** Milliseconds by kind of request. */
  latencies: ReadonlyMap<string, Float64Array>
  /** What went wrong, also before and after the measured time, and how often. */
  errors: ReadonlyMap<string, number>
  usage: Usage | undefined
  /** CPU seconds of the clients. */
  load_cpu_s: number
}

/**
 * Has every client `buy` until the time is over; what is begun then is finished. Before that one client buys alone, so that the
 * others do not wait for what a service learns of an event only once.
 */
export async function rush(options: Rush, buy: (buyer: Buyer) => Promise<void>): Promise<Measured> {
  const { target, key, warmup_s, seconds } = options
  const tally = createTally()
  const clients = await Promise.all(
    Array.from({ length: options.clients }, () => connect({ url: target.base_url, key })),
  )
  const buyers = clients.map((client): Buyer => ({ ...tally, send: timed(client, tally) }))
  try {
    const begun_at = performance.now()
    await buy(buyers[0]!)
    const first_ms = performance.now() - begun_at
    const buying = buyers.map(async (buyer) => {
      while (!tally.is_over()) await buy(buyer)
    })
    const finished = Promise.all(buying)
    await Promise.race([sleep(warmup_s * 1000), finished])
    tally.begin()
    const before = { at: performance.now(), usage: target.usage(), cpu: process.cpuUsage() }
    await Promise.race([sleep(seconds * 1000), finished])
    tally.end()
    const measured_s = (performance.now() - before.at) / 1000
    const { user, system } = process.cpuUsage(before.cpu)
    const usage = difference(target.usage(), before.usage)
    await finished
    return { ...tally.read(), first_ms, seconds: measured_s, usage, load_cpu_s: (user + system) / 1e6 }
  } finally {
    for (const client of clients) client.close()
  }
}

/** What is sent in the measured time counts, also when its answer comes later. */
function timed(client: Client, tally: Tally): Buyer['send'] {
  return async (kind, method, path, body) => {
    const times = tally.timesOf(kind)
    const is_measured = tally.is_measured()
    const sent_at = performance.now()
    const answer = await client.send(method, path, body)
    if (is_measured) times.push(performance.now() - sent_at)
    return answer
  }
}

type Tally = ReturnType<typeof createTally>

function createTally() {
  let phase: 'before' | 'measured' | 'over' = 'before'
  let completed = 0
  let refused = 0
  const latencies = new Map<string, number[]>()
  const errors = new Map<string, number>()
  return {
    begin: () => void (phase = 'measured'),
    end: () => void (phase = 'over'),
    is_measured: () => phase === 'measured',
    is_over: () => phase === 'over',
    timesOf(kind: string): number[] {
      let times = latencies.get(kind)
      if (!times) latencies.set(kind, (times = []))
      return times
    },
    completed() {
      if (phase === 'measured') completed++
    },
    refused() {
      if (phase === 'measured') refused++
    },
    failed(kind: string, { status, body }: Answer) {
      const what = `${kind}: ${status} ${body.toString().slice(0, 200)}`
      errors.set(what, (errors.get(what) ?? 0) + 1)
    },
    read: () => ({
      completed,
      refused,
      latencies: new Map([...latencies].map(([kind, values]) => [kind, sort(values)])),
      errors,
    }),
  }
}

function difference(after: Usage | undefined, before: Usage | undefined): Usage | undefined {
  return (
    after &&
    before && {
      service_cpu_s: after.service_cpu_s - before.service_cpu_s,
      database_cpu_s: after.database_cpu_s - before.database_cpu_s,
      service_peak_mb: after.service_peak_mb,
    }
  )
}
