import { changeOrder, completeOrder, createOrder, listTickets, orderStates, presentOrder } from '../proofs.ts'
import { says, type Section } from '../statement.ts'

const EMPTY_ORDER = createOrder(
  'POST /v2/resources/orders > an event alone makes an empty order of the documented shape',
)
const BY_COUNT = createOrder(
  'POST /v2/resources/orders > random takes tickets by count from each set, at their price with the fee of the deal',
)
const COMPLETION = completeOrder(
  'completion > gives barcodes, code and done_at, sells the tickets and charges the share of the organizer',
)

export const STATES: readonly Section[] = [
  {
    title: 'States and transitions',
    statements: [
      says(
        'A valid POST /v2/resources/orders makes an order `executed`: `created_at`, `expired_after` set; tickets reserved when `tickets` or `random` was sent; ticket barcodes are null.',
        EMPTY_ORDER,
        BY_COUNT,
        createOrder('POST /v2/resources/orders > tickets reserves seats by id, each once'),
      ),
      says(
        '`executed`, PATCH with `tickets` or `random`: stays `executed`; the reserved set becomes the requested set; totals in `values` recomputed.',
        changeOrder(
          'tickets is the whole wanted list > adds what is new, keeps what is held, releases what is left out',
        ),
        changeOrder(
          'random is the whole wanted count per set > grows, falls from the last reserved, and a set left out means 0',
        ),
        orderStates('in state executed > change 0 is answered: ok executed'),
        orderStates('in state executed > change 1 is answered: ok executed'),
      ),
      says(
        '`executed`, PATCH with `status` = `done`: the order holds at least one ticket and sufficient funds exist.',
        completeOrder('completion > without a ticket, also when the request itself drops the last'),
        completeOrder('completion > not enough money changes nothing, and with money it goes through'),
      ),
      says('On `done`, `done_at` and `code` appear; each ticket gets a barcode.', COMPLETION),
      says(
        'A cancellable state, PATCH with `status` = `cancelled`: `cancelled`.',
        orderStates('in state executed > change 4 is answered: ok cancelled'),
        orderStates('in state in_progress > change 4 is answered: ok cancelled'),
      ),
      says(
        'Barcodes exist only on an order in status `done`.',
        BY_COUNT,
        COMPLETION,
        presentOrder('before completion there is no done_at, no code, no barcode'),
      ),
      says(
        'When `status` is sent with a value other than `cancelled` or `done`, or a move is not allowed, an error from the Errors table is returned.',
        orderStates('in state executed'),
        orderStates('in state in_progress'),
        orderStates('in state done'),
        orderStates('in state cancelled'),
        orderStates('in state expired'),
        orderStates('in state expired_unswept'),
      ),
      says(
        'Ticket statuses: `vacant`, `reserved`, `sold`, `pending` (v1 listing). Inside an order, tickets are `reserved`.',
        listTickets('the list > shows what is reserved, until when, and what is sold'),
        BY_COUNT,
        COMPLETION,
      ),
    ],
  },
]
