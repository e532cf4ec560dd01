/**
 * Values of an event's custom fields (contract, Validation messages for additional custom fields; decisions, 4). Every value
 * sent is judged by its field, all that is wrong is listed in the order sent, in the contract's texts. A bound `gt` refuses
 * its own number and `gte` does not; a choice with such bounds is a number. null takes a value away. A text is not matched
 * before its length is found right, and never one above the longest, so that the work for a pattern has a limit.
 */

/** The longest values of texts whose field sets no maximum, or a higher one. */
const TEXT_MAX = { text: 1000, long_text: 10_000 } as const

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

type Bounds = {
  readonly options?: readonly (string | number)[]
  readonly min?: number
  readonly max?: number
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly pattern?: string
}

/** A field as the event defines it. */
type Field = {
  readonly id: string
  readonly scope: 'order' | 'ticket'
  readonly kind: 'date' | 'checkbox' | 'multiple' | 'single' | 'text' | 'long_text'
  readonly name: string
  readonly required: boolean
  readonly bounds: Bounds
}

type FieldValue = { readonly id: string; readonly value: unknown }

type TicketFields = { readonly ticket: string; readonly fields: readonly FieldValue[] }

/** What a request sends, or what an order has: then each list is there when it has something. */
export type FieldValues = {
  readonly order?: readonly FieldValue[]
  readonly tickets?: readonly TicketFields[]
}

/** Whether a regular expression (flag u) matches somewhere in the text. */
export type Matches = (pattern: string, text: string) => boolean

type Sale = {
  /** The event's fields. */
  readonly fields: readonly Field[]
  /** Ids of the order's tickets. */
  readonly tickets: readonly string[]
  readonly matches: Matches
}

/** What is wrong with the values sent; none when all may be set. */
export function fieldFaults(sent: FieldValues, { fields, tickets, matches }: Sale): string[] {
  const by_id = new Map(fields.map((field) => [field.id, field]))
  const faultsOf = (scope: Field['scope'], values: readonly FieldValue[]) =>
    values.flatMap(({ id, value }) => {
      const field = by_id.get(id)
      if (field === undefined) return [`custom field (id = ${id}) does not belong to current event`]
      if (field.scope !== scope) return [`custom field (id = ${id}) is for the ${field.scope}`]
      return value === null ? [] : valueFaults(field, value, matches)
    })
  return [
    ...faultsOf('order', sent.order ?? []),
    ...(sent.tickets ?? []).flatMap(({ ticket, fields: values }) =>
      tickets.includes(ticket) ? faultsOf('ticket', values) : [`ticket (id = ${ticket}) is not in the order`],
    ),
  ]
}

/**
 * What the order has after a request: values sent replace those of the same field, null takes one away, and values of tickets that
 * are not in the order any more are dropped. The order's own stay in place, new ones follow.
 */
export function mergeCustomFields(
  before: FieldValues | null,
  sent: FieldValues,
  tickets: readonly string[],
): FieldValues {
  const order = mergeValues(before?.order, sent.order ?? [])
  const by_ticket = new Map<string, readonly FieldValue[]>()
  for (const { ticket, fields } of [...(before?.tickets ?? []), ...(sent.tickets ?? [])])
    if (tickets.includes(ticket)) by_ticket.set(ticket, mergeValues(by_ticket.get(ticket), fields))
  const filled = [...by_ticket].filter(([, fields]) => fields.length > 0)
  return {
    ...(order.length > 0 && { order }),
    ...(filled.length > 0 && { tickets: filled.map(([ticket, fields]) => ({ ticket, fields })) }),
  }
}

function mergeValues(before: readonly FieldValue[] = [], sent: readonly FieldValue[]): FieldValue[] {
  const values = new Map(before.map(({ id, value }) => [id, value]))
  for (const { id, value } of sent) values.set(id, value)
  return [...values].filter(([, value]) => value !== null).map(([id, value]) => ({ id, value }))
}

