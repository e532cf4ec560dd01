import {
  changeOrder,
  checkPromocode,
  completeOrder,
  createOrder,
  documentedOrder,
  exportOrders,
  listEvents,
  listOrders,
  listTickets,
  refundRequests,
  transport,
} from '../proofs.ts'
import { says, type Section } from '../statement.ts'

const FLOW = documentedOrder(
  'the typical flow: ids from the two listings, unseated first, then a seat, then done',
)
const RANDOM_FIRST = changeOrder(
  'mixed orders of the document > 2a and 3a: random first, then tickets with all ids',
)
const SEATED_FIRST = changeOrder(
  'mixed orders of the document > 2b and 3b: seated first, then random naming its set with count 1',
)

export const SERVICE: readonly Section[] = [
  {
    title: 'What the service does',
    statements: [
      says(
        'All request and response bodies are JSON (Content-Type: application/json).',
        transport('the order routes > hand the desk what the body asks for, and answer what it gives'),
        transport('bad input > text/plain'),
      ),
      says(
        'The service lets an authorized seller sell tickets for events for which the seller has a deal with the event organizer.',
        createOrder(
          'POST /v2/resources/orders > random takes tickets by count from each set, at their price with the fee of the deal',
        ),
        createOrder('refusals of POST > no deal'),
      ),
      says(
        'A seller creates an order for exactly one event.',
        createOrder(
          'POST /v2/resources/orders > an event alone makes an empty order of the documented shape',
        ),
        createOrder('refusals of POST > tickets of two events'),
      ),
      says(
        'Tickets are reserved into the order by concrete ticket id (seated tickets).',
        createOrder('POST /v2/resources/orders > tickets reserves seats by id, each once'),
      ),
      says(
        'Tickets are reserved into the order by count per ticket category (tickets without seats, picked by the service).',
        createOrder(
          'POST /v2/resources/orders > random takes tickets by count from each set, at their price with the fee of the deal',
        ),
      ),
      says(
        'The seller completes the order by setting its status to `done`. Tickets then receive barcodes.',
        completeOrder(
          'completion > gives barcodes, code and done_at, sells the tickets and charges the share of the organizer',
        ),
      ),
      says(
        'The seller may cancel an order by setting its status to `cancelled`.',
        changeOrder(
          'other actions > cancelling puts everything back on sale, and changing nothing but the status works once',
        ),
      ),
      says(
        'Events and seated tickets can be discovered through two legacy v1 listings (deprecated).',
        FLOW,
        listEvents('answers say that the listing is deprecated, also when they refuse'),
        listTickets('the list > is deprecated'),
      ),
      says(
        'Endpoints for listing orders, exporting orders, refund requests and a promocode check exist.',
        listOrders('one page > each order is shown as it is read alone, and refs are those of all'),
        exportOrders('the files'),
        refundRequests('a request > is answered with its record and what it names'),
        checkPromocode('usable'),
      ),
    ],
  },
  {
    title: 'Typical flow for a mixed order',
    statements: [
      says('Step 0: obtain event id and category (set) ids from the event listing.', FLOW),
      says('Step 1: obtain seated ticket ids for the event from the seat listing.', FLOW),
      says('Step 2a: POST order with `event` and `random` (unseated first).', FLOW, RANDOM_FIRST),
      says('Step 2b: POST order with `tickets` (seated first).', SEATED_FIRST),
      says(
        'Step 3a: PATCH order with `tickets` = ids of all tickets already in the order plus the new seated ticket id.',
        FLOW,
        RANDOM_FIRST,
      ),
      says('Step 3b: PATCH order with `random` = the desired count per category.', SEATED_FIRST),
      says('Step 4: PATCH order with `status` = `done`.', FLOW, RANDOM_FIRST, SEATED_FIRST),
    ],
  },
]
