import {
  authenticate,
  createOrder,
  documentedEvents,
  documentedOrder,
  lapseOrders,
  listEvents,
  listTickets,
  orderFields,
  races,
  transport,
} from '../proofs.ts'
import { says, type Section } from '../statement.ts'

const VERSIONS = documentedOrder(
  'every path begins with its version; v1 has the listings, deprecated, and the images they link to',
)
const CONFLICTS = [
  races('in one process > a request on an order while another runs is 409'),
  races('in two processes > a request on an order while another runs is 409'),
] as const

/** Authentication, limits and versioning. */
export const RULES: readonly Section[] = [
  {
    title: 'Authentication',
    statements: [
      says(
        'Every request carries the header `Authorization` with value `key <API_KEY>` (the word key, a space, then the key).',
        authenticate('a key tells partner, origin and permissions'),
        authenticate('the bare key is refused'),
        authenticate('another scheme is refused'),
        transport('keys > none'),
        transport('keys > a bad one'),
      ),
      says(
        'The events listing is limited to events for which the key holder has a deal with the organizer.',
        listEvents('who sees which events'),
      ),
    ],
  },
  {
    title: 'Limits',
    statements: [
      says('One order admits one modifying request at a time; overlap returns 409 Conflict.', ...CONFLICTS),
      says(
        'Different orders are independent.',
        documentedOrder('requests to different orders run side by side'),
      ),
      says(
        'An order has a reservation lifetime in `expired_after`.',
        createOrder(
          'POST /v2/resources/orders > an event alone makes an empty order of the documented shape',
        ),
        lapseOrders(
          'unpaid orders end within two seconds of expired_after, and their tickets are on sale again',
        ),
      ),
      says(
        'The lifetime cannot be changed by the client and a value beyond the maximum gives `max expired_after is {dt}`.',
        orderFields('expired_after > of an API key: past the maximum, and any other'),
      ),
      says(
        'The v1 events listing is paged with `page` and `page_size`.',
        documentedEvents('?page=2&page_size=3 has the events [4,5,6]'),
        listEvents('pages'),
      ),
      says(
        'The v1 seated tickets listing is not paged.',
        listTickets('a hall of 50,000 seats is answered whole'),
      ),
    ],
  },
  {
    title: 'Versioning',
    statements: [
      says('The version is part of the path: `/v1/...` and `/v2/...`.', VERSIONS),
      says('v1 holds only the two legacy listings, which are deprecated.', VERSIONS),
      says('v2 holds orders, refund requests, order export and promocode check.', VERSIONS),
    ],
  },
]
