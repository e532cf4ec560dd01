import { timestampMs } from '@bufbuild/protobuf/wkt'
import { status as Code } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  Seat_TicketStatus as Status,
  SeatsRequest_Status as Wanted,
} from '../../src/grpc/generated/seats_pb.js'
import type { Seat } from '../../src/grpc/generated/seats_pb.js'
import { Simple as SimpleV1 } from '../../src/grpc/generated/v1_pb.js'
import { Simple as SimpleV2 } from '../../src/grpc/generated/v2_pb.js'
import { verify } from '../../src/main/verify/verify.ts'
import { FESTIVAL_SETS, listingCatalog } from '../http-v1/listing-world.ts'
import { createClient } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { createGrpcClient } from '../support/grpc-client.ts'
import { importWorld } from '../support/makers.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

/** More than an event is read in a row for everybody who asks. */
const OFTEN = 30

const pending = [{ row: 'A', number: '03' }]
const festivalOf = (seats: Record<string, unknown>) =>
  listingCatalog({
    sets: [FESTIVAL_SETS.standing, { ...FESTIVAL_SETS.seats, pending, ...seats }, FESTIVAL_SETS.vip],
  })

const database = await createTestDatabase()
const world = await importWorld(database, festivalOf({}))
const id = (ref: string) => world.id(ref)
const service = await startService({ database, parts: ['api'] })
const vendor = createClient(service.base_url, world.key('vendor'))
const clientOf = (key?: string) =>
  createGrpcClient({ address: service.grpc_address, key: key === undefined ? undefined : world.key(key) })
const seats = clientOf('vendor')

afterAll(async () => expect(await verify(database.db)).toEqual([]))

const placesOf = (messages: Seat[]) => messages.map(({ row, number }) => `${row}/${number}`)
const statusOf = async (ticket: string, client = seats) => {
  const [seat] = await client.list('seats', { event: id('festival'), tickets: [ticket] })
  return seat?.status
}

describe('the stream', () => {
  test('has the seats whose tickets are not pending, front to back and along the row', async () => {
    const messages = await seats.list('seats', { event: id('festival') })
    expect(placesOf(messages)).toEqual(['A/1', 'A/2a', '2/1', '2/2', '2/3'])
    expect(messages[1]).toEqual({
      $typeName: 'v3.Seat',
      sector: id('upper'),
      row: 'A',
      number: '2a',
      event: id('festival'),
      set: id('seats'),
      ticket: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: Status.VACANT,
    })
  })

  test('agrees with the listing of version 1', async () => {
    const { body } = await vendor.get<{ id: string }[]>(`/v1/resources/events/${id('theatre')}/tickets`)
    const messages = await seats.list('seats', { event: id('theatre') })
    expect(messages).toHaveLength(20)
    expect(messages.map(({ ticket }) => ticket)).toEqual(body.map((ticket) => ticket.id))
  })

  test('is empty when no set has seats', async () => {
    expect(await seats.list('seats', { event: id('club') })).toEqual([])
  })

  test.each([['v2.Simple', SimpleV2] as const, ['Simple', SimpleV1] as const])(
    'is the same by the older name %s',
    async (_name, older) => {
      const client = createGrpcClient({
        address: service.grpc_address,
        key: world.key('vendor'),
        service: older,
      })
      const request = { event: id('theatre') }
      expect(await client.list('seats', request)).toEqual(await seats.list('seats', request))
    },
  )
})

describe('the statuses', () => {
  test('follow an order within a second: reserved until when, sold, vacant again', async () => {
    const [first, second] = await seats.list('seats', { event: id('festival') })
    const held = await vendor.createOrder({ event: id('festival'), tickets: [first!.ticket] })
    const sold = await vendor.createOrder({ event: id('festival'), tickets: [second!.ticket] })
    await vendor.changeOrder(sold.body.data.id, { status: 'done' })
    await waitUntil(async () => (await statusOf(second!.ticket)) === Status.SOLD, { timeout_ms: 1000 })
    const [reserved] = await seats.list('seats', { event: id('festival'), status: Wanted.RESERVED })
    expect(reserved).toMatchObject({ ticket: first!.ticket, status: Status.RESERVED })
    const till = Date.parse(`${held.body.data.expired_after.replace(' ', 'T')}Z`)
    expect(Math.floor(timestampMs(reserved!.ticketReservedTill!) / 1000)).toBe(till / 1000)
    const others = await seats.list('seats', { event: id('festival') })
    expect(others.filter((seat) => seat.ticketReservedTill !== undefined)).toEqual([reserved])

    await vendor.changeOrder(held.body.data.id, { status: 'cancelled' })
    await waitUntil(async () => (await statusOf(first!.ticket)) === Status.VACANT, { timeout_ms: 1000 })
  })

  test('are not older than a second in another process, however often it is asked', async () => {
    const other = await startService({ database, parts: ['api'] })
    const elsewhere = createGrpcClient({ address: other.grpc_address, key: world.key('vendor') })
    const [vacant] = await seats.list('seats', { event: id('festival'), status: Wanted.VACANT })
    for (let asked = 0; asked < OFTEN; asked++)
      expect(await statusOf(vacant!.ticket, elsewhere)).toBe(Status.VACANT)
    const order = await vendor.createOrder({ event: id('festival'), tickets: [vacant!.ticket] })
    await vendor.changeOrder(order.body.data.id, { status: 'done' })
    await waitUntil(async () => (await statusOf(vacant!.ticket, elsewhere)) === Status.SOLD, {
      timeout_ms: 1000,
    })
  })
})

