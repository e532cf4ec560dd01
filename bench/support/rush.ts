/** Many clients at once, each doing the same thing again and again for a time, and what was measured meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sale } from './catalog.ts'
import { connect, type Answer, type Client, type Encoding } from './client.ts'
import { sort } from './percentiles.ts'
import type { Target } from './service.ts'
import { addUsage, usedBetween, type Usage } from './usage.ts'

export type Rush = {
  target: Target
  sale: Sale
  clients: number
  /** Not measured; from the call on, with the visit of the first client. Default: 0. */
  warmup_s?: number
  /** The warm-up lasts until so many visits are over, if that takes longer. Default: 0. */
  warmup_visits?: number
  seconds: number
  /** How many visits a second all clients together begin at most. Default: as many as they can. */
  pace?: number
}

export type Kind = string | ((answer: Answer) => string)

/** One of the clients. */
export type Buyer = {
  /** From 0. */
  nth: number
  /** Sends a request and takes the time of its answer under the name `kind`, which may be told by the answer. */
  send(kind: Kind, method: string, path: string, body?: string): Promise<Answer>
  /** The same for a GET whose body nobody reads. */
  skim(kind: string, path: string, encoding?: Encoding): Promise<Answer>
  /** An order of so many tickets was acknowledged as done. */
  completed(tickets: number): void
  /** The answer is right, and not what a buyer hopes for: nothing, or less than asked for, was to be had. */
  refused(): void
  /** The answer is not right. */
  failed(kind: string, answer: Answer): void
  /** What the rush is for is reached: it ends when every client has finished what it began. */
  stop(): void
}

export type Measured = {
  /** What the first visit took, on a service that has not seen the event before. */
  first_ms: number
  seconds: number
  /** Whether a client stopped it before the time was over. */
  is_stopped: boolean
  completed: number
  refused: number
  /** Milliseconds by kind of request, sorted. */
  latencies: ReadonlyMap<string, Float64Array>
  /** Of the bodies of their answers. */
  received_bytes: number
  /** What went wrong, also before and after the measured time, and how often. */
  errors: ReadonlyMap<string, number>
  usage: Usage | undefined
  /** CPU seconds of the clients. */
  load_cpu_s: number
}

/**
 * Has every client `visit` until the time is over or one of them stops it; what is begun then is finished. Before that one client
 * visits alone, so that the others do not wait for what a service learns of an event only once. The clients are spread over the
 * target's processes.
 */
export async function rush(options: Rush, visit: (buyer: Buyer) => Promise<void>): Promise<Measured> {
  const { target, sale, warmup_s = 0, warmup_visits = 0, seconds, pace } = options
  const called_at = performance.now()
  const tally = createTally(sale)
  const { base_urls } = target
  const clients = await Promise.all(
    Array.from({ length: options.clients }, (_, nth) =>
      connect({ url: base_urls[nth % base_urls.length]!, key: sale.key }),
    ),
  )
  const buyers = clients.map((client, nth) => createBuyer(nth, { client, tally }))
  const interval_ms = pace === undefined ? 0 : (clients.length * 1000) / pace
  const warm = Promise.withResolvers<void>()
  let visits = 0

  async function visitAgainAndAgain(buyer: Buyer): Promise<void> {
    // Spread over the first interval.
    let next_at = performance.now() + (interval_ms * buyer.nth) / clients.length
    while (!tally.is_over()) {
      if (interval_ms > 0) {
        await Promise.race([sleep(Math.max(0, next_at - performance.now())), tally.ended])
        next_at = Math.max(next_at + interval_ms, performance.now())
      }
      if (tally.is_over()) return
      await visit(buyer)
      if (++visits === warmup_visits) warm.resolve()
    }
  }

  try {
    const begun_at = performance.now()
    await visit(buyers[0]!)
    const first_ms = performance.now() - begun_at
    const finished = Promise.all(buyers.map(visitAgainAndAgain))
    const warmup_left_ms = Math.max(0, called_at + warmup_s * 1000 - performance.now())
    if (warmup_visits === 0) warm.resolve()
    await Promise.race([Promise.all([sleep(warmup_left_ms), warm.promise]), tally.ended, finished])
    tally.begin()
    const before = { at: performance.now(), usage: target.usage(), cpu: process.cpuUsage() }
    await Promise.race([sleep(seconds * 1000, undefined, { ref: false }), tally.ended, finished])
    const is_stopped = tally.is_over()
    tally.end()
    const measured_s = (performance.now() - before.at) / 1000
    const { user, system } = process.cpuUsage(before.cpu)
    const usage = usedBetween(before.usage, target.usage())
    await finished
    return {
      ...tally.read(),
      first_ms,
      seconds: measured_s,
      is_stopped,
      usage,
      load_cpu_s: (user + system) / 1e6,
    }
  } finally {
    for (const client of clients) client.close()
  }
}

