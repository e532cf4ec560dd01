/**
 * What the body of POST and PATCH asks for (contract, Endpoints). Every fault is a text of its own and names the field;
 * fields that are not known are ignored, so that clients of other versions keep working.
 */
import { DomainError } from '../../kernel/domain-error.ts'
import { isObjectId } from '../../kernel/ids.ts'
import type { OrderActions } from '../../orders/commands.ts'
import type { HttpErrorCode } from '../errors.ts'
import { readOrderFields } from './read-order-fields.ts'

/** The most ids in `tickets`, and sets in `random`. */
export const LIST_MAX = 1000

/** The most tickets of one set that can be asked for; what an order may hold is a rule of the event. */
export const COUNT_MAX = 1_000_000

/** What a PATCH may ask for; `all_or_nothing` only says how. */
const ACTIONS = [
  'tickets',
  'random',
  'status',
  'deal',
  'promocodes',
  'promokey',
  'settings',
  'vendor_data',
  'custom_fields',
  'expired_after',
] as const

/** Characters of a client's own key that an error names. */
const KEY_MAX = 64

type Body = Readonly<Record<string, unknown>>

/** A new order: `event` is undefined when it is to be that of the tickets. */
export type NewOrder = { readonly event: string | undefined; readonly actions: OrderActions }

/** Reads the body of POST. Throws DomainError `body_empty` when there was none. */
export function readNewOrder(body: unknown): NewOrder {
  const fields = bodyOf(body)
  const { event, tickets } = fields
  const actions = readActions(fields)
  if (isObjectId(event)) return { event, actions }
  if (event === undefined && Array.isArray(tickets) && tickets.length > 0) return { event, actions }
  const fault = event === undefined ? 'event is required' : 'event must be an objectid'
  return { event: undefined, actions: { ...actions, faults: [fault, ...actions.faults] } }
}

/** Reads the body of PATCH, which must ask for something. Throws DomainError `body_empty` when there was none. */
export function readOrderChange(body: unknown): OrderActions {
  const fields = bodyOf(body)
  const actions = readActions(fields)
  if (ACTIONS.some((name) => fields[name] !== undefined)) return actions
  return { ...actions, faults: [...actions.faults, "'tickets' or 'random' must be"] }
}

/** The fields of a body. Throws DomainError `body_empty` when there was none. */
export function bodyOf(body: unknown): Body {
  if (!isBody(body)) throw new DomainError<HttpErrorCode>('body_empty')
  return body
}

/** A body that was sent is an object: the parser takes nothing else. */
function isBody(body: unknown): body is Body {
  return body !== undefined
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
  const fields = readOrderFields(body, faults)
  return {
    ...fields,
    ...(tickets && { tickets }),
    ...(random && { random }),
    ...(typeof all_or_nothing === 'boolean' && { all_or_nothing }),
    ...(status !== undefined && { status }),
    ...(isObjectId(deal) && { deal }),
    faults,
  }
}

function readTickets(tickets: unknown, faults: string[]): readonly string[] | undefined {
  if (tickets === undefined) return undefined
  if (!Array.isArray(tickets)) {
    faults.push('tickets must be a list')
  } else if (tickets.length > LIST_MAX) {
    faults.push(`tickets must have at most ${LIST_MAX} ids`)
  } else if (tickets.every(isObjectId)) {
    return tickets
  } else {
    for (const [index, id] of tickets.entries())
      if (!isObjectId(id)) faults.push(`tickets[${index}] must be an objectid`)
  }
  return undefined
}

function readRandom(random: unknown, faults: string[]): Readonly<Record<string, number>> | undefined {
  if (random === undefined) return undefined
  if (typeof random !== 'object' || random === null || Array.isArray(random)) {
    faults.push('random must be an object')
  } else if (Object.keys(random).length > LIST_MAX) {
    faults.push(`random must have at most ${LIST_MAX} sets`)
  } else if (isCounts(random)) {
    return random
  } else {
    for (const [set, count] of Object.entries(random)) {
      if (!isObjectId(set)) faults.push(`random has the key ${shortened(set)}, which is no objectid`)
      else if (!isCount(count)) faults.push(`random.${set} must be an integer from 0 to ${COUNT_MAX}`)
    }
  }
  return undefined
}

function isCounts(random: object): random is Readonly<Record<string, number>> {
  return Object.entries(random).every(([set, count]) => isObjectId(set) && isCount(count))
}

function isCount(count: unknown): boolean {
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= COUNT_MAX
}

function shortened(key: string): string {
  return JSON.stringify(key.slice(0, KEY_MAX))
}
