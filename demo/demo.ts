/**
 * Plays a seller against a running service: what the listing service tells, both mixed orders of the API document's typical
 * flow, a cancellation, some mistakes, and a discounted order with customer, mail and refund. Shows every request and answer
 * and checks each answer against the document. Exits with 0 when all are as documented, 1 when one is not, 2 when it cannot be
 * played.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { playDiscountedOrder } from './discounted-order.ts'
import { ORDER_ANSWER } from './document.ts'
import { playEventDetails } from './event-details.ts'
import { CannotPlay, createJudge, NotAsDocumented, type Judge } from './judge.ts'
import { createLister, type Lister } from './lister.ts'
import { createGrpcListing } from './listing-grpc.ts'
import { playListingMistakes } from './listing-mistakes.ts'
import { createV1Listing } from './listing-v1.ts'
import { findSet, type ListedEvent, type ListedSeat, type ListedSet, type Listing } from './listing.ts'
import { changeOrder, createOrder, ORDERS, refuseOrder } from './orders.ts'
import { createSeller, type Seller } from './seller.ts'

const HELP = `Usage: npm run demo -- [--url URL] [--grpc HOST:PORT | --v1] [--key KEY]

Plays a seller against a running service and checks every answer against the API document. Ids of events, categories and
seats come from the gRPC listing service.

  --url URL         Address of the service. Default: http://127.0.0.1:8080.
  --grpc HOST:PORT  Address of its gRPC API, by TLS when the other is https. Default: port 8081 of the host of --url.
  --v1              Takes the ids from the legacy listings of version 1 instead.
  --key KEY         API key of a seller. Default: that of the demo seller, from DATA_DIR (./data).

Exits with 0 when every answer is as documented, 1 when one is not, 2 when the demo cannot be played.
`
const GRPC_PORT = 8081
/** A name or an address, that of IPv6 in brackets. */
const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:/[\]]+):\d+$/i
/** The seller of the demo catalog whose deals cover the most. */
const DEMO_SELLER = 'biletik'
const DATA_DIR = process.env['DATA_DIR'] || './data'
const SEATS_NEEDED = 3

/** What there is to sell: an event with seats and without, and a seat of another event. */
type Stage = {
  listing: Listing
  events: ListedEvent[]
  event: ListedEvent
  standing: ListedSet
  seats: ListedSeat[]
  foreign_ticket: string
}

type Settings = {
  url: string
  /** Host and port; undefined: the listings of version 1 are used. */
  grpc_address: string | undefined
  key: string
  is_demo_seller: boolean
}

async function main(): Promise<number> {
  const settings = await readSettings()
  if (settings === undefined) {
    console.log(HELP)
    return 0
  }
  const { url, grpc_address, key } = settings
  const judge = createJudge()
  const seller = createSeller({ url, key, judge })
  const is_secure = url.startsWith('https:')
  const lister =
    grpc_address === undefined ? undefined : createLister({ address: grpc_address, key, is_secure, judge })
  console.log(`Requests go to ${url}, each with the header Authorization: key <API_KEY>.`)
  if (lister) console.log(`Calls go to ${grpc_address}, each with the same as metadata.`)
  try {
    await playAll({ seller, lister, settings })
  } finally {
    lister?.close()
  }
  return conclude(judge)
}

/** Undefined when the help is asked for. */
async function readSettings(): Promise<Settings | undefined> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      grpc: { type: 'string' },
      v1: { type: 'boolean', default: false },
      key: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  const url = values.url.replace(/\/+$/, '')
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CannotPlay('--url must be an address such as http://127.0.0.1:8080')
  const address = values.grpc ?? `${new URL(url).hostname}:${GRPC_PORT}`
  if (!HOST_AND_PORT.test(address))
    throw new CannotPlay('--grpc must be host and port, such as 127.0.0.1:8081')
  if (values.v1 && values.grpc !== undefined) throw new CannotPlay('--grpc and --v1 exclude one another')
  return {
    url,
    grpc_address: values.v1 ? undefined : address,
    key: values.key ?? (await readDemoKey()),
    is_demo_seller: values.key === undefined,
  }
}

