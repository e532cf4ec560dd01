import {
  completeOrder,
  createOrder,
  documentedOrder,
  lapseOrders,
  listEvents,
  listOrders,
  listTickets,
  orderFields,
  presentOrder,
  promo,
} from '../proofs.ts'
import { rows, says, type Section } from '../statement.ts'

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
const COMPLETION = completeOrder(
  'completion > gives barcodes, code and done_at, sells the tickets and charges the share of the organizer',
)
const NOT_DONE = presentOrder('before completion there is no done_at, no code, no barcode')
const EXAMPLE = presentOrder('a completed mixed order is the documented example, byte by byte')
const TOTALS = documentedOrder('the totals are the sums over the tickets, and full is nominal and extra')
const PROMOCODES = promo(
  'promocodes > are found in any case, listed as ids, described in refs, and applied to the sets they are for',
)
const SETTINGS = orderFields(
  'settings > the three are always shown, the rest when set; customer is merged field by field',
)
const VENDOR_DATA = orderFields('vendor_data')
const LEGACY_EVENT = listEvents('an event > has every field of the contract')

export const RESOURCES: readonly Section[] = [
  {
    title: 'Type conventions',
    statements: [
      says('objectid: string identifier of a record', EMPTY_ORDER, BY_COUNT),
      says('isodatetime: in v2 order payloads the form is `YYYY-MM-DD HH:MM:SS`', EMPTY_ORDER, COMPLETION),
      says(
        'isodatetime: in v1 event payloads the form is `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`',
        LEGACY_EVENT,
        listTickets('the list > shows what is reserved, until when, and what is sold'),
      ),
      says('money: string decimal number with two fractional digits', TOTALS, completeOrder('prices')),
      says(
        'vevent: string holding an iCalendar VEVENT block (lines separated by CRLF) with DTSTART and DTEND in UTC, form `YYYYMMDDTHHMMSSZ`',
        LEGACY_EVENT,
        listEvents('an event > has periods that calendars read'),
      ),
    ],
  },
  {
    title: 'Order',
    statements: [
      says('id: objectid', EMPTY_ORDER),
      says(
        'status: one of `executed`, `in_progress`, `done`, `cancelled`, `expired`',
        EMPTY_ORDER,
        lapseOrders('paid, cancelled and running orders are left alone'),
        listOrders('one page > an unpaid order whose time is over is listed as expired'),
      ),
      says('created_at: isodatetime', EMPTY_ORDER),
      says('done_at: isodatetime, present once the order is done', COMPLETION, NOT_DONE),
      says(
        'expired_after: isodatetime, end of the reservation lifetime; set by the service',
        EMPTY_ORDER,
        lapseOrders(
          'unpaid orders end within two seconds of expired_after, and their tickets are on sale again',
        ),
      ),
      says(
        'expired_after cannot be changed by the client',
        orderFields('expired_after > of an API key: past the maximum, and any other'),
      ),
      says('event: objectid', EMPTY_ORDER),
      says('number: int', EMPTY_ORDER, createOrder('POST /v2/resources/orders > numbers differ')),
      says('org: objectid, organizer', EMPTY_ORDER),
      says(
        'origin: one of `api`, `salespoint`, `widget`, `control_panel`',
        documentedOrder('an order made with the key vendor has the origin api'),
        documentedOrder('an order made with the key salespoint has the origin salespoint'),
        documentedOrder('an order made with the key widget has the origin widget'),
        documentedOrder('an order made with the key control_panel has the origin control_panel'),
      ),
      says('promocodes: list of string', EMPTY_ORDER, PROMOCODES),
      says('settings: object', EMPTY_ORDER, SETTINGS),
      says('tickets: list of ticket; empty list when nothing is reserved', EMPTY_ORDER, BY_COUNT),
      says('values: object', EMPTY_ORDER),
      says('vendor: objectid, the selling partner', EMPTY_ORDER),
      says(
        'vendor_data: fields `order_id` (string) and `raw` (object); may be an empty object',
        EMPTY_ORDER,
        VENDOR_DATA,
      ),
      says('code: string, present on a completed order', COMPLETION, NOT_DONE),
      says(
        'Some optional fields are omitted from a response when they have no value.',
        EMPTY_ORDER,
        NOT_DONE,
      ),
    ],
  },
  {
    title: 'Order settings',
    statements: [
      says(
        'invitation: bool',
        SETTINGS,
        orderFields('settings > org_salespoint may set on event {"invitation":true}'),
      ),
      says('send_tickets: bool', SETTINGS),
      says('courier: bool', orderFields('settings > salespoint may set on event {"courier":true}')),
      says('subscribe_agree: bool, appears in responses', SETTINGS),
      says(
        'customer: `name` string, `email` email string, `phone` string, `lang` one of `en`, `ru`',
        SETTINGS,
        orderFields('settings > another language is refused, and nothing of the request happened'),
        orderFields('settings > an unreal address is refused, and nothing of the request happened'),
      ),
    ],
  },
  {
    title: 'Ticket inside an order',
    statements: [
      ...rows(
        ['id: objectid', 'serial: string', 'number: int', 'set: objectid, category of the ticket'],
        BY_COUNT,
      ),
      says(
        'seat: only for seated categories: `row` string, `number` string, `sector` objectid',
        BY_ID,
        BY_COUNT,
      ),
      says(
        'status: `reserved` for tickets held by the order, also after the order is done',
        BY_COUNT,
        COMPLETION,
      ),
      says(
        'barcode: null until the order is `done`; assigned when the order becomes `done`',
        BY_COUNT,
        COMPLETION,
      ),
      ...rows(['price: money', 'nominal: money'], BY_COUNT, TOTALS),
      says('discount: money', BY_COUNT, PROMOCODES),
      says('extra: money, service fee', BY_COUNT, completeOrder('prices')),
      says('full: money, in observed responses equals price plus extra', TOTALS),
    ],
  },
  {
    title: 'Order values',
    statements: [
      says(
        'discount, extra, full, nominal, price: money, order totals; the sums over its tickets',
        TOTALS,
        PROMOCODES,
      ),
      says(
        'sets_values: map keyed by category id; each value has `id`, `price`, `nominal` (price with discount), `discount`, `promocode` objectid or null',
        EMPTY_ORDER,
        PROMOCODES,
      ),
      says(
        'sets_values contains an entry per category of the event, also categories with no ticket in the order.',
        EMPTY_ORDER,
      ),
      says('viral_promocodes: list', EMPTY_ORDER),
    ],
  },
  {
    title: 'refs',
    statements: [
      says(
        'Each member is a map keyed by record id; it is an empty object when nothing is referenced.',
        REFS,
      ),
      says(
        'events: `id`, `lifetime` {`start`, `finish`: isodatetime}, `org`, `status`, `timezone`, `title` {`desc`, `text`}, `venue`, `age_rating`',
        REFS,
        EXAMPLE,
      ),
      says('partners: `id`, `name`', REFS),
      says(
        'promocodes: `id`, `code`, `discount` {`percentage` or `fix`: string}, `lifetime` {`start`, `finish`}, `viral` bool',
        PROMOCODES,
        documentedOrder('the promocode of an order is described with its discount and period'),
      ),
      says('sets: `id`, `name` string, `price` money, `with_seats` bool', REFS),
      says(
        'venues: `id`, `name`, `desc`, `address`, `city` {`_id` int, `name` {`default`, `en`, `ru`}, `timezone`}, `country` {`_id` string, `name` {`default`, `en`, `ru`}}',
        REFS,
      ),
      says(
        'The `refs` of an order response may list only the events, partners and categories relevant to that response.',
        REFS,
      ),
    ],
  },
]
