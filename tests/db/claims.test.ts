import { expect, test } from 'vitest'
import { createClaims } from '../../src/inventory/claims.ts'
import type { Ask, Claims, Grant } from '../../src/inventory/claims.ts'
import { saveCounts, saveTickets } from '../../src/inventory/tickets.ts'
import type { VacantTicket } from '../../src/inventory/tickets.ts'
import { createVacancy } from '../../src/inventory/vacancy.ts'
import type { Vacancy } from '../../src/inventory/vacancy.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Queryable } from '../../src/platform/db/db.ts'
import { createTestDatabase } from '../support/database.ts'
import { stalledBy } from '../support/stall.ts'
import { importStock, releaseHeld, type Stock } from '../support/stock.ts'
import { waitUntil } from '../support/wait.ts'

const database = await createTestDatabase()
const { db, sql } = database

const makeStock = (ref: string, amount: number) => importStock(database, ref, amount)

function makeAsk(
  { event, shard }: Stock,
  {
    ids = [],
    counts = {},
    beside = [],
  }: { ids?: string[]; counts?: Record<string, number>; beside?: string[] },
): Ask {
  return { event, shard, ids, counts: new Map(Object.entries(counts)), beside }
}

/** A process's memory of what is vacant. */
const startProcess = (): Vacancy => createVacancy({ events_max: 10, seats_max: 1_000_000 })

/** Has the process read the event's sets. */
async function learnStock(process: Vacancy, { shard, event, standing, seats }: Stock) {
  const known = process.of({ shard, id: event })
  await known.stock(db, new Map([standing, seats].map(({ set }) => [set, 1])))
  return known
}

const idsIn = ({ tickets }: Grant) => tickets.map((ticket) => ticket.id)

async function claim(tx: Queryable, vacancy: Vacancy, asks: readonly Ask[]): Promise<Claims> {
  const claims = createClaims(asks, { db, vacancy })
  await claims.prepare()
  await claims.lock(tx)
  await claims.complete(tx)
  return claims
}

async function hold(tx: Queryable, shard: number, tickets: readonly VacantTicket[]): Promise<void> {
  const [order, reserved_till] = [newId(shard, Date.now()), Date.now() + 60_000]
  const price = { price: 100, discount: 0, nominal: 100, extra: 0, barcode: null }
  const counts = new Map<string, { vacant: number; held: number; sold: number }>()
  for (const { set } of tickets) {
    const held = (counts.get(set)?.held ?? 0) + 1
    counts.set(set, { vacant: -held, held, sold: 0 })
  }
  const changes = tickets.map((ticket) => ({
    id: ticket.id,
    holder: null,
    becomes: { order, ticket: { ...ticket, ...price }, reserved_till },
  }))
  await Promise.all([...saveTickets(tx, changes), ...saveCounts(tx, counts)])
}

/** What the desk does with a batch: grants the asks in turn and holds what they got. */
async function runBatch(vacancy: Vacancy, ...asks: readonly Ask[]): Promise<Grant[]> {
  let claims: Claims | undefined
  const grants = await db.transaction(async (tx) => {
    claims = await claim(tx, vacancy, asks)
    const granted = asks.map((ask) => (claims as Claims).grant(ask))
    for (const [index, { tickets }] of granted.entries()) await hold(tx, asks[index]!.shard, tickets)
    return granted
  })
  claims?.end({ committed: true })
  return grants
}

const release = (stock: Stock, ids: readonly string[]) => releaseHeld(database, stock, ids)

test('by id: the first to ask has the ticket, the second has none of it', async () => {
  const stock = await makeStock('by_id', 3)
  const [a, b, c] = stock.standing.ids as [string, string, string]
  const [first, second] = await runBatch(
    startProcess(),
    makeAsk(stock, { ids: [b, a] }),
    makeAsk(stock, { ids: [a, c] }),
  )
  expect(idsIn(first!)).toEqual([b, a])
  expect(idsIn(second!)).toEqual([c])
})

test('tickets of two events are locked in the order of their shards, whichever is asked for first', async () => {
  const stocks = [await makeStock('one_event', 1), await makeStock('other_event', 1)]
  const [first, last] = stocks.toSorted((a, b) => a.shard - b.shard) as [Stock, Stock]
  const asks = [first, last].map((stock) => makeAsk(stock, { ids: stock.standing.ids }))
  const lock: [string, unknown[]] = [
    'SELECT 1 FROM tickets WHERE id = ANY($1) FOR UPDATE',
    [first.standing.ids],
  ]
  const { batches, free } = await stalledBy(database, lock, async (untilWaiting) => {
    const claiming = [runBatch(startProcess(), ...asks), runBatch(startProcess(), ...asks.toReversed())]
    await untilWaiting(2)
    const unlocked = await sql('SELECT id FROM tickets WHERE id = ANY($1) FOR UPDATE SKIP LOCKED', [
      last.standing.ids,
    ])
    return { batches: Promise.all(claiming), free: unlocked.length }
  })
  expect(free).toBe(1)
  const ids = (await batches).flat().flatMap(idsIn)
  expect(ids.toSorted()).toEqual([...first.standing.ids, ...last.standing.ids].toSorted())
})

