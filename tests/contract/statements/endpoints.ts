import {
  changeOrder,
  checkPromocode,
  completeOrder,
  createOrder,
  documentedEvents,
  documentedOrder,
  exportOrders,
  listEvents,
  listOrders,
  listTickets,
  orderStates,
  races,
  refundRequests,
  transport,
} from '../proofs.ts'
import { says, type Section } from '../statement.ts'

const EMPTY_ORDER = createOrder(
  'POST /v2/resources/orders > an event alone makes an empty order of the documented shape',
)
const REFS = createOrder(
  'POST /v2/resources/orders > refs describe the event, the two partners, the venue and the sets of the tickets',
)
const BY_COUNT = createOrder(
  'POST /v2/resources/orders > random takes tickets by count from each set, at their price with the fee of the deal',
)
const BY_ID = createOrder('POST /v2/resources/orders > tickets reserves seats by id, each once')
const ON_CREATION = createOrder(
  'POST /v2/resources/orders > what cannot be reserved is missing, or with all_or_nothing nothing is reserved',
)
const BOTH = documentedOrder(
  'tickets and random together are refused in a PATCH too, and nothing of it happens',
)
const WHOLE_LIST = changeOrder(
  'tickets is the whole wanted list > adds what is new, keeps what is held, releases what is left out',
)
const WHOLE_COUNTS = changeOrder(
  'random is the whole wanted count per set > grows, falls from the last reserved, and a set left out means 0',
)
const SKIPPED = changeOrder(
  'tickets is the whole wanted list > what cannot be reserved is skipped, and what is left out is released all the same',
)
const ALL_OR_NOTHING = changeOrder(
  'tickets is the whole wanted list > all_or_nothing: when one cannot be reserved nothing is released',
)
const TOO_FEW = changeOrder(
  'random is the whole wanted count per set > a set with too few gives what it has; with all_or_nothing the order stays as it was',
)
const RANDOM_FIRST = changeOrder(
  'mixed orders of the document > 2a and 3a: random first, then tickets with all ids',
)
const SEATED_FIRST = changeOrder(
  'mixed orders of the document > 2b and 3b: seated first, then random naming its set with count 1',
)
const COMPLETION = completeOrder(
  'completion > gives barcodes, code and done_at, sells the tickets and charges the share of the organizer',
)
const CONFLICTS = [
  races('in one process > a request on an order while another runs is 409'),
  races('in two processes > a request on an order while another runs is 409'),
] as const

const POST_AND_PATCH: readonly Section[] = [
  {
    title: 'POST /v2/resources/orders',
    statements: [
      says('event: objectid, event to order tickets for', EMPTY_ORDER),
      says('event is required', createOrder('refusals of POST > neither event nor tickets')),
      says(
        'tickets: list of objectid, seated ticket ids to reserve; cannot be combined with `random`',
        BY_ID,
        createOrder('refusals of POST > both ways to reserve'),
      ),
      says(
        'random: map category id to integer count; cannot be combined with `tickets`',
        BY_COUNT,
        createOrder('refusals of POST > both ways to reserve'),
      ),
      says(
        'all_or_nothing: bool',
        ON_CREATION,
        transport('bad input > all faults of a POST are told at once'),
      ),
      says('Response 200: `{ data: Order, refs: {...} }`.', EMPTY_ORDER, REFS),
      says('A new order has status `executed`.', EMPTY_ORDER),
      says('Errors: HTTP 400 with `errors` list.', createOrder('refusals of POST')),
    ],
  },
  {
    title: 'PATCH /v2/resources/orders/{id}',
    statements: [
      says(
        'One request may carry several actions.',
        completeOrder('completion > reservation and completion in one request'),
      ),
      says('Path parameter `id`: objectid of the order.', WHOLE_LIST, changeOrder("another partner's order")),
      says(
        'tickets: the complete desired set of ticket ids of the order, including those already reserved',
        WHOLE_LIST,
      ),
      says(
        'random: the complete desired count per category, including categories already held',
        WHOLE_COUNTS,
      ),
      says('all_or_nothing: atomic reservation switch', ALL_OR_NOTHING),
      says(
        'status: `done` completes the order; `cancelled` cancels it',
        orderStates('in state executed > change 3 is answered: ok done'),
        orderStates('in state executed > change 4 is answered: ok cancelled'),
      ),
      says('1. `tickets` and `random` must not be sent in the same request.', BOTH),
      says(
        '2. To add a ticket, send the full list including already reserved ones. To remove a ticket, send the list without it.',
        WHOLE_LIST,
        changeOrder('tickets is the whole wanted list > a released seat is at once free for another order'),
      ),
      says(
        "2. To drop one ticket of a category, resend all categories with that category's count decreased by one.",
        WHOLE_COUNTS,
      ),
      says(
        '3. The response always lists reserved tickets in `data.tickets`, also after a `random` request.',
        WHOLE_LIST,
        WHOLE_COUNTS,
      ),
      says(
        '4. To combine seated and unseated tickets: send `random`; read the ticket ids from `data.tickets`; add the new seated ticket id to them; send `tickets` with that list.',
        RANDOM_FIRST,
      ),
      says(
        "4. After a seated ticket is held, `random` is sent naming the seated ticket's category with count 1 as well as the unseated category.",
        SEATED_FIRST,
      ),
      says(
        '5. `all_or_nothing` = true: either all requested tickets are reserved or none.',
        ALL_OR_NOTHING,
        ON_CREATION,
      ),
      says(
        '5. When the request both releases and reserves tickets and at least one reservation fails, nothing is released; the reserved list stays as it was.',
        ALL_OR_NOTHING,
      ),
      says(
        '6. `all_or_nothing` absent or false: tickets that cannot be reserved are skipped and are missing from `data.tickets`.',
        SKIPPED,
        ON_CREATION,
      ),
      says('7. `all_or_nothing` may be used with `tickets` and with `random`.', ALL_OR_NOTHING, TOO_FEW),
      says(
        '8. Two requests to one order must not be processed concurrently; a request arriving before the previous one finished gets 409 Conflict.',
        ...CONFLICTS,
      ),
      says(
        '8. Requests to different orders may run concurrently.',
        documentedOrder('requests to different orders run side by side'),
      ),
      says(
        '9. `status` = `done` returns the completed order with `done_at`, `code` and barcodes.',
        COMPLETION,
      ),
      says('Response 200: `{ data: Order, refs: {...} }`.', COMPLETION, WHOLE_LIST),
      says('Errors: HTTP 400 with `errors` list; HTTP 409 as in rule 8.', BOTH, ...CONFLICTS),
    ],
  },
  {
    title: 'Endpoints that are listed only',
    statements: [
      says(
        'GET /v2/resources/orders',
        listOrders('one page'),
        listOrders('created_at'),
        listOrders('what is refused'),
        listOrders('paging'),
      ),
      says('GET /v2/resources/refund_requests', refundRequests('the list')),
      says(
        'POST /v2/resources/orders/export',
        exportOrders('the files'),
        exportOrders('the export is seen by the partner that asked alone'),
      ),
      says('POST /v2/resources/refund_requests/', refundRequests('a request')),
      says('POST /v2/services/promocodes/check', checkPromocode('usable')),
      says(
        'PATCH /v2/resources/refund_requests/{refund_id}',
        refundRequests('approval'),
        refundRequests('a decision'),
      ),
    ],
  },
]