describe('the request', () => {
  let all: Seat[]
  beforeAll(async () => {
    all = await seats.list('seats', { event: id('theatre') })
  })

  const [first, last] = [() => all[0]!, () => all.at(-1)!]
  test.each([
    ['sector', () => ({ sector: id('lower') }), (seat: Seat) => seat.sector === id('lower')],
    ['row', () => ({ row: '2' }), (seat: Seat) => seat.row === '2'],
    ['number', () => ({ number: '1' }), (seat: Seat) => seat.number === '1'],
    [
      'sets',
      () => ({ sets: [id('upper_seats'), id('standing')] }),
      (seat: Seat) => seat.set === id('upper_seats'),
    ],
    [
      'tickets',
      () => ({ tickets: [last().ticket, first().ticket, id('org')] }),
      (seat: Seat) => seat === first() || seat === last(),
    ],
    [
      'all that is set',
      () => ({ sector: id('upper'), row: 'A', number: '03', sets: [id('upper_seats')] }),
      (seat: Seat) => seat.row === 'A' && seat.number === '03',
    ],
    ['what there is not', () => ({ sector: id('lower'), row: 'A' }), () => false],
  ])('asks by %s', async (_what, filters, isWanted) => {
    const messages = await seats.list('seats', { event: id('theatre'), ...filters() })
    expect(messages).toEqual(all.filter(isWanted))
  })

  test('asks by status', async () => {
    const listed = await seats.list('seats', { event: id('festival'), status: Wanted.ANY })
    for (const [wanted, status] of [
      [Wanted.VACANT, Status.VACANT],
      [Wanted.RESERVED, Status.RESERVED],
      [Wanted.SOLD, Status.SOLD],
    ] as const)
      expect(await seats.list('seats', { event: id('festival'), status: wanted })).toEqual(
        listed.filter((seat) => seat.status === status),
      )
  })

  test('cannot ask for what is pending', async () => {
    const [row] = await database.sql(`SELECT id FROM tickets WHERE status = 'pending' AND seat_number = '03'`)
    expect(await seats.list('seats', { event: id('festival'), tickets: [String(row!['id'])] })).toEqual([])
  })

  test.each([
    ['no event', {}, 'event is required'],
    ['an event of no form', { event: 'x' }, 'event must be an id of 24 lower-case hex digits'],
    ['a sector of no form', { sector: 'upper' }, 'sector must be an id of 24 lower-case hex digits'],
    ['sets of no form', { sets: [''] }, 'sets must be ids of 24 lower-case hex digits'],
    ['tickets of no form', { tickets: ['A'] }, 'tickets must be ids of 24 lower-case hex digits'],
    ['a status that is none', { status: 4 as Wanted }, 'status must not be 4'],
    ['a row with NUL', { row: '1\0' }, 'row must not contain NUL'],
  ])('is refused with %s', async (what, fields, details) => {
    const event = what === 'no event' ? {} : { event: id('festival') }
    expect(await seats.refusal('seats', { ...event, ...fields })).toEqual({
      code: Code.INVALID_ARGUMENT,
      details,
    })
  })
})

describe('who sees it', () => {
  test.each([
    ['vendor', 'own'],
    ['org', 'festival'],
    ['two_events', 'theatre'],
  ])('%s sees %s', async (key, event) => {
    await expect(clientOf(key).list('seats', { event: id(event) })).resolves.toBeInstanceOf(Array)
  })

  test.each([
    ['vendor', 'closed_club'],
    ['poor', 'festival'],
    ['stranger', 'festival'],
    ['org', 'club'],
    ['two_events', 'festival'],
    ['vendor', 'venue of no event'],
  ])('for %s there is no %s', async (key, ref) => {
    const event = ref === 'venue of no event' ? id('field') : id(ref)
    expect(await clientOf(key).refusal('seats', { event })).toEqual({
      code: Code.NOT_FOUND,
      details: `Event ${event} not found`,
    })
  })

  test('nobody without a key, or without the permission', async () => {
    const request = { event: id('festival') }
    expect(await clientOf().refusal('seats', request)).toMatchObject({ code: Code.UNAUTHENTICATED })
    expect(await clientOf('no_events').refusal('seats', request)).toMatchObject({
      code: Code.PERMISSION_DENIED,
    })
  })
})

describe('an import', () => {
  test('adds seats, withholds them and gives them back', async () => {
    await importWorld(database, festivalOf({ rows: ['A', '2', '3'], pending: [{ row: '3', number: '2' }] }))
    const expected = ['A/1', 'A/2a', 'A/03', '2/1', '2/2', '2/3', '3/1']
    await waitUntil(
      async () => String(placesOf(await seats.list('seats', { event: id('festival') }))) === String(expected),
      { timeout_ms: 1000 },
    )
    expect(
      await seats.list('seats', { event: id('festival'), row: '3', status: Wanted.VACANT }),
    ).toHaveLength(1)
  })
})