test('by count: as many as there are, each ticket once, then none', async () => {
  const stock = await makeStock('by_count', 5)
  const process = startProcess()
  const ask = (count: number) => makeAsk(stock, { counts: { [stock.standing.set]: count } })
  const [first, second, third] = await runBatch(process, ask(2), ask(2), ask(2))
  expect([first, second, third].map((grant) => grant!.tickets.length)).toEqual([2, 2, 1])
  const ids = [first, second, third].flatMap((grant) => idsIn(grant!))
  expect(ids.toSorted()).toEqual(stock.standing.ids.toSorted())
  expect(await runBatch(process, ask(1))).toEqual([{ tickets: [], foreign: undefined, sets: [] }])
})

test('a ticket asked for by id is left to who asks for it while there are others', async () => {
  const stock = await makeStock('left_alone', 3)
  const [a] = stock.standing.ids as [string]
  const by_count = makeAsk(stock, { counts: { [stock.standing.set]: 2 } })
  const by_id = makeAsk(stock, { ids: [a] })
  for (const vacancy of [startProcess(), startProcess()]) {
    const [counted, named] = await runBatch(vacancy, by_count, by_id)
    expect(idsIn(named!)).toEqual([a])
    expect(counted!.tickets).toHaveLength(2)
    await release(stock, stock.standing.ids)
  }
})

test('the last ticket goes to the first who asks, by count before by id', async () => {
  const stock = await makeStock('last_one', 1)
  const by_count = makeAsk(stock, { counts: { [stock.standing.set]: 1 } })
  const by_id = makeAsk(stock, { ids: stock.standing.ids })
  const process = startProcess()
  for (const asks of [
    [by_count, by_id],
    [by_id, by_count],
  ]) {
    const grants = await runBatch(process, ...asks)
    expect(grants.map(idsIn)).toEqual([stock.standing.ids, []])
    await release(stock, stock.standing.ids)
  }
})

test('what an ask gives back goes to those after it, by id and by count, and stays vacant else', async () => {
  const stock = await makeStock('given_back', 2)
  const process = startProcess()
  const by_id = makeAsk(stock, { ids: stock.standing.ids })
  const by_count = makeAsk(stock, { counts: { [stock.standing.set]: 2 } })
  for (const [first, second] of [
    [by_id, by_count],
    [by_count, by_id],
    [{ ...by_id }, by_id],
    [{ ...by_count }, by_count],
  ] as const) {
    await db.transaction(async (tx) => {
      const claims = await claim(tx, process, [first, second])
      const grant = claims.grant(first)
      expect(grant.tickets).toHaveLength(2)
      claims.takeBack(grant)
      const next = claims.grant(second)
      expect(idsIn(next).toSorted()).toEqual(stock.standing.ids.toSorted())
      claims.takeBack(next)
      claims.end({ committed: true })
    })
  }
  const [grant] = await runBatch(process, by_count)
  expect(grant!.tickets).toHaveLength(2)
})

test('what was given back is used before what a later ask names', async () => {
  const stock = await makeStock('free_first', 3)
  const { set, ids } = stock.standing
  const [a, b, c] = ids as [string, string, string]
  const asks = [
    makeAsk(stock, { ids: [a] }),
    makeAsk(stock, { counts: { [set]: 2 } }),
    makeAsk(stock, { ids: [c] }),
  ] as const
  await db.transaction(async (tx) => {
    const claims = await claim(tx, startProcess(), asks)
    claims.takeBack(claims.grant(asks[0]))
    expect(idsIn(claims.grant(asks[1])).toSorted()).toEqual([a, b].toSorted())
    expect(idsIn(claims.grant(asks[2]))).toEqual([c])
    claims.end({ committed: false })
  })
})

test('a transaction that is rolled back leaves everything vacant', async () => {
  const stock = await makeStock('rolled_back', 2)
  const process = startProcess()
  const by_count = makeAsk(stock, { counts: { [stock.standing.set]: 1, [stock.seats.set]: 30 } })
  const by_id = makeAsk(stock, { ids: stock.standing.ids })
  for (const asks of [[by_count], [by_id, by_count]]) {
    let claims: Claims | undefined
    const rolled_back = db.transaction(async (tx) => {
      claims = await claim(tx, process, asks)
      const grants = asks.map(claims.grant)
      for (const { tickets } of grants) await hold(tx, stock.shard, tickets)
      throw new Error('rolled back')
    })
    await expect(rolled_back).rejects.toThrow('rolled back')
    claims?.end({ committed: false })
  }
  const known = process.known(stock.event)!
  expect(known.pick(stock.standing.set, 9, [])).toHaveLength(2)
  expect(known.pick(stock.seats.set, 99, [])).toHaveLength(30)
})

