/**
 * The gRPC method Seats in a large hall of which nothing is sold, by the CPU of the server, beside a plain server that writes a
 * message at a time. Few readers are enough to keep a server busy: they count the messages and do not decode them.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Bench, Options, Scenario } from './support/bench.ts'
import { openSale } from './support/catalog.ts'
import { startChild } from './support/child.ts'
import { sort } from './support/percentiles.ts'
import { atLeast, number, type Row } from './support/rows.ts'
import { openSeatReader, type SeatReader } from './support/seat-reader.ts'
import { readUsage, usedBetween, type Usage } from './support/usage.ts'

const FULL = { rows: 200, seats_in_row: 250 }
const QUICK = { rows: 20, seats_in_row: 50 }
const READERS = 4
const PLAIN_SERVER = join(import.meta.dirname, 'support/plain-seats-server.ts')
const PLAIN_READY = /^(\d+)\n/
/** The plain server streams the same hall to whoever asks for any. */
const ANY_EVENT = '0'.repeat(24)
/** What a row's rate counts: CPU milliseconds for a single seat would be too small to read. */
const SEATS_A_UNIT = 1000

export const grpcSeats: Scenario = {
  name: 'grpc-seats',
  summary: '4 clients stream the seats of a 50,000 seat hall by gRPC',
  needs_own_services: true,
  run,
}

/** `seats` is how many the event has. */
type Server = { address: string; key: string; event: string; seats: number; usage(): Usage | undefined }

type Measured = {
  /** The first hall, of which the server knows nothing yet. */
  first_ms: number
  seconds: number
  seats: number
  /** Milliseconds a hall. */
  latencies: Float64Array
  usage: Usage | undefined
  load_cpu_s: number
}

async function run(bench: Bench): Promise<Row[]> {
  const { options } = bench
  const hall = options.quick ? QUICK : FULL
  const seats = hall.rows * hall.seats_in_row
  const served = await bench.withService(async (target) => {
    assert(target.grpc_address !== undefined)
    const { key, events } = await openSale(target, [{ set: hall }])
    const { grpc_address: address, usage } = target
    return measure(options, { address, key, event: events[0]!.id, seats, usage })
  })
  const plain = await measurePlain(options, seats)
  const rate = seatsACpuSecond(served)
  return [
    {
      ...rowOf('Parterre: thousands of seats', served),
      goals: [atLeast({ value: rate, bound: 150_000, unit: 'seats a second of CPU' })],
    },
    rowOf('a message a write: thousands of seats', plain),
  ]
}

async function measurePlain(options: Options, seats: number): Promise<Measured> {
  const child = await startChild([PLAIN_SERVER, String(seats)], { ready: PLAIN_READY })
  try {
    const usage = () => readUsage({ services: [child.pid] })
    const address = `127.0.0.1:${child.said[0]}`
    return await measure(options, { address, key: 'none', event: ANY_EVENT, seats, usage })
  } finally {
    await child.stop()
  }
}

/** One reader alone, then all again and again until the time is over; a hall that is begun then is finished, and counts. */
async function measure({ seconds, warmup_s }: Options, server: Server): Promise<Measured> {
  const readers = await Promise.all(Array.from({ length: READERS }, () => openSeatReader(server)))
  try {
    const first_ms = await readHall(readers[0]!, server)
    await readFor(warmup_s, { readers, server })
    const before = { at: performance.now(), usage: server.usage(), cpu: process.cpuUsage() }
    const latencies = await readFor(seconds, { readers, server })
    const measured_s = (performance.now() - before.at) / 1000
    const { user, system } = process.cpuUsage(before.cpu)
    return {
      first_ms,
      seconds: measured_s,
      seats: latencies.length * server.seats,
      latencies: sort(latencies),
      usage: usedBetween(before.usage, server.usage()),
      load_cpu_s: (user + system) / 1e6,
    }
  } finally {
    for (const reader of readers) reader.close()
  }
}

/** Answers the milliseconds of each hall. */
async function readFor(
  seconds: number,
  { readers, server }: { readers: readonly SeatReader[]; server: Server },
): Promise<number[]> {
  const ends_at = performance.now() + seconds * 1000
  const latencies: number[] = []
  await Promise.all(
    readers.map(async (reader) => {
      while (performance.now() < ends_at) latencies.push(await readHall(reader, server))
    }),
  )
  return latencies
}

/** Answers the milliseconds it took. Throws unless every seat came. */
async function readHall(reader: SeatReader, { event, seats }: Server): Promise<number> {
  const begun_at = performance.now()
  const streamed = await reader.read(event)
  assert.equal(streamed, seats, `${streamed} of ${seats} seats were streamed`)
  return performance.now() - begun_at
}

function seatsACpuSecond({ seats, usage }: Measured): number | undefined {
  return usage && seats / usage.service_cpu_s
}

function rowOf(what: string, measured: Measured): Row {
  const { first_ms, seconds, seats, latencies, usage, load_cpu_s } = measured
  const each = (cpu_s: number | undefined) => cpu_s && (cpu_s * 1000) / (seats / SEATS_A_UNIT)
  const rate = seatsACpuSecond(measured)
  return {
    what,
    rate: seats / SEATS_A_UNIT / seconds,
    latencies,
    cpu_ms: {
      service: each(usage?.service_cpu_s),
      database: each(usage?.database_cpu_s),
      load: each(load_cpu_s),
    },
    memory_mb: usage?.service_peak_mb,
    notes: [
      ...(rate === undefined ? [] : [`${number(Math.round(rate))} seats a second of the server's CPU`]),
      `${number(Math.round(seats / seconds))} seats a second by the clock; the latencies are those of whole halls`,
      `the first hall, cold, took ${number(Math.round(first_ms))} ms`,
    ],
  }
}
