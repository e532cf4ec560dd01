/**
 * What the body of POST and PATCH asks for (contract, Endpoints). Every fault is a text of its own and names the field;
 * fields that are not known are ignored, so that clients of other versions keep working.
 */
import { DomainError } from '../../kernel/domain-error.ts'
import { isObjectId } from '../../kernel/ids.ts'
import type { OrderActions } from '../../orders/commands.ts'
import type { HttpErrorCode } from '../errors.ts'

/** The most ids in `tickets`, and sets in `random`. */
export const LIST_MAX = 1000

/** The most tickets of one set that can be asked for; what an order may hold is a rule of the event. */
export const COUNT_MAX = 1_000_000

/** Characters of a client's own key that an error names. */
const KEY_MAX = 64

type Body = Readonly<Record<string, unknown>>

/** A new order: `event` is undefined when it is to be that of the tickets. */
export type NewOrder = { readonly event: string | undefined; readonly actions: OrderActions }

/** Reads the body of POST. Throws DomainError `body_empty` when there was none. */
export function readNewOrder(body: unknown): NewOrder {
  const { event, ...fields } = present(body)
  const actions = readActions(fields)
  if (isObjectId(event)) return { event, actions }
  if (event === undefined && actions.tickets !== undefined && actions.tickets.length > 0)
    return { event, actions }
  const fault = event === undefined ? 'event is required' : 'event must be an objectid'
  return { event: undefined, actions: { ...actions, faults: [fault, ...actions.faults] } }
}

/** Reads the body of PATCH, which must ask for something. Throws DomainError `body_empty` when there was none. */
export function readOrderChange(body: unknown): OrderActions {
  const fields = present(body)
  const actions = readActions(fields)
  const { tickets, random, status, deal } = fields
  if ([tickets, random, status, deal].some((field) => field !== undefined)) return actions
  return { ...actions, faults: [...actions.faults, "'tickets' or 'random' must be"] }
}

function present(body: unknown): Body {
  if (body === undefined) throw new DomainError<HttpErrorCode>('body_empty')
  return body as Body
}

/** What is wrong does not come along, except as a fault; `status` always does, since what it may be is a rule of the state. */
function readActions(body: Body): OrderActions {
  const faults: string[] = []
  if (body['tickets'] !== undefined && body['random'] !== undefined)
    faults.push('Only one of tickets or random can be set')
  const tickets = readTickets(body['tickets'], faults)
  const random = readRandom(body['random'], faults)
  const { all_or_nothing, status, deal } = body
  if (all_or_nothing !== undefined && typeof all_or_nothing !== 'boolean')
    faults.push('all_or_nothing must be a boolean')
  if (deal !== undefined && !isObjectId(deal)) faults.push('deal must be an objectid')
  return {
    ...(tickets && { tickets }),
    ...(random && { random }),
    ...(typeof all_or_nothing === 'boolean' && { all_or_nothing }),
    ...(status !== undefined && { status }),
    ...(isObjectId(deal) && { deal }),
    faults,
  }
}

function readTickets(tickets: unknown, faults: string[]): string[] | undefined {
  if (tickets === undefined) return undefined
  const found = faultsOfTickets(tickets)
  faults.push(...found)
  return found.length === 0 ? (tickets as string[]) : undefined
}

function faultsOfTickets(tickets: unknown): string[] {
  if (!Array.isArray(tickets)) return ['tickets must be a list']
  if (tickets.length > LIST_MAX) return [`tickets must have at most ${LIST_MAX} ids`]
  return tickets.flatMap((id, index) => (isObjectId(id) ? [] : [`tickets[${index}] must be an objectid`]))
}

function readRandom(random: unknown, faults: string[]): Record<string, number> | undefined {
  if (random === undefined) return undefined
  const found = faultsOfRandom(random)
  faults.push(...found)
  return found.length === 0 ? (random as Record<string, number>) : undefined
}

function faultsOfRandom(random: unknown): string[] {
  if (typeof random !== 'object' || random === null || Array.isArray(random))
    return ['random must be an object']
  const counts = Object.entries(random)
  if (counts.length > LIST_MAX) return [`random must have at most ${LIST_MAX} sets`]
  return counts.flatMap(([set, count]) => {
    if (!isObjectId(set))
      return [`random has the key ${JSON.stringify(set.slice(0, KEY_MAX))}, which is no objectid`]
    return isCount(count) ? [] : [`random.${set} must be an integer from 0 to ${COUNT_MAX}`]
  })
}

function isCount(count: unknown): boolean {
  return Number.isInteger(count) && (count as number) >= 0 && (count as number) <= COUNT_MAX
}