test('a lock that fails leaves the tickets that were asked for in memory', async () => {
  const stock = await makeStock('lock_failed', 2)
  const process = startProcess()
  const known = process.of({ shard: stock.shard, id: stock.event })
  // Both: one alone may be all that is read, since reading begins anywhere.
  await known.stock(db, new Map([[stock.standing.set, 2]]))
  const claims = createClaims([makeAsk(stock, { ids: stock.standing.ids })], { db, vacancy: process })
  const failing = db.transaction(async (tx) => {
    await tx.query({ name: '', text: 'SELECT 1 / 0' }).catch(() => {})
    await claims.lock(tx)
  })
  await expect(failing).rejects.toMatchObject({ code: '25P02' })
  claims.end({ committed: false })
  expect(known.pick(stock.standing.set, 9, [])).toHaveLength(2)
})

test('a memory that is stale is corrected before a set is called sold out', async () => {
  const stock = await makeStock('stale', 40)
  const by_count = (count: number) => makeAsk(stock, { counts: { [stock.standing.set]: count } })
  const [busy, idle] = [startProcess(), startProcess()]
  await learnStock(idle, stock)
  await runBatch(busy, by_count(36))
  const [first] = await runBatch(idle, by_count(2))
  expect(first!.tickets).toHaveLength(2)
  const [second] = await runBatch(busy, by_count(2))
  expect(second!.tickets).toHaveLength(2)
  for (const process of [busy, idle])
    expect(await runBatch(process, by_count(1))).toEqual([{ tickets: [], foreign: undefined, sets: [] }])
})

test('two processes that want the same best seats both get some', async () => {
  const stock = await makeStock('best_seats', 1)
  const ask = makeAsk(stock, { counts: { [stock.seats.set]: 3 } })
  const [one, other] = [startProcess(), startProcess()]
  for (const vacancy of [one, other]) await learnStock(vacancy, stock)
  const held = new Set<string>()
  for (const vacancy of [one, other, one, other, other, one, one, other, one]) {
    const [grant] = await runBatch(vacancy, ask)
    for (const id of idsIn(grant!)) held.add(id)
  }
  expect(held.size).toBe(27)
})

test('two processes side by side sell exactly what there is', async () => {
  const stock = await makeStock('side_by_side', 30)
  const counts = { [stock.standing.set]: 1, [stock.seats.set]: 1 }
  async function sell(vacancy: Vacancy): Promise<Grant[]> {
    const grants: Grant[] = []
    for (let batch = 0; batch < 5; batch++)
      grants.push(
        ...(await runBatch(vacancy, ...Array.from({ length: 3 }, () => makeAsk(stock, { counts })))),
      )
    return grants
  }
  const grants = (await Promise.all([sell(startProcess()), sell(startProcess())])).flat()
  expect(grants.map((grant) => grant.tickets.length)).toEqual(Array.from({ length: 30 }, () => 2))
  expect(new Set(grants.flatMap(idsIn)).size).toBe(60)
})

test.each([1, 4])('seats that others have locked are passed by, not called sold out: %i', async (count) => {
  const stock = await makeStock(`locked_seats_${count}`, 1)
  const { set, ids } = stock.seats
  const process = startProcess()
  await learnStock(process, stock)
  // Row 1 is sold elsewhere, unknown to this process; the whole of row 2 is being sold right now.
  await runBatch(startProcess(), makeAsk(stock, { ids: ids.slice(0, 10) }))
  await db.transaction(async (tx) => {
    await claim(tx, startProcess(), [makeAsk(stock, { ids: ids.slice(10, 20) })])
    const [grant] = await runBatch(process, makeAsk(stock, { counts: { [set]: count } }))
    expect(grant!.tickets).toHaveLength(count)
    expect(idsIn(grant!).every((id) => ids.indexOf(id) >= 20)).toBe(true)
  })
})

test('by id and by count at once', async () => {
  const stock = await makeStock('both', 5)
  const { set, ids } = stock.standing
  const ask = makeAsk(stock, { ids: ids.slice(0, 2), counts: { [set]: 2 } })
  const [grant] = await runBatch(startProcess(), ask)
  expect(new Set(idsIn(grant!)).size).toBe(4)
  expect(idsIn(grant!)).toEqual(expect.arrayContaining(ids.slice(0, 2)))
})

