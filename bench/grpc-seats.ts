/**
 * Seats a second of the gRPC method Seats in a hall of 50,000, by the time of the server's process, beside those of a plain
 * server that writes a message at a time, in the same run. `node bench/grpc-seats.ts [seconds]`; exits with 1 when fewer than
 * 150,000 seats a second are streamed, or when not all come.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { importHall } from './support/hall.ts'
import { describeMachine } from './support/report.ts'
import { openSeatReader } from './support/seat-reader.ts'
import type { SeatReader } from './support/seat-reader.ts'
import { makeDataFolder, startService } from './support/service.ts'
import { readUsage } from './support/usage.ts'

const SEATS = 50_000
const TARGET_SEATS_A_SECOND = 150_000
const READERS = 4
const PLAIN_SERVER = join(import.meta.dirname, 'support/plain-seats-server.ts')

type Measured = { first_ms: number; seats: number; seconds: number; cpu_s: number }
type Reading = { readers: readonly SeatReader[]; event: string; seconds: number; cpuSeconds: () => number }

/** One call alone, then all readers call again and again until the time is over. */
async function measure({ readers, event, seconds, cpuSeconds }: Reading): Promise<Measured> {
  const readHall = async (reader: SeatReader): Promise<void> => {
    const seats = await reader.read(event)
    if (seats !== SEATS) throw new Error(`${seats} of ${SEATS} seats were streamed`)
  }
  const begun_at = performance.now()
  await readHall(readers[0]!)
  const first_ms = performance.now() - begun_at
  // What is compiled by then is not the stream's.
  await Promise.all(readers.map(readHall))
  const [started_at, cpu_before] = [performance.now(), cpuSeconds()]
  let seats = 0
  await Promise.all(
    readers.map(async (reader) => {
      while (performance.now() - started_at < seconds * 1000) {
        await readHall(reader)
        seats += SEATS
      }
    }),
  )
  return {
    first_ms,
    seats,
    seconds: (performance.now() - started_at) / 1000,
    cpu_s: cpuSeconds() - cpu_before,
  }
}

function openReaders(address: string, key: string): Promise<SeatReader[]> {
  return Promise.all(Array.from({ length: READERS }, () => openSeatReader({ address, key })))
}

async function measureService(seconds: number): Promise<Measured> {
  const port = await freePort()
  const service = await startService(makeDataFolder(), { DEMO_CATALOG: 'off', GRPC_PORT: String(port) })
  try {
    const { event, key } = await importHall(service, SEATS)
    const readers = await openReaders(`127.0.0.1:${port}`, key)
    const cpuSeconds = () => service.usage()?.service_cpu_s ?? NaN
    const measured = await measure({ readers, event, seconds, cpuSeconds })
    for (const reader of readers) reader.close()
    return measured
  } finally {
    await service.stop()
  }
}

async function measurePlain(seconds: number): Promise<Measured> {
  const child = spawn(process.execPath, [PLAIN_SERVER, String(SEATS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const readers = await openReaders(`127.0.0.1:${port.toString().trim()}`, 'none')
    const pid = child.pid!
    const cpuSeconds = () => readUsage({ service: pid, database: pid })?.service_cpu_s ?? NaN
    const measured = await measure({ readers, event: '0'.repeat(24), seconds, cpuSeconds })
    for (const reader of readers) reader.close()
    return measured
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function describe(name: string, { first_ms, seats, seconds, cpu_s }: Measured): string {
  const thousands = (value: number) => (Math.round(value / 1000) * 1000).toLocaleString('en')
  return (
    `${name}: ${thousands(seats / cpu_s)} seats a second of the server's time, ${thousands(seats / seconds)} by the clock ` +
    `(${READERS} readers, ${seconds.toFixed(1)} s, ${seats / SEATS} halls), the first hall in ${Math.round(first_ms)} ms`
  )
}

const seconds = Number(process.argv[2] ?? 10)
console.log(describeMachine())
const service = await measureService(seconds)
console.log(describe('Parterre', service))
console.log(describe('a message a write', await measurePlain(seconds)))
if (!(service.seats / service.cpu_s >= TARGET_SEATS_A_SECOND)) process.exitCode = 1
