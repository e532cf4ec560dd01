/** Which orders a list is of: what the caller may see, narrowed by its filters, as the statements take it. */
import { firstIdOf, shardOf } from '../kernel/ids.ts'
import type { Caller } from '../partners/caller.ts'
import type { OrderStatus } from './commands.ts'

/** Times are epoch milliseconds, both ends included. What is undefined filters nothing. */
export type OrderFilters = {
  readonly created_at?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
  /** Any of these. */
  readonly status?: readonly OrderStatus[] | undefined
  /** Of any of these. */
  readonly events?: readonly string[] | undefined
  /** Those whose settings have something of a customer. */
  readonly only_with_customer?: boolean | undefined
}

export type OrderSelection = {
  /** It sold the orders, or organizes their events. */
  readonly partner: string
  /** null: of any event. Sorted, each once. */
  readonly events: readonly string[] | null
  readonly shards: readonly number[] | null
  /** The ids are from the one on, and below the other. */
  readonly from: string
  readonly below: string
  /** null: in any status. Sorted, each once. */
  readonly statuses: readonly OrderStatus[] | null
  readonly only_with_customer: boolean
}

export function selectOrders(caller: Caller, filters: OrderFilters): OrderSelection {
  const { created_at, status, only_with_customer = false } = filters
  const events = visibleEvents(caller, filters.events)
  return {
    partner: caller.partner.id,
    events,
    shards: events && distinct(events.map(shardOf)),
    // An order's created_at is the second in its id.
    from: firstIdOf(Math.ceil((created_at?.from ?? -Infinity) / 1000)),
    below: firstIdOf(Math.floor((created_at?.to ?? Infinity) / 1000) + 1),
    statuses: status === undefined ? null : distinct(status),
    only_with_customer,
  }
}

function visibleEvents(caller: Caller, wanted: readonly string[] | undefined): string[] | null {
  if (caller.events === null) return wanted === undefined ? null : distinct(wanted)
  return distinct(wanted === undefined ? caller.events : caller.events.filter((id) => wanted.includes(id)))
}

function distinct<Value extends string | number>(values: readonly Value[]): Value[] {
  return [...new Set(values)].toSorted((a, b) => (a < b ? -1 : 1))
}