test('tickets released elsewhere are found', async () => {
  const stock = await makeStock('released', 2)
  const process = startProcess()
  const { set, ids } = stock.standing
  const by_count = (count: number) => makeAsk(stock, { counts: { [set]: count, [stock.seats.set]: count } })
  await runBatch(process, makeAsk(stock, { ids: [...ids, ...stock.seats.ids] }), by_count(1))
  await release(stock, [ids[0]!, stock.seats.ids[7]!])
  const [grant] = await runBatch(process, by_count(1))
  expect(idsIn(grant!)).toEqual([ids[0], stock.seats.ids[7]])
})

test('a ticket released elsewhere and asked for by id is left to who asks for it', async () => {
  const stock = await makeStock('released_asked', 6)
  const { set, ids } = stock.standing
  const process = startProcess()
  await runBatch(process, makeAsk(stock, { ids }), makeAsk(stock, { counts: { [set]: 1 } }))
  await release(stock, ids)
  const [named, counted] = await runBatch(
    process,
    makeAsk(stock, { ids: [ids[0]!] }),
    makeAsk(stock, { counts: { [set]: 5 } }),
  )
  expect(idsIn(named!)).toEqual([ids[0]])
  expect(counted!.tickets).toHaveLength(5)
})

test('an event that was sold out when it was first asked for', async () => {
  const stock = await makeStock('sold_out', 1)
  const process = startProcess()
  const ask = makeAsk(stock, { counts: { [stock.standing.set]: 1 } })
  await runBatch(startProcess(), makeAsk(stock, { ids: stock.standing.ids }))
  expect((await runBatch(process, ask)).map(idsIn)).toEqual([[]])
  await release(stock, stock.standing.ids)
  expect((await runBatch(process, ask)).map(idsIn)).toEqual([stock.standing.ids])
})

test('an id that is no ticket of the event is named, and the ask gets nothing', async () => {
  const [stock, other] = [await makeStock('own', 3), await makeStock('foreign', 1)]
  const process = startProcess()
  const [own] = stock.standing.ids as [string]
  const foreign_ids = [
    other.standing.ids[0]!,
    newId(stock.shard, Date.now()),
    newId(other.shard, 0),
    '0'.repeat(24),
  ]
  for (const foreign of foreign_ids) {
    const [refused, served] = await runBatch(
      process,
      makeAsk(stock, { ids: [own, foreign] }),
      makeAsk(stock, { ids: [own] }),
    )
    expect(refused).toEqual({ tickets: [], foreign, sets: [] })
    expect(idsIn(served!)).toEqual([own])
    await release(stock, [own])
  }
  // One that is taken is a ticket of the event nevertheless.
  await runBatch(process, makeAsk(stock, { ids: [own] }))
  expect(await runBatch(process, makeAsk(stock, { ids: [own] }))).toEqual([
    { tickets: [], foreign: undefined, sets: [expect.stringMatching(/^[0-9a-f]{24}$/)] },
  ])
  expect(idsIn((await runBatch(process, makeAsk(other, { ids: other.standing.ids })))[0]!)).toEqual(
    other.standing.ids,
  )
})

test('places are read some thousands at a time, and each is sold once', async () => {
  const amount = 10_000
  const stock = await makeStock('large', amount)
  const { set } = stock.standing
  const [one, other] = [startProcess(), startProcess()]
  const ask = makeAsk(stock, { counts: { [set]: 1900 } })
  const sold = new Set<string>()
  for (const process of [one, other, one, one, other, one]) {
    const [grant] = await runBatch(process, ask)
    expect(grant!.tickets).toHaveLength(Math.min(1900, amount - sold.size))
    for (const id of idsIn(grant!)) sold.add(id)
  }
  expect(sold.size).toBe(amount)
  expect(await runBatch(other, ask)).toEqual([{ tickets: [], foreign: undefined, sets: [] }])
})

test('more than is remembered is released, and all of it is sold again', async () => {
  const amount = 17_000
  const stock = await makeStock('released_many', amount)
  const { set, ids } = stock.standing
  const process = startProcess()
  const ask = makeAsk(stock, { counts: { [set]: amount } })
  expect((await runBatch(process, ask))[0]!.tickets).toHaveLength(amount)
  await release(stock, ids)
  process.known(stock.event)!.giveBack(set, ids)
  expect(process.known(stock.event)!.pick(set, amount, []).length).toBeLessThan(amount)
  process.known(stock.event)!.giveBack(set, ids)
  expect((await runBatch(process, ask))[0]!.tickets).toHaveLength(amount)
})

