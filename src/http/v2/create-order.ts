import type { Catalog, EventEntry } from '../../events/event-entry.ts'
import type { Desk } from '../../orders/commands.ts'
import { InvalidFields, orderError } from '../../orders/order-errors.ts'
import type { AppInstance } from '../app.ts'
import { BODY_REFUSALS, KEY_REFUSALS, refusal } from '../error-schemas.ts'
import { sendJson } from '../send-json.ts'
import { NEW_ORDER } from './order-schemas.ts'
import { ORDER_REFUSALS } from './order-examples.ts'
import { onceFor } from './once-for.ts'
import { presentOrder } from './present-order.ts'
import { readNewOrder, type NewOrder } from './read-order-actions.ts'

export type CreateOrderDeps = {
  desk: Pick<Desk, 'submit'>
  catalog: Catalog
  /** The id of the event that a ticket belongs to; undefined when there is no such ticket. */
  findEventOfTicket: (ticket: string) => Promise<string | undefined>
}

const schema = {
  tags: ['orders'],
  operationId: 'createOrder',
  summary: 'Create an order',
  description: 'Creates an order for one event, and reserves tickets when `tickets` or `random` is sent.',
  body: NEW_ORDER,
  response: {
    200: { $ref: 'OrderAnswer#' },
    400: refusal('The request is wrong, or the tickets are not for sale to this key.', {
      event_missing: ['event is required'],
      event_not_found: ['Event 6920a1f00007c3a5e1000001 not found'],
      deal_not_found: ['Deal not found'],
      both: ['Only one of tickets or random can be set'],
      foreign_ticket: ['ticket (id = 6920a1f00008c3a5e1000006) does not belong to current event'],
      too_many: ['max tickets in order is 50'],
      ...ORDER_REFUSALS,
      several_faults: ['tickets[0] must be an objectid', 'all_or_nothing must be a boolean'],
    }),
    ...BODY_REFUSALS,
    ...KEY_REFUSALS,
  },
}

/** POST /v2/resources/orders */
export function registerCreateOrder(app: AppInstance, deps: CreateOrderDeps): void {
  app.post('/v2/resources/orders', { schema, config: { permission: 'orders' } }, async (request, reply) => {
    const { caller } = request
    const wanted = readNewOrder(request.body)
    if (wanted.actions.faults.length > 0) throw new InvalidFields(wanted.actions.faults)
    const event = await findEvent(wanted, deps)
    const result = await deps.desk.submit({
      ...wanted.actions,
      kind: 'create',
      caller,
      event,
      ...onceFor(request),
    })
    return sendJson(reply, presentOrder(result, caller.partner))
  })
}

async function findEvent({ event, actions }: NewOrder, deps: CreateOrderDeps): Promise<EventEntry> {
  const [ticket] = actions.tickets ?? []
  const id = event ?? (ticket && (await deps.findEventOfTicket(ticket)))
  const entry = id === undefined ? undefined : await deps.catalog.event(id)
  if (entry === undefined) throw orderError('event_not_found', event === undefined ? {} : { event })
  return entry
}
