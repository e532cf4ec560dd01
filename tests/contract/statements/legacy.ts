import { createOrder, documentedEvents, listEvents, listTickets, mapImage } from '../proofs.ts'
import { rows, says, type Section } from '../statement.ts'

const EVENT = listEvents('an event > has every field of the contract')
const SETS = listEvents('an event > has its sets with seats, prices under the deal, and rules')
const NULLS = listEvents('an event > without a map, a point or legal details has null there')
const VACANT = listEvents('an event > counts its vacant tickets at this moment')
const OPTIONAL = documentedEvents(
  'an entrepreneur has an ogrnip, a cover its file, a ticket template its looks',
)
const TICKETS = listTickets(
  'the list > has the seated tickets that are not pending, front to back and along the row',
)
const STATUSES = listTickets('the list > shows what is reserved, until when, and what is sold')

export const LEGACY: readonly Section[] = [
  {
    title: 'Legacy event',
    statements: [
      ...rows(['id: objectid', 'created_at, updated_at: isodatetime'], EVENT),
      says('lifetime: vevent', EVENT, listEvents('an event > has periods that calendars read')),
      says(
        'status: string; `public` means tickets can be sold',
        EVENT,
        createOrder(
          'POST /v2/resources/orders > an event alone makes an empty order of the documented shape',
        ),
        createOrder('refusals of POST > an event not on sale: stand_by_event'),
      ),
      ...rows(
        [
          'age_rating: int',
          'allow_other_ps: bool',
          'deal: `org` (organizer share), `agent` (agent share), `extra` (distributor service fee), `media`; shares are percent strings',
          'partner: `id`, `desc`, `media`, `name`, `tags`, `contact` {`address`, `email`, `name`, `phones`, `www`}',
          'org: `id`, `name`, `desc`, `media`, `contact`, `tags`',
        ],
        EVENT,
      ),
      says('legal_detail: `name`, `inn`, `ogrn` (optional), `ogrnip` (optional), `address`', EVENT, OPTIONAL),
      ...rows(['tags: list of string', 'tickets_amount: int, total tickets'], EVENT),
      says('tickets_amount_vacant: int, tickets available for sale', EVENT, VACANT),
      says('title: `text` name, `desc` description', EVENT),
      says('media: `cover_original`, `cover`, `cover_small`, each a media object', OPTIONAL),
      says('ticket_template: `fan_cover_url`, `name`, `text_color` (each may be null)', EVENT, OPTIONAL),
      says(
        'map: object or null, hall scheme (scheme id and links to vector images)',
        EVENT,
        NULLS,
        mapImage('the links of an event lead to the images, for everybody'),
      ),
      says(
        'venue: `id`, `name`, `desc`, `address`, `country` {`id`, `name`}, `city` {`id`, `country`, `name`, `timezone`}, `point` GeoJSON point',
        EVENT,
      ),
      says('sets: list of set', EVENT, SETS),
      says('Media object fields: `id`, `author`, `content_type`, `length` (int), `md5hash`, `url`', OPTIONAL),
    ],
  },
  {
    title: 'Legacy set',
    statements: [
      ...rows(
        [
          'id: objectid',
          'pos: int, order number for sorting',
          'name, desc: string',
          'amount: int, total tickets in the set',
        ],
        SETS,
      ),
      says('amount_vacant: int, tickets available for sale', SETS, VACANT),
      ...rows(
        [
          'price_org: money, nominal price',
          'price_extra: money, service fee',
          'price: money, total price',
          'with_seats: bool',
          'seats: object or null, row to list of numbers',
          'sector: sector or null',
          'rules: `id`, `cal` (vevent validity period), `current` (true for the rule in force), `price_org`, `price_extra`, `price`',
        ],
        SETS,
      ),
    ],
  },
  {
    title: 'Legacy seated ticket',
    statements: [
      ...rows(['id: objectid', 'number: int', 'serial: string', 'set: objectid'], TICKETS),
      says('status: `vacant`, `reserved`, `sold`, `pending`', STATUSES),
      says('reserved_till: isodatetime or null', TICKETS, STATUSES),
      says('seat: {`number` int, `row` int, `sector` objectid}', TICKETS),
    ],
  },
]
