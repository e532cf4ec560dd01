/** Who may sell an event, and by which deal. */
import type { Deal, EventEntry } from '../events/event-entry.ts'
import type { Percentage } from '../kernel/money.ts'
import type { Caller } from '../partners/caller.ts'
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './deals-rows.ts'
import type { DealRow } from './deals-rows.ts'
import { isInForce, pickDeal } from './rules/pick-deal.ts'

type EventDeals = Pick<EventEntry, 'id' | 'deals'>

/**
 * The deal that `vendor` (partner id) sells the event by at `now` (epoch milliseconds): the one that `deal` names, else the
 * newest; undefined when none is in force. The organizer needs no deal for its own events: ask `mayList` for that.
 */
export function dealFor(
  event: EventDeals,
  vendor: string,
  deal: string | undefined,
  now: number,
): Deal | undefined {
  return pickDeal({ deals: event.deals, vendor, event: event.id, deal, now })
}

/** Whether the caller may see the event: its own, or one a deal in force covers, and one that its key is not kept from. */
export function mayList(event: EventDeals & Pick<EventEntry, 'org'>, caller: Caller, now: number): boolean {
  if (caller.events !== null && !caller.events.includes(event.id)) return false
  const partner = caller.partner.id
  return event.org.id === partner || dealFor(event, partner, undefined, now) !== undefined
}

/** What a partner may list: `events` (null: all) of an organizer, under the fee `extra`. */
export type Coverage = {
  readonly org: string
  readonly events: readonly string[] | null
  readonly extra: Percentage
}

/**
 * All that `partner` may list at `now` (epoch milliseconds): what its deals in force cover, newest first, so that the first
 * that covers an event is the one `dealFor` answers; and the events of its own, without a fee.
 */
export async function coverageOf(db: Queryable, partner: string, now: number): Promise<Coverage[]> {
  const rows = await db.query<DealRow>(statements.deals_of_vendor, [partner])
  const deals = rows.filter(({ active, start, finish }) =>
    isInForce({ active, lifetime: { start, finish } }, now),
  )
  return [
    ...deals.map(({ org, events, extra }) => ({ org, events, extra })),
    { org: partner, events: null, extra: 0 },
  ]
}
