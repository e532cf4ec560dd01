/** First round trip of a batch: its orders, locked, with their tickets; the clock; numbers for new orders. */
import { shardOf } from '../kernel/ids.ts'
import { ticketsOfOrders } from '../inventory/tickets.ts'
import type { HeldTicket } from '../inventory/tickets.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { ChangeOrder, LapseOrder, Order, OrderCommand } from './commands.ts'
import { statements } from './desk-rows.ts'
import type { OrderRow } from './desk-rows.ts'

export type LoadedBatch = {
  /** The orders that were locked, by id. */
  readonly orders: ReadonlyMap<string, Order>
  /** Ids of the caller's own orders that another transaction has. */
  readonly busy: ReadonlySet<string>
  /** The database's clock, epoch milliseconds. */
  readonly now: number
  /** For each create command, at its place, the number of the order. */
  readonly numbers: readonly (number | undefined)[]
}

type Existing = ChangeOrder | LapseOrder

export async function loadBatch(tx: Queryable, commands: readonly OrderCommand[]): Promise<LoadedBatch> {
  const existing = commands.filter((command) => command.kind !== 'create')
  const by_shard = [...Map.groupBy(existing, (command) => shardOf(command.order))].toSorted(
    ([a], [b]) => a - b,
  )
  const loading = by_shard.map(([shard, group]) => loadOrders(tx, shard, group))
  const reading = tx.query<{ now: number; numbers: string[] }>(statements.read_clock, [
    commands.length - existing.length,
  ])
  const orders = new Map((await Promise.all(loading)).flat().map((order) => [order.id, order]))
  const [clock] = await reading
  if (clock === undefined) throw new Error('the database has no clock')
  const numbers = clock.numbers.map(Number)
  return {
    orders,
    busy: await findBusy(tx, by_shard, orders),
    now: clock.now,
    numbers: commands.map((command) => (command.kind === 'create' ? numbers.pop() : undefined)),
  }
}

async function loadOrders(tx: Queryable, shard: number, commands: readonly Existing[]): Promise<Order[]> {
  const locking = tx.query<OrderRow>(statements.lock_orders, keysOf(shard, commands))
  const tickets = ticketsOfOrders(
    tx,
    shard,
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
  by_shard: readonly (readonly [number, Existing[]])[],
  locked: ReadonlyMap<string, Order>,
): Promise<Set<string>> {
  const missing = by_shard
    .map(
      ([shard, group]) =>
        [shard, group.filter(({ kind, order }) => kind === 'change' && !locked.has(order))] as const,
    )
    .filter(([, group]) => group.length > 0)
  const found = await Promise.all(
    missing.map(([shard, group]) =>
      tx.query<{ id: string }>(statements.orders_of_vendors, keysOf(shard, group)),
    ),
  )
  return new Set(found.flat().map(({ id }) => id))
}

function keysOf(shard: number, commands: readonly Existing[]): unknown[] {
  return [
    shard,
    commands.map((command) => command.order),
    commands.map((command) => (command.kind === 'change' ? command.caller.partner.id : null)),
  ]
}
