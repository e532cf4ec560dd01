/** First round trip of a batch: its orders, locked, with their tickets; the clock; numbers for new orders. */
import { shardOf } from '../kernel/ids.ts'
import { ticketsOfOrders } from '../inventory/tickets.ts'
import type { HeldTicket } from '../inventory/tickets.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { ChangeOrder, LapseOrder, Order, OrderCommand } from './commands.ts'
import { statements } from './desk-rows.ts'
import type { OrderRow } from './desk-rows.ts'
import type { RecentOrders } from './recent-orders.ts'

export type LoadedBatch = {
  /** The orders that were locked, by id. */
  readonly orders: ReadonlyMap<string, Order>
  /** The places of their rows, by id. */
  readonly ctids: ReadonlyMap<string, string>
  /** Ids of the caller's own orders that another transaction has. */
  readonly busy: ReadonlySet<string>
  /** The database's clock, epoch milliseconds. */
  readonly now: number
  /** That of the rows the transaction writes. */
  readonly version: string
  /** For each create command, at its place, the number of the order. */
  readonly numbers: readonly (number | undefined)[]
}

type Existing = ChangeOrder | LapseOrder

/** `ctid`: the place of its row. */
type LockedOrder = { readonly order: Order; readonly ctid: string }

export async function loadBatch(
  tx: Queryable,
  commands: readonly OrderCommand[],
  recent: RecentOrders,
): Promise<LoadedBatch> {
  const existing = commands.filter((command) => command.kind !== 'create')
  const loading = loadExisting(tx, existing, recent)
  const reading = tx.query<{ now: number; version: string; numbers: string[] }>(statements.read_clock, [
    commands.length - existing.length,
  ])
  const locked = await loading
  const orders = new Map(locked.map(({ order }) => [order.id, order]))
  const [clock] = await reading
  if (clock === undefined) throw new Error('the database has no clock')
  const numbers = clock.numbers.map(Number)
  return {
    orders,
    ctids: new Map(locked.map(({ order, ctid }) => [order.id, ctid])),
    busy: await findBusy(tx, existing, orders),
    now: clock.now,
    version: clock.version,
    numbers: commands.map((command) => (command.kind === 'create' ? numbers.pop() : undefined)),
  }
}

async function loadExisting(
  tx: Queryable,
  commands: readonly Existing[],
  recent: RecentOrders,
): Promise<LockedOrder[]> {
  const remembered: Existing[] = []
  const unknown: Existing[] = []
  for (const command of commands) {
    const is_known = command.kind === 'change' && recent.get(command.order) !== undefined
    ;(is_known ? remembered : unknown).push(command)
  }
  const [known, loaded] = await Promise.all([lockRecent(tx, remembered, recent), loadOrders(tx, unknown)])
  const changed = new Set(known.filter(({ is_same }) => !is_same).map(({ order }) => order.id))
  const again = remembered.filter(({ order }) => changed.has(order))
  return [...known.filter(({ is_same }) => is_same), ...loaded, ...(await loadOrders(tx, again))]
}

type Remembered = LockedOrder & { readonly is_same: boolean }

/** Those of the orders that could be locked, as the process remembers them. */
async function lockRecent(
  tx: Queryable,
  commands: readonly Existing[],
  recent: RecentOrders,
): Promise<Remembered[]> {
  if (commands.length === 0) return []
  const copies = new Map(commands.map(({ order }) => [order, recent.get(order)]))
  const versions = commands.map(({ order }) => copies.get(order)?.version)
  const rows = await tx.query<{ id: string; is_same: boolean; ctid: string }>(statements.lock_recent_orders, [
    ...keysOf(commands),
    versions,
  ])
  return rows.flatMap(({ id, is_same, ctid }) => {
    const order = copies.get(id)?.order
    return order === undefined ? [] : [{ order, is_same, ctid }]
  })
}

async function loadOrders(tx: Queryable, commands: readonly Existing[]): Promise<LockedOrder[]> {
  if (commands.length === 0) return []
  const locking = tx.query<OrderRow & { ctid: string }>(statements.lock_orders, keysOf(commands))
  const tickets = ticketsOfOrders(
    tx,
    commands.map((command) => command.order),
  )
  const [rows, by_id] = await Promise.all([locking, tickets])
  return rows.map(({ ctid, ...row }) => ({ order: orderOf(row, by_id), ctid }))
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