test('seats are looked for beside those the order keeps', async () => {
  const stock = await makeStock('beside', 1)
  const { set, ids } = stock.seats
  const process = startProcess()
  // The first two seats of row 3, far from the best ones.
  const kept = ids.slice(20, 22)
  await runBatch(process, makeAsk(stock, { ids: kept }))
  const [grant, other] = await runBatch(
    process,
    makeAsk(stock, { counts: { [set]: 2 }, beside: kept }),
    makeAsk(stock, { counts: { [set]: 2 } }),
  )
  expect(idsIn(grant!).toSorted()).toEqual(ids.slice(22, 24))
  expect(idsIn(other!).every((id) => ids.indexOf(id) < 10)).toBe(true)
})

test('events of several shards in one batch', async () => {
  const [one, other] = [await makeStock('shard_one', 1), await makeStock('shard_other', 1)]
  const grants = await runBatch(
    startProcess(),
    makeAsk(other, { counts: { [other.standing.set]: 1 } }),
    makeAsk(one, { ids: one.standing.ids }),
    makeAsk(other, { ids: other.standing.ids }),
  )
  expect(grants.map(idsIn)).toEqual([other.standing.ids, one.standing.ids, []])
})

test.each([
  ['commits: the other gets none', true],
  ['rolls back: the other gets it', false],
])('two transactions race for a ticket; the first %s', async (_name, committed) => {
  const stock = await makeStock(`race_${committed}`, 1)
  const ask = makeAsk(stock, { ids: stock.standing.ids })
  let second: Promise<Grant[]> | undefined
  const first = db.transaction(async (tx) => {
    const claims = await claim(tx, startProcess(), [ask])
    await hold(tx, stock.shard, claims.grant(ask).tickets)
    second = runBatch(startProcess(), ask)
    await waitUntil(async () => {
      const waiting = await sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return waiting.length === 1
    })
    if (!committed) throw new Error('rolled back')
  })
  await first.catch(() => {})
  const grants = (await second) as Grant[]
  expect(grants.map(idsIn)).toEqual([committed ? [] : stock.standing.ids])
})

/** A process that remembers all places without seats of the stock, with their numbers. */
async function learnPlaces(stock: Stock) {
  const vacancy = startProcess()
  const known = vacancy.of({ shard: stock.shard, id: stock.event })
  const { set, ids } = stock.standing
  await known.stock(db, new Map([[set, ids.length]]))
  return { vacancy, known }
}

async function prepared(vacancy: Vacancy, asks: readonly Ask[]): Promise<Claims> {
  const claims = createClaims(asks, { db, vacancy })
  await claims.prepare()
  return claims
}

test('without asking: what is remembered is handed out as the database has it', async () => {
  const stock = await makeStock('taken', 5)
  const { set, ids } = stock.standing
  const { vacancy, known } = await learnPlaces(stock)
  const asks = [2, 2].map((count) => makeAsk(stock, { counts: { [set]: count } }))
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(true)
  const grants = asks.map((ask) => claims.grant(ask))
  const tickets = grants.flatMap((grant) => grant.tickets)
  expect(grants.map((grant) => grant.tickets.length)).toEqual([2, 2])
  const rows = await sql(
    `SELECT id, event, "set", serial, number, null AS seat FROM tickets
     WHERE id = ANY($1) ORDER BY array_position($1, id)`,
    [tickets.map((ticket) => ticket.id)],
  )
  expect(tickets).toEqual(rows)
  expect(rows).toHaveLength(4)
  await db.transaction((tx) => hold(tx, stock.shard, tickets))
  claims.end({ committed: true })
  const left = ids.filter((id) => tickets.every((ticket) => ticket.id !== id))
  expect(known.pick(set, 9, [])).toEqual(left)
})

test('without asking: what one gives back a later one gets', async () => {
  const stock = await makeStock('taken_back', 2)
  const { set, ids } = stock.standing
  const { vacancy, known } = await learnPlaces(stock)
  const asks = [1, 1].map((count) => makeAsk(stock, { counts: { [set]: count } })) as [Ask, Ask]
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(true)
  claims.takeBack(claims.grant(asks[0]))
  expect(claims.grant(asks[1]).tickets).toHaveLength(1)
  claims.end({ committed: false })
  expect(known.pick(set, 9, []).toSorted()).toEqual(ids.toSorted())
})

