/** First round trip of a batch: its orders, locked, with their tickets; the clock; numbers for new orders. */
import { shardOf } from '../kernel/ids.ts'
import { ticketsOfOrders } from '../inventory/tickets.ts'
import type { HeldTicket } from '../inventory/tickets.ts'
import type { Queryable } from '../platform/db/db.ts'
import { numbersOf } from './batch-steps.ts'
import type { ChangeOrder, LapseOrder, Order, OrderCommand } from './commands.ts'
import type { DeskMemory } from './desk-memory.ts'
import { readClock, statements } from './desk-rows.ts'
import type { OrderRow } from './desk-rows.ts'
import type { RecentOrders } from './recent-orders.ts'

export type LoadedBatch = {
  /** The orders that were locked, by id. */
  readonly orders: ReadonlyMap<string, Order>
  /** Ids of the caller's own orders that another transaction has. */
  readonly busy: ReadonlySet<string>
  /** The database's clock, epoch milliseconds. */
  readonly now: number
  /** That of the rows the transaction writes. */
  readonly version: string
  /** For each create command, at its place, the number of the order. */
  readonly numbers: readonly (number | undefined)[]
  /** Numbers for later ones. */
  readonly spare_numbers: readonly number[]
}

type Existing = ChangeOrder | LapseOrder

export async function loadBatch(
  tx: Queryable,
  commands: readonly OrderCommand[],
  memory: DeskMemory,
): Promise<LoadedBatch> {
  const existing = commands.filter((command) => command.kind !== 'create')
  const creates = commands.length - existing.length
  const [existing_orders, { now, version, numbers }] = await Promise.all([
    loadExisting(tx, existing, memory),
    readClock(tx, { numbers: creates + memory.numbersWanted(creates) }).then((read) => {
      memory.noteClock(read.now)
      return read
    }),
  ])
  const orders = new Map(existing_orders.map((order) => [order.id, order]))
  return {
    orders,
    busy: await findBusy(tx, existing, orders),
    now,
    version,
    numbers: numbersOf(commands, numbers.slice(0, creates)),
    spare_numbers: numbers.slice(creates),
  }
}

async function loadExisting(
  tx: Queryable,
  commands: readonly Existing[],
  { recent }: DeskMemory,
): Promise<Order[]> {
  const remembered: Existing[] = []
  const unknown: Existing[] = []
  for (const command of commands) {
    const is_known = command.kind === 'change' && recent.get(command.order) !== undefined
    ;(is_known ? remembered : unknown).push(command)
  }
  const [known, loaded] = await Promise.all([lockRecent(tx, remembered, recent), loadOrders(tx, unknown)])
  const same = known.filter(({ is_same }) => is_same).map(({ order }) => order)
  const changed = new Set(known.filter(({ is_same }) => !is_same).map(({ order }) => order.id))
  const again = remembered.filter(({ order }) => changed.has(order))
  return [...same, ...loaded, ...(await loadOrders(tx, again))]
}

type Remembered = { readonly order: Order; readonly is_same: boolean }

/** Those of the orders that could be locked, as the process remembers them. */
async function lockRecent(
  tx: Queryable,
  commands: readonly Existing[],
  recent: RecentOrders,
): Promise<Remembered[]> {
  if (commands.length === 0) return []
  const copies = new Map(commands.map(({ order }) => [order, recent.get(order)]))
  const versions = commands.map(({ order }) => copies.get(order)?.version)
  const rows = await tx.query<{ id: string; is_same: boolean }>(statements.lock_recent_orders, [
    ...keysOf(commands),
    versions,
  ])
  return rows.flatMap(({ id, is_same }) => {
    const order = copies.get(id)?.order
    return order === undefined ? [] : [{ order, is_same }]
  })
}

async function loadOrders(tx: Queryable, commands: readonly Existing[]): Promise<Order[]> {
  if (commands.length === 0) return []
  const locking = tx.query<OrderRow>(statements.lock_orders, keysOf(commands))
  const tickets = ticketsOfOrders(
    tx,
    commands.map((command) => command.order),
  )
  const [rows, by_id] = await Promise.all([locking, tickets])
  return rows.map((row) => orderOf(row, by_id))
}

/** `tickets` has the order's tickets by id. */
export function orderOf(row: OrderRow, tickets: ReadonlyMap<string, HeldTicket>): Order {
  return {
    ...row,
    tickets: row.tickets.map((id) => {
      const ticket = tickets.get(id)
      if (ticket === undefined) throw new Error(`ticket ${id} of order ${row.id} does not exist`)
      return ticket
    }),
  }
}

/** An order that was not locked is either none of the vendor's, or another transaction has it. */
async function findBusy(
  tx: Queryable,
  commands: readonly Existing[],
  locked: ReadonlyMap<string, Order>,
): Promise<Set<string>> {
  const missing = commands.filter(({ kind, order }) => kind === 'change' && !locked.has(order))
  if (missing.length === 0) return new Set()
  const found = await tx.query<{ id: string }>(statements.orders_of_vendors, keysOf(missing))
  return new Set(found.map(({ id }) => id))
}

function keysOf(commands: readonly Existing[]): unknown[] {
  return [
    commands.map((command) => shardOf(command.order)),
    commands.map((command) => command.order),
    commands.map((command) => (command.kind === 'change' ? command.caller.partner.id : null)),
  ]
}