type Cast = { seller: Seller; lister: Lister | undefined; settings: Settings }

async function playAll({ seller, lister, settings: { is_demo_seller } }: Cast): Promise<void> {
  const listing = lister ? createGrpcListing(lister) : createV1Listing(seller)
  let stage: Stage | undefined
  await play(async () => {
    stage = await findStage(listing)
  })
  if (!stage) return
  const { events, event } = stage
  if (lister) await play(() => playEventDetails(lister, event.id))
  for (const scene of [playUnseatedFirst, playSeatedFirst, playCancellation, playMistakes])
    await play(() => scene(seller, stage!))
  if (lister) await play(() => playListingMistakes(lister))
  await play(() => playDiscountedOrder(seller, { listing, events, is_demo_seller, data_dir: DATA_DIR }))
}

function conclude(judge: Judge): number {
  const { answers, faulty } = judge.counts()
  console.log(`\n${answers} answers, ${faulty === 0 ? 'all as documented' : `${faulty} not as documented`}`)
  return faulty === 0 ? 0 : 1
}

/** A scene ends with the first answer that is not as documented; the others can still be played. */
async function play(scene: () => Promise<void>): Promise<void> {
  try {
    await scene()
  } catch (error) {
    if (!(error instanceof NotAsDocumented)) throw error
  }
}

async function findStage(listing: Listing): Promise<Stage> {
  const events = await listing.listEvents('Step 0: event and category ids from the event listing')
  const many = { with_seats: true, vacant: SEATS_NEEDED }
  const unseated = { with_seats: false, vacant: 2 }
  const [mixed] = events
    .filter((event) => findSet(event, many) && findSet(event, unseated))
    .sort((one, other) => other.amount_vacant - one.amount_vacant)
  const another = events.find(
    (event) => event.id !== mixed?.id && findSet(event, { with_seats: true, vacant: 1 }),
  )
  if (!mixed || !another) {
    throw new CannotPlay(
      'two events on sale are needed: one with seats and with places without seats, another one with seats',
    )
  }
  const seated = findSet(mixed, many)!
  const vacant = await listing.listSeats({
    step: 'Step 1: seated ticket ids from the seat listing',
    event: mixed,
    status: 'vacant',
  })
  const [foreign] = await listing.listSeats({
    step: 'A seat of another event, for a mistake later',
    event: another,
    status: 'vacant',
  })
  const seats = vacant.filter(({ set }) => set === seated.id).slice(0, SEATS_NEEDED)
  if (!foreign || seats.length < SEATS_NEEDED) throw new CannotPlay('the last seats have just been taken')
  const standing = findSet(mixed, unseated)!
  return { listing, events, event: mixed, standing, seats, foreign_ticket: foreign.id }
}

async function playUnseatedFirst(
  seller: Seller,
  { listing, event, standing, seats: [seat] }: Stage,
): Promise<void> {
  const created = await createOrder(seller, {
    step: 'Unseated first, step 2a: POST with random',
    body: { event: event.id, random: { [standing.id]: 1 } },
    wanted: { status: 'executed', event, counts: { [standing.id]: 1 } },
  })
  const ids = [...created.tickets.map(({ id }) => id), seat!.id]
  const mixed = await changeOrder(seller, created, {
    step: 'Step 3a: PATCH with the ids of all tickets in the order and the new seated one',
    body: { tickets: ids },
    wanted: { status: 'executed', event, tickets: ids },
  })
  const done = await changeOrder(seller, mixed, {
    step: 'Step 4: PATCH with status done',
    body: { status: 'done' },
    wanted: { status: 'done', event, tickets: ids },
  })
  await seller.send({
    step: 'The order is read as it was answered',
    method: 'GET',
    path: `${ORDERS}/${done.id}`,
    status: 200,
    answer: ORDER_ANSWER,
    check: ({ data }) => (isDeepStrictEqual(data, done) ? [] : ['data must be what the change answered']),
  })
  await listing.listSeats({ step: 'The seat is sold', event, status: 'sold', contains: seat! })
  await refuseOrder(seller, {
    step: 'A completed order cannot be changed',
    order: done,
    body: { tickets: ids },
    error: 'Not allow to update order in status done',
  })
}