test('without asking: a place that was sold elsewhere is refused as it is written, and is remembered until it is asked for', async () => {
  const stock = await makeStock('taken_wrongly', 3)
  const { set, ids } = stock.standing
  const { vacancy } = await learnPlaces(stock)
  await runBatch(startProcess(), makeAsk(stock, { ids: ids.slice(0, 2) }))
  const ask = makeAsk(stock, { counts: { [set]: 3 } })
  const claims = await prepared(vacancy, [ask])
  expect(claims.take()).toBe(true)
  const { tickets } = claims.grant(ask)
  expect(tickets).toHaveLength(3)
  await expect(db.transaction((tx) => hold(tx, stock.shard, tickets))).rejects.toMatchObject({
    code: '22012',
  })
  claims.end({ committed: false })
  const [grant] = await runBatch(vacancy, ask)
  expect(idsIn(grant!)).toEqual(ids.slice(2))
})

/** A process that remembers all places and seats of the stock. */
async function learnAll(stock: Stock) {
  const learnt = await learnPlaces(stock)
  await learnt.known.stock(db, new Map([[stock.seats.set, 1]]))
  return learnt
}

/** What the database has of the tickets, in this order, as they are handed out. */
function rowsOf(ids: readonly string[]) {
  return sql(
    `SELECT id, event, "set", serial, number, CASE WHEN sector IS NOT NULL THEN
       json_build_object('sector', sector, 'row', seat_row, 'number', seat_number) END AS seat
     FROM tickets WHERE id = ANY($1) ORDER BY array_position($1, id)`,
    [ids],
  )
}

/** What the batch would find if it were sent now. */
const checkGone = (claims: Claims) => db.transaction((tx) => Promise.all(claims.checkGone(tx)))

/** What `checkGone` fails with when a ticket is vacant after all. */
const DIVISION_BY_ZERO = { code: '22012' }

test('without asking: seats by id and by count are handed out as the database has them', async () => {
  const stock = await makeStock('seats_taken', 1)
  const { set, ids } = stock.seats
  const { vacancy, known } = await learnAll(stock)
  const named = [ids[25]!, ids[3]!]
  const asks = [makeAsk(stock, { ids: named }), makeAsk(stock, { counts: { [set]: 2 } })] as [Ask, Ask]
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(true)
  const [by_id, by_count] = [claims.grant(asks[0]), claims.grant(asks[1])]
  expect([idsIn(by_id), by_id.foreign, by_id.sets]).toEqual([named, undefined, [set, set]])
  expect(by_count.tickets).toHaveLength(2)
  const tickets = [...by_id.tickets, ...by_count.tickets]
  expect(tickets).toEqual(await rowsOf(tickets.map(({ id }) => id)))
  expect(new Set(tickets.map(({ id }) => id)).size).toBe(4)
  expect(await checkGone(claims)).toEqual([])
  await db.transaction((tx) => hold(tx, stock.shard, tickets))
  claims.end({ committed: true })
  const left = ids.filter((id) => tickets.every((ticket) => ticket.id !== id))
  expect(known.pick(set, 99, []).toSorted()).toEqual(left.toSorted())
})

test('without asking: seats and places in one ask, by id', async () => {
  const stock = await makeStock('all_kinds_taken', 3)
  const { standing, seats } = stock
  const { vacancy, known } = await learnAll(stock)
  const named = [seats.ids[0]!, standing.ids[1]!]
  const asks = [makeAsk(stock, { ids: named }), makeAsk(stock, { counts: { [standing.set]: 2 } })] as [
    Ask,
    Ask,
  ]
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(true)
  const grant = claims.grant(asks[0])
  expect(grant.tickets).toEqual(
    await rowsOf(named).then((rows) => named.map((id) => rows.find((row) => row['id'] === id))),
  )
  expect(idsIn(claims.grant(asks[1])).toSorted()).toEqual([standing.ids[0], standing.ids[2]].toSorted())
  claims.end({ committed: true })
  expect(known.pick(standing.set, 9, [])).toEqual([])
  expect(known.pick(seats.set, 99, [])).toHaveLength(29)
})

test('without asking: of seats by id those are handed out that are vacant, and the others are checked to be gone', async () => {
  const stock = await makeStock('some_gone', 1)
  const { set, ids } = stock.seats
  const [a, b, c] = ids as [string, string, string]
  const { vacancy, known } = await learnAll(stock)
  await runBatch(vacancy, makeAsk(stock, { ids: [a, b] }))
  const ask = makeAsk(stock, { ids: [a, c, b] })
  const claims = await prepared(vacancy, [ask])
  expect(claims.take()).toBe(true)
  expect(claims.grant(ask)).toMatchObject({ tickets: [{ id: c }], foreign: undefined, sets: [set, set, set] })
  await expect(checkGone(claims)).resolves.toHaveLength(1)
  await release(stock, [b])
  await expect(checkGone(claims)).rejects.toMatchObject(DIVISION_BY_ZERO)
  claims.end({ committed: false })
  expect(known.withhold([a, b, c])).toEqual(new Map([[set, [c]]]))
})

