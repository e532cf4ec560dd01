/** What the bodies of POST and PATCH of refund requests ask for (contract, decisions 5). Every fault names its field. */
import { DomainError } from '../../kernel/domain-error.ts'
import { isObjectId } from '../../kernel/ids.ts'
import { parseIsoTime } from '../../kernel/iso-time.ts'
import { InvalidFields } from '../../orders/order-errors.ts'
import type { Decision } from '../../refunds/change-refund-request.ts'
import type { NewRefundRequest } from '../../refunds/create-refund-request.ts'
import { CULPRITS } from '../../refunds/refund-request.ts'
import type { HttpErrorCode } from '../errors.ts'

/** The most ids in `tickets`. */
export const LIST_MAX = 1000

/** Characters of a client's own value that an error shows. */
const VALUE_MAX = 64

const DECISIONS: readonly Decision[] = ['approved', 'rejected']

type Body = Readonly<Record<string, unknown>>

/** Throws InvalidFields with all that is wrong, and DomainError `body_empty` when there was no body. */
export function readNewRefundRequest(body: unknown): NewRefundRequest {
  const fields = present(body)
  const faults: string[] = []
  const order = readOrder(fields['order'], faults)
  const culprit = readChoice('culprit', { value: fields['culprit'], choices: CULPRITS }, faults)
  const tickets = readTickets(fields['tickets'], faults)
  const requested_at = readTime(fields['requested_at'], faults)
  if (order === undefined || culprit === undefined || tickets === undefined || faults.length > 0)
    throw new InvalidFields(faults)
  return { order, culprit, tickets, requested_at }
}

/** Throws like `readNewRefundRequest`. */
export function readDecision(body: unknown): Decision {
  const faults: string[] = []
  const decision = readChoice('status', { value: present(body)['status'], choices: DECISIONS }, faults)
  if (decision === undefined) throw new InvalidFields(faults)
  return decision
}

function present(body: unknown): Body {
  if (!isBody(body)) throw new DomainError<HttpErrorCode>('body_empty')
  return body
}

/** A body that was sent is an object: the parser takes nothing else. */
function isBody(body: unknown): body is Body {
  return body !== undefined
}

function readOrder(order: unknown, faults: string[]): string | undefined {
  if (isObjectId(order)) return order
  faults.push(order === undefined ? 'order is required' : 'order must be an objectid')
  return undefined
}

function readChoice<Choice extends string>(
  field: string,
  { value, choices }: { value: unknown; choices: readonly Choice[] },
  faults: string[],
): Choice | undefined {
  const choice = choices.find((one) => one === value)
  if (choice !== undefined) return choice
  if (value === undefined) faults.push(`${field} is required`)
  else {
    const list = choices.map((one) => `'${one}'`).join(', ')
    faults.push(`${field} Value '${shortened(value)}' not in list of avaiable values [${list}]`)
  }
  return undefined
}

function shortened(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, VALUE_MAX)
}

function readTickets(tickets: unknown, faults: string[]): readonly string[] | undefined {
  if (tickets === undefined) {
    faults.push('tickets is required')
  } else if (!Array.isArray(tickets)) {
    faults.push('tickets must be a list')
  } else if (tickets.length === 0) {
    faults.push('tickets list length is less than 1')
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

function readTime(text: unknown, faults: string[]): number | undefined {
  if (text === undefined) return undefined
  const at = typeof text === 'string' ? parseIsoTime(text) : undefined
  if (at === undefined) faults.push('requested_at must be an ISO 8601 date-time')
  return at
}