/** What went wrong in any of the rushes, and how often. */
export function sumErrors(all: readonly Measured[]): Map<string, number> {
  const errors = new Map<string, number>()
  for (const one of all)
    for (const [what, times] of one.errors) errors.set(what, (errors.get(what) ?? 0) + times)
  return errors
}

/** What several rushes measured, as if it were one; at least one. */
export function together(all: readonly Measured[]): Measured {
  const sum = (valueOf: (one: Measured) => number) => all.reduce((total, one) => total + valueOf(one), 0)
  const last = all.at(-1)!
  const kinds = new Set(all.flatMap(({ latencies }) => [...latencies.keys()]))
  const usages = all.map(({ usage }) => usage).filter((usage) => usage !== undefined)
  return {
    ...last,
    seconds: sum(({ seconds }) => seconds),
    completed: sum(({ completed }) => completed),
    refused: sum(({ refused }) => refused),
    latencies: new Map(
      [...kinds].map((kind) => [
        kind,
        sort(all.flatMap(({ latencies }) => [...(latencies.get(kind) ?? [])])),
      ]),
    ),
    received_bytes: sum((one) => one.received_bytes),
    errors: sumErrors(all),
    usage: usages.length < all.length ? undefined : usages.reduce(addUsage),
    load_cpu_s: sum((one) => one.load_cpu_s),
  }
}

function createBuyer(nth: number, { client, tally }: { client: Client; tally: Tally }): Buyer {
  /** What is sent in the measured time counts, also when its answer comes later. */
  async function timed(kind: Kind, answering: () => Promise<Answer>): Promise<Answer> {
    const is_measured = tally.is_measured()
    const sent_at = performance.now()
    const answer = await answering()
    const ms = performance.now() - sent_at
    if (is_measured)
      tally.answered(typeof kind === 'string' ? kind : kind(answer), { ms, bytes: answer.bytes })
    return answer
  }
  return {
    nth,
    send: (kind, method, path, body) => timed(kind, () => client.send(method, path, body)),
    skim: (kind, path, encoding) => timed(kind, () => client.skim(path, encoding)),
    completed: tally.completed,
    refused: tally.refused,
    failed: tally.failed,
    stop: tally.end,
  }
}

type Tally = ReturnType<typeof createTally>

function createTally({ acknowledged }: Sale) {
  let phase: 'before' | 'measured' | 'over' = 'before'
  let completed = 0
  let refused = 0
  let received_bytes = 0
  const latencies = new Map<string, number[]>()
  const errors = new Map<string, number>()
  const ended = Promise.withResolvers<void>()
  return {
    ended: ended.promise,
    begin() {
      if (phase === 'before') phase = 'measured'
    },
    end() {
      phase = 'over'
      ended.resolve()
    },
    is_measured: () => phase === 'measured',
    is_over: () => phase === 'over',
    answered(kind: string, { ms, bytes }: { ms: number; bytes: number }) {
      const times = latencies.get(kind)
      if (times) times.push(ms)
      else latencies.set(kind, [ms])
      received_bytes += bytes
    },
    completed(tickets: number) {
      acknowledged.orders++
      acknowledged.tickets += tickets
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
      received_bytes,
      errors,
    }),
  }
}