test('without asking: a seat that the process sells at this moment is checked to be gone when it is sold', async () => {
  const stock = await makeStock('being_sold', 1)
  const [a] = stock.seats.ids as [string]
  const { vacancy } = await learnAll(stock)
  const asks = [makeAsk(stock, { ids: [a] }), makeAsk(stock, { ids: [a] })] as [Ask, Ask]
  const first = await prepared(vacancy, [asks[0]])
  expect([first.take(), idsIn(first.grant(asks[0]))]).toEqual([true, [a]])
  const second = await prepared(vacancy, [asks[1]])
  expect([second.take(), idsIn(second.grant(asks[1]))]).toEqual([true, []])
  await expect(checkGone(second)).rejects.toMatchObject(DIVISION_BY_ZERO)
  second.end({ committed: false })
  first.end({ committed: false })
  const again = await prepared(vacancy, asks)
  expect([again.take(), idsIn(again.grant(asks[0]))]).toEqual([true, [a]])
  again.end({ committed: false })
})

test('without asking: a seat that two of a batch name is of the first, or of the second if that gives it back', async () => {
  const stock = await makeStock('named_twice', 1)
  const { set, ids } = stock.seats
  const [a, b, c] = ids as [string, string, string]
  const { vacancy, known } = await learnAll(stock)
  const asks = [makeAsk(stock, { ids: [a, b] }), makeAsk(stock, { ids: [b, c] })] as [Ask, Ask]
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(true)
  const first = claims.grant(asks[0])
  const second = claims.grant(asks[1])
  expect([first, second].map(idsIn)).toEqual([[a, b], [c]])
  claims.takeBack(first)
  claims.takeBack(second)
  expect(idsIn(claims.grant(asks[1]))).toEqual([b, c])
  // None of them is taken for gone, so there is nothing to check.
  expect(await checkGone(claims)).toEqual([])
  claims.end({ committed: true })
  expect(known.pick(set, 99, [])).toHaveLength(28)
  expect(known.withhold([a, b, c])).toEqual(new Map())
})

test('without asking: gone seats that several of a batch name are checked once', async () => {
  const stock = await makeStock('gone_twice', 1)
  const [a] = stock.seats.ids as [string]
  const { vacancy } = await learnAll(stock)
  await runBatch(vacancy, makeAsk(stock, { ids: [a] }))
  const asks = [makeAsk(stock, { ids: [a] }), makeAsk(stock, { ids: [a] })]
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(true)
  expect(asks.map((ask) => idsIn(claims.grant(ask)))).toEqual([[], []])
  const sent: unknown[] = []
  const watched: Queryable = {
    query: (statement, values = []) => {
      sent.push(values)
      return db.query(statement, values)
    },
    execute: db.execute,
  }
  await Promise.all(claims.checkGone(watched))
  expect(sent).toEqual([[[stock.shard], [a]]])
  claims.end({ committed: false })
})

test('without asking: a seat that one names is not picked for another that asks by count', async () => {
  const stock = await makeStock('named_and_counted', 1)
  const { set, ids } = stock.seats
  const { vacancy } = await learnAll(stock)
  // The best seats, which a count would get.
  const best = vacancy.known(stock.event)!.pick(set, 2, [])
  vacancy.known(stock.event)!.giveBack(set, best)
  for (const others of [2, 28, 29]) {
    const asks = [makeAsk(stock, { counts: { [set]: others } }), makeAsk(stock, { ids: best })] as [Ask, Ask]
    const claims = await prepared(vacancy, asks)
    expect(claims.take()).toBe(others <= 28)
    if (others <= 28) {
      const counted = idsIn(claims.grant(asks[0]))
      expect(new Set([...counted, ...idsIn(claims.grant(asks[1])), ...best]).size).toBe(others + 2)
    }
    claims.end({ committed: false })
  }
  expect(vacancy.known(stock.event)!.pick(set, 99, []).toSorted()).toEqual(ids.toSorted())
})

test('without asking: what was named is vacant again when nothing was written', async () => {
  const stock = await makeStock('named_in_vain', 2)
  const { standing, seats } = stock
  const { vacancy, known } = await learnAll(stock)
  const named = [seats.ids[0]!, seats.ids[15]!, standing.ids[0]!]
  for (const is_granted of [true, false]) {
    const ask = makeAsk(stock, { ids: named })
    const claims = await prepared(vacancy, [ask])
    expect(claims.take()).toBe(true)
    if (is_granted) expect(idsIn(claims.grant(ask))).toEqual(named)
    claims.end({ committed: false })
  }
  expect(known.pick(standing.set, 9, [])).toHaveLength(2)
  expect(known.pick(seats.set, 99, [])).toHaveLength(30)
})