/**
 * What keeps an order of these tickets from being completed: a text for each required field that is empty, in the order of the
 * fields. One for tickets is empty when a single ticket lacks it. false is a value, an empty list is none.
 */
export function missingRequired(
  fields: readonly Field[],
  values: FieldValues | null,
  tickets: readonly string[],
): string[] {
  const by_ticket = new Map(values?.tickets?.map((entry) => [entry.ticket, entry.fields]))
  const isFilled = (id: string, list: readonly FieldValue[] = []) =>
    list.some((entry) => entry.id === id && !(Array.isArray(entry.value) && entry.value.length === 0))
  return fields
    .filter(({ id, required, scope }) => {
      if (!required) return false
      if (scope === 'order') return !isFilled(id, values?.order)
      return tickets.some((ticket) => !isFilled(id, by_ticket.get(ticket)))
    })
    .map(({ name }) => `${name} is required`)
}

function valueFaults({ kind, bounds }: Field, value: unknown, matches: Matches): string[] {
  switch (kind) {
    case 'date':
      return isDate(value) ? [] : ["value should be formatted 'YYYY-MM-DD'"]
    case 'checkbox':
      return typeof value === 'boolean' ? [] : ['value should be True or False']
    case 'multiple':
      return multipleFaults(value, bounds)
    case 'single':
      return singleFaults(value, bounds)
    default:
      return textFaults(value, { bounds, longest: TEXT_MAX[kind], matches })
  }
}

function isDate(value: unknown): boolean {
  const [, year, month, day] = (typeof value === 'string' && DATE.exec(value)) || []
  if (year === undefined) return false
  const at = new Date(0)
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  return at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
}

function multipleFaults(value: unknown, { options = [], min = 0, max = options.length }: Bounds): string[] {
  if (!Array.isArray(value)) return ['value is not a list']
  const faults: string[] = []
  if (value.length < min) faults.push(`list length is less than ${min}`)
  if (value.length > max) faults.push(`list length is greater than ${max}`)
  if (value.some((item) => !options.includes(item))) faults.push('value is not one of the options')
  if (new Set(value).size < value.length) faults.push('list has a value twice')
  return faults
}

function singleFaults(value: unknown, { options, gt, gte, lt, lte }: Bounds): string[] {
  const is_number = isFiniteNumber(value)
  if (!is_number && [gt, gte, lt, lte].some((bound) => bound !== undefined)) return ['value is not a number']
  if (!is_number && typeof value !== 'string') return ['value is not a string or a number']
  const faults: string[] = []
  if (is_number) {
    if (gt !== undefined && !(value > gt)) faults.push(`value is less than ${gt}`)
    if (lt !== undefined && !(value < lt)) faults.push(`value is greater than ${lt}`)
    if (lte !== undefined && !(value <= lte)) faults.push(`value should be less than ${lte}`)
    if (gte !== undefined && !(value >= gte)) faults.push(`value should be greater than ${gte}`)
  } else if (value.length > TEXT_MAX.text) {
    faults.push(`String is longer than ${TEXT_MAX.text} characters`)
  }
  if (options !== undefined && !options.includes(value)) faults.push('value is not one of the options')
  return faults
}

/** A number in JSON that is too large is read as infinity, which JSON cannot give back. */
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

type TextRules = { readonly bounds: Bounds; readonly longest: number; readonly matches: Matches }

function textFaults(value: unknown, { bounds, longest, matches }: TextRules): string[] {
  if (typeof value !== 'string') return ['value is not a string']
  if (value.trim() === '') return ['blank value is not allowed']
  const { min = 0, max = longest, pattern } = bounds
  const most = Math.min(max, longest)
  // Characters as people count them, not the units of UTF-16.
  const length = value.length > 2 * most ? value.length : Array.from(value).length
  if (length < min) return [`String is shorter than ${min} characters`]
  if (length > most) return [`String is longer than ${most} characters`]
  return pattern === undefined || matches(pattern, value) ? [] : [`does not match pattern ${pattern}`]
}
