/** The legacy listings of version 1, each answer checked against the API document. */
import { idOf, minor, same, sumOf } from './checks.ts'
import { EVENTS, TICKETS, type LegacyEvent, type LegacyTicket } from './document.ts'
import type { ListedEvent, Listing, SeatsWish } from './listing.ts'
import type { Seller } from './seller.ts'

export function createV1Listing(seller: Seller): Listing {
  return {
    async listEvents(step) {
      const events = await seller.send({
        step,
        method: 'GET',
        path: '/v1/services/simple/events?status=public&page_size=200',
        status: 200,
        answer: EVENTS,
        check: (listed, headers) => [...checkEvents(listed), ...checkDeprecation(headers)],
      })
      return events.map(toListed)
    },
    listSeats: ({ step, ...asked }) =>
      seller.send({
        step,
        method: 'GET',
        path: `/v1/resources/events/${asked.event.id}/tickets?status=${asked.status}`,
        status: 200,
        answer: TICKETS,
        check: (tickets, headers) => [...checkSeats(tickets, asked), ...checkDeprecation(headers)],
      }),
  }
}

function toListed({ id, title, tickets_amount_vacant, deal, sets }: LegacyEvent): ListedEvent {
  return {
    id,
    name: title.text,
    amount_vacant: tickets_amount_vacant,
    // Without a deal it is the seller's own event, which has no fee.
    extra: deal?.extra ?? '0%',
    sets: sets.map(({ price_org, ...set }) => ({ ...set, price: minor(price_org) })),
  }
}

/** The totals are the sums over the categories. */
function checkEvents(events: readonly LegacyEvent[]): string[] {
  return events.flatMap(({ sets, tickets_amount, tickets_amount_vacant }, index) => [
    ...same(`[${index}].tickets_amount`, tickets_amount, sumOf(sets.map(({ amount }) => amount))),
    ...same(
      `[${index}].tickets_amount_vacant`,
      tickets_amount_vacant,
      sumOf(sets.map((set) => set.amount_vacant)),
    ),
  ])
}

function checkSeats(
  tickets: readonly LegacyTicket[],
  { event, status, contains }: Omit<SeatsWish, 'step'>,
): string[] {
  const seated = new Set(event.sets.filter(({ with_seats }) => with_seats).map(idOf))
  const faults = tickets.flatMap((ticket, index) => [
    ...same(`[${index}].status`, ticket.status, status),
    ...(seated.has(ticket.set) ? [] : [`[${index}].set is no seated category of the event`]),
    ...((ticket.reserved_till !== null) === (status === 'reserved')
      ? []
      : [`[${index}].reserved_till must be there in status reserved only`]),
  ])
  return !contains || tickets.some(({ id }) => id === contains.id)
    ? faults
    : [...faults, `the ticket ${contains.id} must be in the list`]
}

/** RFC 9745 and RFC 8288. */
function checkDeprecation(headers: Headers): string[] {
  const { deprecation = '', link = '' } = Object.fromEntries(headers)
  return [
    ...(/^@\d+$/.test(deprecation) ? [] : ['the header Deprecation must be @<seconds>']),
    ...(/^<[^>]+>; rel="successor-version"$/.test(link) ? [] : ['the header Link must name the successor']),
  ]
}