test.each<{ name: string; ask: (stock: Stock) => Parameters<typeof makeAsk>[1] }>([
  { name: 'more places than there are', ask: ({ standing }) => ({ counts: { [standing.set]: 6 } }) },
  { name: 'more seats than there are', ask: ({ seats }) => ({ counts: { [seats.set]: 31 } }) },
  {
    name: 'the last seats, which another names',
    ask: ({ seats }) => ({ counts: { [seats.set]: 30 } }),
  },
  {
    name: 'a ticket that does not exist',
    ask: ({ shard, seats }) => ({ ids: [seats.ids[1]!, newId(shard, Date.now())] }),
  },
  {
    name: 'a seat and a place of which nothing is known',
    ask: ({ seats, standing }) => ({ ids: [seats.ids[1]!, standing.ids[4]!] }),
  },
])('without asking nothing is taken of $name, and all stays in memory', async ({ name, ask }) => {
  const stock = await makeStock(`not_taken_${name.replaceAll(' ', '_')}`, 5)
  const { standing, seats } = stock
  const { vacancy, known } = await learnAll(stock)
  known.forget(standing.set, standing.ids.slice(4))
  const claims = await prepared(vacancy, [
    makeAsk(stock, { ids: seats.ids.slice(0, 1), counts: { [standing.set]: 2 } }),
    makeAsk(stock, ask(stock)),
  ])
  expect(claims.take()).toBe(false)
  claims.end({ committed: false })
  const again = await prepared(vacancy, [makeAsk(stock, { ids: seats.ids, counts: { [standing.set]: 4 } })])
  expect(again.take()).toBe(true)
  again.end({ committed: false })
  expect(known.pick(standing.set, 9, []).toSorted()).toEqual(standing.ids.slice(0, 4).toSorted())
  expect(known.pick(seats.set, 99, []).toSorted()).toEqual(seats.ids.toSorted())
})

test('without asking no seat is taken by its id before the hall is known', async () => {
  const stock = await makeStock('hall_unknown', 1)
  const { set, ids } = stock.seats
  const { vacancy, known } = await learnPlaces(stock)
  const asks = [makeAsk(stock, { ids: ids.slice(0, 1) })]
  const claims = await prepared(vacancy, asks)
  expect(claims.take()).toBe(false)
  claims.end({ committed: false })
  await known.stock(db, new Map([[set, 1]]))
  const again = await prepared(vacancy, asks)
  expect([again.take(), again.grant(asks[0]!).tickets]).toEqual([true, await rowsOf(ids.slice(0, 1))])
  again.end({ committed: false })
})

test('without asking a place is not taken of which no number is known', async () => {
  const stock = await makeStock('no_number', 2)
  const { set, ids } = stock.standing
  const { vacancy, known } = await learnPlaces(stock)
  known.forget(set, ids)
  known.giveBack(set, ids)
  const claims = await prepared(vacancy, [makeAsk(stock, { counts: { [set]: 1 } })])
  expect(claims.take()).toBe(false)
  claims.end({ committed: false })
  expect(known.pick(set, 9, []).toSorted()).toEqual(ids.toSorted())
})

test('without asking a place is not taken that has another serial than the others', async () => {
  const stock = await makeStock('other_serial', 3)
  const { set, ids } = stock.standing
  const [first, second] = ids as [string, string]
  const { vacancy, known } = await learnPlaces(stock)
  const take = async (count: number) => {
    const claims = await prepared(vacancy, [makeAsk(stock, { counts: { [set]: count } })])
    const taken = claims.take()
    claims.end({ committed: false })
    return taken
  }
  const [{ serial } = {}] = await sql('SELECT serial FROM tickets WHERE id = $1', [first])
  const released = { set, number: 1, seat: null }
  known.forget(set, [first, second])
  known.released({ ...released, id: first, serial: 'ZZZ' })
  expect([await take(1), await take(2)]).toEqual([false, false])
  known.forget(set, [first])
  known.released({ ...released, id: second, serial: String(serial), number: 2 })
  expect([await take(2), await take(3)]).toEqual([true, false])
})

test('without asking none is taken of places that were read with several serials', async () => {
  const stock = await makeStock('mixed_serials', 3)
  const { set, ids } = stock.standing
  await sql("UPDATE tickets SET serial = 'ZZZ' WHERE id = $1", [ids[1]])
  // It is read in two parts, divided anywhere: one of the places is always of another serial than the part that is remembered.
  const { vacancy } = await learnPlaces(stock)
  const ask = makeAsk(stock, { counts: { [set]: 3 } })
  const claims = await prepared(vacancy, [ask])
  expect(claims.take()).toBe(false)
  claims.end({ committed: false })
  const [grant] = await runBatch(vacancy, ask)
  expect(grant!.tickets).toHaveLength(3)
})