const LISTINGS: readonly Section[] = [
  {
    title: 'GET /v1/services/simple/events (deprecated)',
    statements: [
      says(
        'Returns events for which the caller has a deal with the organizer.',
        listEvents('who sees which events'),
      ),
      says('page: integer, page number', listEvents('pages'), listEvents('filters > refuses page=one')),
      says(
        'page_size: integer, items per page',
        listEvents('pages'),
        listEvents('filters > refuses page_size=0'),
      ),
      says(
        'page=2 with page_size=3 returns events 4 to 6 inclusive',
        documentedEvents('?page=2&page_size=3 has the events [4,5,6]'),
      ),
      says(
        'page_size without page returns the first page.',
        documentedEvents('?page_size=3 has the events [1,2,3]'),
        listEvents('pages > ?page_size=2'),
      ),
      says(
        'Response 200: a list of legacy event objects.',
        listEvents('an event > is what the OpenAPI document describes, and so is its example'),
      ),
      says('Filter org: objectid', listEvents('filters > ?org={other_org}')),
      says('Filter status: list of string', listEvents('filters > ?status=stand_by,finished')),
      says(
        'Filter tags: list of objectid',
        documentedEvents('?tags=6920a1f00000c3a5e1000012,6920a1f00000c3a5e1000017 has the events [2,7]'),
        listEvents('filters > ?tags=festival,none'),
      ),
      says('Filter venue: objectid', listEvents('filters > ?venue={palace}')),
      says('Filter city: integer', listEvents('filters > ?city=1')),
      says('Filter country: integer', listEvents('filters > ?country=643')),
      says(
        'Filter lifetime: range of ISO 8601 date-times',
        listEvents('filters > ?lifetime=2099-07-04 20:00:00,2099-07-04T20:00:01Z'),
        listEvents('filters > ?lifetime=2099-07-04T23:30:01Z,'),
      ),
      says(
        'Filter price: range of strings holding fractional or integer numbers',
        listEvents('filters > ?price=132.55,132.55'),
        listEvents('filters > ?price=200,230'),
      ),
      says(
        'Filter view_limit: `salespoint` or `showroom`',
        listEvents('filters > ?view_limit=salespoint'),
        listEvents('filters > ?view_limit=showroom'),
      ),
    ],
  },
  {
    title: 'GET /v1/resources/events/{id}/tickets (deprecated)',
    statements: [
      says(
        'Lists tickets of categories with seating for one event.',
        listTickets(
          'the list > has the seated tickets that are not pending, front to back and along the row',
        ),
        listTickets('the list > is empty when no category has seats'),
      ),
      says('Path parameter `id`: objectid of the event.', listTickets('who sees it')),
      says(
        'status: list of string; values `vacant`, `reserved`, `sold`, `pending`',
        listTickets('the list > shows what is reserved, until when, and what is sold'),
        listTickets('refuses status=free'),
      ),
      says(
        'status: default is all statuses except `pending`',
        listTickets(
          'the list > has the seated tickets that are not pending, front to back and along the row',
        ),
        listTickets('the list > shows what is reserved, until when, and what is sold'),
      ),
      says(
        'sector: list of objectid, filter by sectors',
        listTickets('the list > has several sectors one after the other, and those that are asked for'),
      ),
      says('No pagination.', listTickets('a hall of 50,000 seats is answered whole')),
      says(
        'Response 200: list of legacy seated tickets.',
        listTickets('the list > is what the OpenAPI document describes, and so is its example'),
      ),
    ],
  },
]

export const ENDPOINTS: readonly Section[] = [...POST_AND_PATCH, ...LISTINGS]
