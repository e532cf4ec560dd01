import { Type } from 'typebox'
import { mayList } from '../../deals/who-may-sell.ts'
import type { Catalog } from '../../events/event-entry.ts'
import type { EventErrorCode } from '../../events/event-errors.ts'
import { TICKET_STATUSES } from '../../inventory/seating.ts'
import type { Seating } from '../../inventory/seating.ts'
import { DomainError } from '../../kernel/domain-error.ts'
import type { AppInstance } from '../app.ts'
import { KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { readChoices, readObjectIds } from '../query.ts'
import type { Query } from '../query.ts'
import { sendEncodedJson, sendJson } from '../send-json.ts'
import { deprecationHeaders } from './deprecation.ts'
import { LEGACY_TICKETS_EXAMPLE } from './event-examples.ts'
import { LEGACY_TICKET, ObjectId } from './event-schemas.ts'
import { presentTickets } from './present-tickets.ts'
import { createTicketsBodies, joinParts } from './tickets-bodies.ts'

export type ListTicketsDeps = { catalog: Catalog; seating: Seating; public_url: string }

const LISTED_STATUSES = TICKET_STATUSES.filter((status) => status !== 'pending')

const schema = {
  tags: ['listings'],
  operationId: 'listTickets',
  summary: "List an event's seated tickets",
  description:
    'All tickets of the categories with seats, sector by sector, front to back, at most a second old. Lists are ' +
    'comma-separated or repeated. Its successor is the method Seats of the gRPC service.',
  deprecated: true,
  params: Type.Object({ id: ObjectId('The event.') }),
  querystring: Type.Partial(
    Type.Object({
      status: Type.Array(Type.Enum([...TICKET_STATUSES]), {
        description: 'In any of these statuses; without it, in all but `pending`.',
      }),
      sector: Type.Array(ObjectId('A sector.'), { description: 'In any of these sectors.' }),
    }),
  ),
  response: {
    200: {
      description: 'The tickets.',
      content: {
        'application/json': {
          schema: Type.Array(LEGACY_TICKET),
          examples: { tickets: { value: LEGACY_TICKETS_EXAMPLE } },
        },
      },
    },
    400: refusal('A parameter is wrong.', {
      status: ['status must be one of vacant, reserved, sold, pending'],
    }),
    404: refusal('The event does not exist, or the caller may not sell it.', {
      no_event: ['Event 6920a1f00007c3a5e1000001 not found'],
    }),
    ...KEY_REFUSALS,
  },
}

/** GET /v1/resources/events/{id}/tickets */
export function registerListTickets(
  app: AppInstance,
  { catalog, seating, public_url }: ListTicketsDeps,
): void {
  const headers = { ...deprecationHeaders(public_url), vary: 'accept-encoding' }
  const wholeList = createTicketsBodies((seats) =>
    presentTickets(seats, { statuses: LISTED_STATUSES, sectors: undefined }),
  )
  app.get<{ Params: { id: string }; Querystring: Query }>(
    '/v1/resources/events/:id/tickets',
    { schema, config: { permission: 'events' } },
    async (request, reply) => {
      reply.headers(headers)
      const { caller, query, params } = request
      const event = await catalog.event(params.id)
      if (event === undefined || !mayList(event, caller, Date.now()))
        throw new DomainError<EventErrorCode>('event_not_listed', { event: params.id })
      const statuses = readChoices(query, 'status', TICKET_STATUSES)
      const sectors = readObjectIds(query, 'sector')
      const seats = await seating.of(event)
      if (statuses !== undefined || sectors !== undefined)
        return sendJson(
          reply,
          await joinParts(presentTickets(seats, { statuses: statuses ?? LISTED_STATUSES, sectors })),
        )
      return sendEncodedJson(reply, wholeList(seats))
    },
  )
}
