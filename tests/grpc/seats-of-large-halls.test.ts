/** What a hall of 50,000 seats costs the service while its readers are slow, or leave. */
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { status as Code } from '@grpc/grpc-js'
import type { ServiceError } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { Seat_TicketStatus as Status } from '../../src/grpc/generated/seats_pb.js'
import type { Seat } from '../../src/grpc/generated/seats_pb.js'
import { createClient } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { createGrpcClient } from '../support/grpc-client.ts'
import { importWorld, makeCatalog, makeEvent } from '../support/makers.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const SEATS = 50_000
const READERS = 20
/** How old what is listed may be. */
const PROMISED_MS = 1000
/** Were they not held back, they would hold READERS times 6 MB. */
const HELD_MAX_BYTES = 30_000_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const rows = Array.from({ length: 100 }, (_row, index) => ({ row: String(index + 1), seats: 500 }))
const arenaOf = (more: typeof rows = []) =>
  makeCatalog({
    maps: [
      {
        ref: 'arena',
        venue: 'venue',
        name: 'Arena',
        sectors: [{ ref: 'bowl', name: 'Bowl', with_seats: true, rows: [...rows, ...more] }],
      },
    ],
    events: [
      makeEvent('match', {
        map: 'arena',
        sets: [{ ref: 'bowl_seats', name: 'Bowl', price: '10.00', with_seats: true, sector: 'bowl' }],
      }),
    ],
    deals: [{ ref: 'deal', org: 'org', vendor: 'vendor', org_share: '95%', agent: '5%', extra: '4%' }],
    keys: [{ name: 'vendor', partner: 'vendor' }],
  })

const database = await createTestDatabase()
const world = await importWorld(database, arenaOf())
const event = world.id('match')
const service = await startService({ database, parts: ['api'] })
const vendor = createClient(service.base_url, world.key('vendor'))
const port = service.grpc_address.split(':').at(-1)
/** Of one address all calls share a connection, and what it lets through. */
const [slow, quick] = ['127.0.0.1', 'localhost'].map((host) =>
  createGrpcClient({ address: `${host}:${port}`, key: world.key('vendor') }),
)

/** A call that has read its first seat and reads no more until it is resumed. */
async function openSlowly() {
  const call = slow!.open('seats', { event })
  onTestFinished(() => call.cancel())
  const [first] = (await once(call, 'data')) as [Seat]
  call.pause()
  return { call, first }
}

/** How many calls have ended with this status: each has ended its generator. */
async function endedCalls(code: string): Promise<number> {
  const { body } = await createClient(service.base_url).get<string>('/metrics')
  const line = new RegExp(`^parterre_grpc_calls_total{method="Seats",code="${code}"} (\\d+)$`, 'm')
  return Number(line.exec(body)?.[1] ?? 0)
}

function heldBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('readers that stop hold next to nothing, and those that leave end their streams', async () => {
  expect(await quick!.list('seats', { event })).toHaveLength(SEATS)
  const before = heldBytes()
  const readers = await Promise.all(Array.from({ length: READERS }, openSlowly))
  // One who reads is served meanwhile, so the service had the time to write all it would.
  expect((await quick!.list('seats', { event })).at(-1)).toMatchObject({ row: '100', number: '500' })
  expect(heldBytes() - before).toBeLessThan(HELD_MAX_BYTES)

  const cancelled = await endedCalls('CANCELLED')
  const ends = readers.map(async ({ call }) => {
    const [error] = (await once(call, 'error')) as [ServiceError]
    return error.code
  })
  for (const { call } of readers) {
    call.cancel()
    call.resume()
  }
  expect(new Set(await Promise.all(ends))).toEqual(new Set([Code.CANCELLED]))
  await waitUntil(async () => (await endedCalls('CANCELLED')) === cancelled + READERS)
})

/** What is listed from then on is from after now. */
function untilNothingOlderIsShown(): Promise<boolean> {
  const at = performance.now()
  return waitUntil(() => performance.now() - at > PROMISED_MS)
}

test('one who goes on reading is shown what was sold meanwhile', async () => {
  const { call, first } = await openSlowly()
  const [last] = await quick!.list('seats', { event, row: '100', number: '500' })
  const order = await vendor.createOrder({ event, tickets: [last!.ticket] })
  expect((await vendor.changeOrder(order.body.data.id, { status: 'done' })).status).toBe(200)
  await untilNothingOlderIsShown()
  const rest = await Array.fromAsync<Seat>(call)
  expect(rest).toHaveLength(SEATS - 1)
  expect(rest.at(-1)).toEqual({ ...last, status: Status.SOLD })
  expect(new Set([first, ...rest].map(({ ticket }) => ticket)).size).toBe(SEATS)
})

test('one who goes on reading is shown the seats that were added meanwhile, and none twice', async () => {
  const { call, first } = await openSlowly()
  await importWorld(database, arenaOf([{ row: '101', seats: 500 }]))
  await waitUntil(async () => (await quick!.list('seats', { event, row: '101' })).length === 500)
  await untilNothingOlderIsShown()
  const rest = await Array.fromAsync<Seat>(call)
  expect(new Set([first, ...rest].map(({ ticket }) => ticket)).size).toBe(SEATS + 500)
  expect(rest).toHaveLength(SEATS + 500 - 1)
})
