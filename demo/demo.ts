/**
 * Plays a seller against a running service: both mixed orders of the API document's typical flow, a cancellation, some
 * mistakes, and a discounted order with customer, mail and refund. Shows every request and answer and checks each answer
 * against the document. Exits with 0 when all are as documented, 1 when one is not, 2 when it cannot be played.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { checkEvents } from './checks.ts'
import { playDiscountedOrder } from './discounted-order.ts'
import { EVENTS, ORDER_ANSWER, type LegacyEvent, type LegacySet, type LegacyTicket } from './document.ts'
import { changeOrder, createOrder, ORDERS, refuseOrder } from './orders.ts'
import { checkDeprecation, listSeats } from './seats.ts'
import { CannotPlay, createSeller, NotAsDocumented, type Seller } from './seller.ts'

const HELP = `Usage: npm run demo -- [--url URL] [--key KEY]

Plays a seller against a running service and checks every answer against the API document.

  --url URL  Address of the service. Default: http://127.0.0.1:8080.
  --key KEY  API key of a seller. Default: that of the demo seller, from DATA_DIR (./data).
`
/** The seller of the demo catalog whose deals cover the most. */
const DEMO_SELLER = 'biletik'
const DATA_DIR = process.env['DATA_DIR'] || './data'
const SEATS_NEEDED = 3

/** What there is to sell: an event with seats and without, and a seat of another event. */
type Stage = {
  events: LegacyEvent[]
  event: LegacyEvent
  standing: LegacySet
  seats: LegacyTicket[]
  foreign_ticket: string
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      key: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const url = values.url.replace(/\/+$/, '')
  if (!URL.canParse(url)) throw new CannotPlay(`--url must be an address such as http://127.0.0.1:8080`)
  const seller = createSeller({ url, key: values.key ?? (await readDemoKey()) })
  console.log(`Requests go to ${url}, each with the header Authorization: key <API_KEY>.`)
  let stage: Stage | undefined
  await play(async () => {
    stage = await findStage(seller)
  })
  for (const scene of stage ? [playUnseatedFirst, playSeatedFirst, playCancellation, playMistakes] : []) {
    await play(() => scene(seller, stage!))
  }
  const options = { is_demo_seller: values.key === undefined, data_dir: DATA_DIR }
  if (stage) await play(() => playDiscountedOrder(seller, { events: stage!.events, ...options }))
  const { answers, faulty } = seller.counts()
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

async function findStage(seller: Seller): Promise<Stage> {
  const events = await seller.send({
    step: 'Step 0: event and category ids from the event listing',
    method: 'GET',
    path: '/v1/services/simple/events?status=public&page_size=200',
    status: 200,
    answer: EVENTS,
    check: (listed, headers) => [...checkEvents(listed), ...checkDeprecation(headers)],
  })
  const [mixed] = events
    .filter(({ sets }) => findSet(sets, true, SEATS_NEEDED) && findSet(sets, false, 2))
    .sort((one, other) => other.tickets_amount_vacant - one.tickets_amount_vacant)
  const another = events.find(({ id, sets }) => id !== mixed?.id && findSet(sets, true, 1))
  if (!mixed || !another) {
    throw new CannotPlay(
      'two events on sale are needed: one with seats and with places without seats, another one with seats',
    )
  }
  const seated = findSet(mixed.sets, true, SEATS_NEEDED)!
  const vacant = await listSeats(seller, {
    step: 'Step 1: seated ticket ids from the seat listing',
    event: mixed,
    status: 'vacant',
  })
  const [foreign] = await listSeats(seller, {
    step: 'A seat of another event, for a mistake later',
    event: another,
    status: 'vacant',
  })
  const seats = vacant.filter(({ set }) => set === seated.id).slice(0, SEATS_NEEDED)
  if (!foreign || seats.length < SEATS_NEEDED) throw new CannotPlay('the last seats have just been taken')
  const standing = findSet(mixed.sets, false, 2)!
  return { events, event: mixed, standing, seats, foreign_ticket: foreign.id }
}

function findSet(sets: LegacySet[], with_seats: boolean, vacant: number): LegacySet | undefined {
  return sets.find((set) => set.with_seats === with_seats && set.amount_vacant >= vacant)
}

async function playUnseatedFirst(seller: Seller, { event, standing, seats: [seat] }: Stage): Promise<void> {
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
  await listSeats(seller, { step: 'The seat is sold', event, status: 'sold', contains: seat! })
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

async function playCancellation(seller: Seller, { event, seats }: Stage): Promise<void> {
  const seat = seats[2]!
  const held = await createOrder(seller, {
    step: 'A seat is held',
    body: { event: event.id, tickets: [seat.id], all_or_nothing: true },
    wanted: { status: 'executed', event, tickets: [seat.id] },
  })
  await listSeats(seller, { step: 'It is reserved', event, status: 'reserved', contains: seat })
  const cancelled = await changeOrder(seller, held, {
    step: 'The order is cancelled',
    body: { status: 'cancelled' },
    wanted: { status: 'cancelled', event, tickets: [] },
  })
  await listSeats(seller, { step: 'The seat is vacant again', event, status: 'vacant', contains: seat })
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
