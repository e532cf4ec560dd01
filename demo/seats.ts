/** The legacy seat listing, each answer checked against the API document. */
import { checkSeats } from './checks.ts'
import { TICKETS, type LegacyEvent, type LegacyTicket } from './document.ts'
import type { Seller } from './seller.ts'

type SeatListing = {
  step: string
  event: LegacyEvent
  status: LegacyTicket['status']
  /** A ticket that must be among them. */
  contains?: { id: string }
}

export async function listSeats(
  seller: Seller,
  { step, contains, ...asked }: SeatListing,
): Promise<LegacyTicket[]> {
  return seller.send({
    step,
    method: 'GET',
    path: `/v1/resources/events/${asked.event.id}/tickets?status=${asked.status}`,
    status: 200,
    answer: TICKETS,
    check: (tickets, headers) => [
      ...checkSeats(tickets, asked),
      ...(!contains || tickets.some(({ id }) => id === contains.id)
        ? []
        : [`the ticket ${contains.id} must be in the list`]),
      ...checkDeprecation(headers),
    ],
  })
}

/** RFC 9745 and RFC 8288. */
export function checkDeprecation(headers: Headers): string[] {
  const { deprecation = '', link = '' } = Object.fromEntries(headers)
  return [
    ...(/^@\d+$/.test(deprecation) ? [] : ['the header Deprecation must be @<seconds>']),
    ...(/^<[^>]+>; rel="successor-version"$/.test(link) ? [] : ['the header Link must name the successor']),
  ]
}
