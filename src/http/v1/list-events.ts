import assert from 'node:assert/strict'
import countries from 'i18n-iso-countries/index.js'
import { Type } from 'typebox'
import { coverageOf, dealFor, mayList } from '../../deals/who-may-sell.ts'
import type { Coverage } from '../../deals/who-may-sell.ts'
import type { Catalog } from '../../events/event-entry.ts'
import { listEvents } from '../../events/list-events.ts'
import type { EventFilters, EventScope } from '../../events/list-events.ts'
import { amountsOfSets } from '../../inventory/set-stock.ts'
import { DomainError } from '../../kernel/domain-error.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Queryable } from '../../platform/db/db.ts'
import { priceRange } from '../../pricing/quote.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import {
  readChoice,
  readChoices,
  readInteger,
  readList,
  readMoneyRange,
  readObjectId,
  readTimeRange,
} from '../query.ts'
import type { Query, QueryErrorCode, Range } from '../query.ts'
import { sendEncodedJson } from '../send-json.ts'
import { createSharedBodies } from '../shared-bodies.ts'
import { deprecationHeaders } from './deprecation.ts'
import { LEGACY_EVENT_EXAMPLE } from './event-examples.ts'
import { createEventParts } from './event-parts.ts'
import { LEGACY_EVENT, ObjectId } from './event-schemas.ts'
import { presentEvent, presentPartner } from './present-event.ts'

export type ListEventsDeps = { db: Queryable; catalog: Catalog; public_url: string }

const STATUSES = ['public', 'stand_by', 'finished', 'cancelled'] as const
const VIEWS = ['salespoint', 'showroom'] as const
const PAGE_SIZE = 50
const PAGE_MAX = 1_000_000_000
const PAGE_SIZE_MAX = 200
const INTEGER_MAX = 2_147_483_647
const [BEGIN, COMMA, END] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')]

const QUERY = Type.Partial(
  Type.Object({
    page: Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 }),
    page_size: Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE }),
    org: ObjectId('Events of this organizer.'),
    status: Type.Array(Type.Enum([...STATUSES]), {
      description: 'In any of these statuses; without it, in every one.',
    }),
    tags: Type.Array(Type.String(), { description: 'With any of these tags.' }),
    venue: ObjectId('At this venue.'),
    city: Type.Integer({ description: 'In this city.' }),
    country: Type.Integer({ description: 'In this country: its numeric code of ISO 3166-1.' }),
    lifetime: Type.String({
      description:
        'Going on at some time in the range `from,to` of ISO 8601 date-times; a side may be empty.',
    }),
    price: Type.String({
      description:
        'With a category whose `price` now is in the range `from,to`, ends included; a side may be empty.',
    }),
    view_limit: Type.Enum([...VIEWS], {
      description: 'That may be shown there: all but those whose view limits say no.',
    }),
  }),
)

const schema = {
  tags: ['listings'],
  operationId: 'listEvents',
  summary: 'List events',
  description:
    'The events the caller may sell: those that a deal in force with their organizer covers, and its own; sorted by start, then ' +
    'id; at most a second old. Lists are comma-separated or repeated. A page past the end is empty. Unknown parameters are ' +
    'ignored. Its successor is the method Events of the gRPC service.',
  deprecated: true,
  querystring: QUERY,
  response: {
    200: {
      description: 'The events of the page.',
      content: {
        'application/json': {
          schema: Type.Array(LEGACY_EVENT),
          examples: { page: { value: [LEGACY_EVENT_EXAMPLE] } },
        },
      },
    },
    400: refusal('A parameter is wrong.', { page: ['page must be an integer from 1 to 1000000000'] }),
    ...KEY_REFUSALS,
  },
}

/** GET /v1/services/simple/events */
export function registerListEvents(app: AppInstance, deps: ListEventsDeps): void {
  const headers = { ...deprecationHeaders(deps.public_url), vary: 'accept-encoding' }
  const writePage = createWritePage(deps)
  const pages = createSharedBodies()
  app.get(
    '/v1/services/simple/events',
    { schema, config: { permission: 'events' } },
    async (request, reply) => {
      reply.headers(headers)
      const { caller } = request
      const options = readOptions(request.query)
      const question = [caller.partner.id, caller.events, options]
      return sendEncodedJson(reply, await pages.of(question, () => writePage(caller, options)))
    },
  )
}

type ListOptions = { filters: EventFilters; totals: Range | undefined; page: number; page_size: number }

/** Writes a page as it is at this moment. Of the caller only its partner and the events of its key make a difference. */
function createWritePage({ db, catalog, public_url }: ListEventsDeps) {
  const partsOf = createEventParts({ db, public_url })
  return async (caller: Caller, { totals, ...options }: ListOptions): Promise<Buffer> => {
    const now = Date.now()
    const scopes = scopesOf(await coverageOf(db, caller.partner.id, now), totals)
    const ids = await listEvents(db, { ...options, scopes, only: caller.events, now })
    const [found, partner] = await Promise.all([catalog.events(ids), catalog.partner(caller.partner.id)])
    assert(partner !== undefined)
    // The catalog may know of a deal's end, or of its begin, a moment later than the database.
    const entries = found.filter((entry) => mayList(entry, caller, now))
    const amounts = await amountsOfSets(db, entries)
    const parts = await partsOf(entries, amounts)
    const view = { partner: JSON.stringify(presentPartner(partner)), amounts, now }
    const pieces = parts.flatMap((event) => {
      const deal = dealFor(event.entry, partner.id, undefined, now) ?? null
      return [COMMA, ...presentEvent(event, { ...view, deal })]
    })
    return Buffer.concat([BEGIN, ...pieces.slice(1), END])
  }
}

/** Written in whatever order, or twice, the values of a list ask the same. */
function readOptions(query: Query): ListOptions {
  return {
    filters: {
      org: readObjectId(query, 'org'),
      status: sortedOnce(readChoices(query, 'status', STATUSES)),
      tags: sortedOnce(readList(query, 'tags')),
      venue: readObjectId(query, 'venue'),
      city: readInteger(query, 'city', { min: 0, max: INTEGER_MAX }),
      country: readCountry(query),
      lifetime: readTimeRange(query, 'lifetime'),
      view_limit: readChoice(query, 'view_limit', VIEWS),
    },
    totals: readMoneyRange(query, 'price'),
    page: readInteger(query, 'page', { min: 1, max: PAGE_MAX }) ?? 1,
    page_size: readInteger(query, 'page_size', { min: 1, max: PAGE_SIZE_MAX }) ?? PAGE_SIZE,
  }
}

function sortedOnce<Value extends string>(list: readonly Value[] | undefined): Value[] | undefined {
  return list && [...new Set(list)].toSorted((a, b) => (a < b ? -1 : 1))
}

/** Two letters. */
function readCountry(query: Query): string | undefined {
  const number = readInteger(query, 'country', { min: 0, max: 999 })
  if (number === undefined) return undefined
  const letters = countries.numericToAlpha2(number)
  if (letters === undefined) {
    const message = 'must be the numeric code of a country in ISO 3166-1'
    throw new DomainError<QueryErrorCode>('invalid_query', { field: 'country', message })
  }
  return letters
}

/** What is listed of the coverage; `totals` are the wanted prices with the fee. */
function scopesOf(coverage: readonly Coverage[], totals: Range | undefined): EventScope[] {
  return coverage.map(({ org, events, extra }) => ({
    org,
    events,
    prices: totals === undefined ? undefined : priceRange(totals, extra),
  }))
}