async function playSeatedFirst(seller: Seller, { event, standing, seats }: Stage): Promise<void> {
  const seat = seats[1]!
  const created = await createOrder(seller, {
    step: 'Seated first, step 2b: POST with tickets',
    body: { event: event.id, tickets: [seat.id] },
    wanted: { status: 'executed', event, tickets: [seat.id] },
  })
  const counts = { [seat.set]: 1, [standing.id]: 1 }
  const mixed = await changeOrder(seller, created, {
    step: "Step 3b: PATCH with random, naming the seated ticket's category with count 1 as well",
    body: { random: counts },
    wanted: { status: 'executed', event, counts },
    check: ({ data }) =>
      data.tickets.some(({ id }) => id === seat.id) ? [] : ['data.tickets must still have the seated ticket'],
  })
  await changeOrder(seller, mixed, {
    step: 'Step 4: PATCH with status done',
    body: { status: 'done' },
    wanted: { status: 'done', event, tickets: mixed.tickets.map(({ id }) => id) },
  })
}

async function playCancellation(seller: Seller, { listing, event, seats }: Stage): Promise<void> {
  const seat = seats[2]!
  const held = await createOrder(seller, {
    step: 'A seat is held',
    body: { event: event.id, tickets: [seat.id], all_or_nothing: true },
    wanted: { status: 'executed', event, tickets: [seat.id] },
  })
  await listing.listSeats({ step: 'It is reserved', event, status: 'reserved', contains: seat })
  const cancelled = await changeOrder(seller, held, {
    step: 'The order is cancelled',
    body: { status: 'cancelled' },
    wanted: { status: 'cancelled', event, tickets: [] },
  })
  await listing.listSeats({ step: 'The seat is vacant again', event, status: 'vacant', contains: seat })
  await refuseOrder(seller, {
    step: 'A cancelled order cannot be cancelled',
    order: cancelled,
    body: { status: 'cancelled' },
    error: 'Order is not cancellable',
  })
}

async function playMistakes(
  seller: Seller,
  { event, standing, seats, foreign_ticket }: Stage,
): Promise<void> {
  await refuseOrder(seller, {
    step: 'Both fields in one request',
    body: { event: event.id, tickets: [seats[2]!.id], random: { [standing.id]: 1 } },
    error: 'Only one of tickets or random can be set',
  })
  await refuseOrder(seller, {
    step: 'A ticket of another event',
    body: { event: event.id, tickets: [foreign_ticket] },
    error: `ticket (id = ${foreign_ticket}) does not belong to current event`,
  })
  const empty = await createOrder(seller, {
    step: 'An order without tickets',
    body: { event: event.id },
    wanted: { status: 'executed', event, tickets: [] },
  })
  await refuseOrder(seller, {
    step: 'It cannot be completed',
    order: empty,
    body: { status: 'done' },
    error: 'there is no tickets in order',
  })
  await changeOrder(seller, empty, {
    step: 'It can be cancelled',
    body: { status: 'cancelled' },
    wanted: { status: 'cancelled', event, tickets: [] },
  })
}

async function readDemoKey(): Promise<string> {
  const file = join(DATA_DIR, 'demo-keys.json')
  try {
    const { keys } = JSON.parse(await readFile(file, 'utf8')) as { keys: Record<string, string> }
    const key = keys[DEMO_SELLER]
    if (key !== undefined) return key
  } catch (error) {
    throw new CannotPlay(
      `no demo key: ${(error as Error).message}\nStart the service with \`npm start\`, set DATA_DIR as it has it, or give a key with --key`,
    )
  }
  throw new CannotPlay(`${file} has no key of ${DEMO_SELLER}: give a key with --key`)
}

try {
  process.exitCode = await main()
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  if (!(error instanceof CannotPlay) && !code?.startsWith('ERR_PARSE_ARGS')) throw error
  console.error(`\n${message}`)
  process.exitCode = 2
}
