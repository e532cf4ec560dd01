/**
 * What the parameters of a query say. A list is comma-separated or repeated, a range is `from,to` with either side empty,
 * everything else is given once; a parameter without text is as good as none. All throw DomainError<QueryErrorCode>,
 * whose details name the field.
 */
import { DomainError } from '../kernel/domain-error.ts'
import { isObjectId } from '../kernel/ids.ts'
import { parseIsoTime } from '../kernel/iso-time.ts'

/** Details: `field`, and `message`, which follows the field's name. */
export type QueryErrorCode = 'invalid_query'

/** The parameters as Fastify has them: text, or a list of texts when repeated. */
export type Query = Readonly<Record<string, unknown>>

export type Range = { readonly from?: number | undefined; readonly to?: number | undefined }

const LIST_MAX = 1000
const INTEGER = /^-?\d{1,15}$/
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
/** Minor units stay safe integers. */
const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2}))?$/

/** Characters of a parameter's name that an error shows. */
const NAME_MAX = 64

/** For lists that take no parameters but their own, so that a misspelt filter does not silently filter nothing. */
export function refuseUnknown(query: Query, known: readonly string[]): void {
  const unknown = Object.keys(query).find((field) => !known.includes(field))
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, NAME_MAX), `is not a parameter of this list; it takes ${known.join(', ')}`)
}

export function readBoolean(query: Query, field: string): boolean | undefined {
  const text = readText(query, field)
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw invalid(field, 'must be true or false')
  return text === 'true'
}

export function readText(query: Query, field: string): string | undefined {
  const texts = textsOf(query, field)
  if (texts.length > 1) throw invalid(field, 'must be given once')
  return texts[0]
}

export function readObjectId(query: Query, field: string): string | undefined {
  const text = readText(query, field)
  if (text !== undefined && !isObjectId(text))
    throw invalid(field, 'must be an id of 24 lower-case hex digits')
  return text
}

export function readChoice<Choice extends string>(
  query: Query,
  field: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = readText(query, field)
  return text === undefined ? undefined : choiceOf(field, choices, text)
}

export function readInteger(
  query: Query,
  field: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = readText(query, field)
  if (text === undefined) return undefined
  const value = INTEGER.test(text) ? Number(text) : NaN
  if (!(value >= min && value <= max)) throw invalid(field, `must be an integer from ${min} to ${max}`)
  return value
}

/** At most 1,000 texts; undefined when there is none. */
export function readList(query: Query, field: string): string[] | undefined {
  const list = textsOf(query, field)
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
  if (list.length > LIST_MAX) throw invalid(field, `must not have more than ${LIST_MAX} values`)
  return list.length === 0 ? undefined : list
}

export function readObjectIds(query: Query, field: string): string[] | undefined {
  const list = readList(query, field)
  if (list?.every(isObjectId) === false) throw invalid(field, 'must be ids of 24 lower-case hex digits')
  return list
}

export function readChoices<Choice extends string>(
  query: Query,
  field: string,
  choices: readonly Choice[],
): Choice[] | undefined {
  return readList(query, field)?.map((text) => choiceOf(field, choices, text))
}

/** Epoch milliseconds. */
export function readTimeRange(query: Query, field: string): Range | undefined {
  return readRange(query, field, (text) => {
    const at = parseIsoTime(text)
    if (at === undefined || at > LAST_TIME) throw invalid(field, 'must be from,to of ISO 8601 date-times')
    return at
  })
}

/** Minor units. */
export function readMoneyRange(query: Query, field: string): Range | undefined {
  return readRange(query, field, (text) => {
    const match = AMOUNT.exec(text)
    if (!match) throw invalid(field, 'must be from,to of amounts with at most two digits after the point')
    return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  })
}

function readRange(query: Query, field: string, parse: (text: string) => number): Range | undefined {
  const text = readText(query, field)
  if (text === undefined) return undefined
  const [from = '', to, ...rest] = text.split(',')
  if (to === undefined || rest.length > 0) throw invalid(field, 'must be from,to')
  const [from_value, to_value] = [from, to].map((side) =>
    side.trim() === '' ? undefined : parse(side.trim()),
  )
  return { from: from_value, to: to_value }
}

function choiceOf<Choice extends string>(field: string, choices: readonly Choice[], text: string): Choice {
  const choice = choices.find((one) => one === text)
  if (choice === undefined) throw invalid(field, `must be one of ${choices.join(', ')}`)
  return choice
}

function textsOf(query: Query, field: string): string[] {
  const value = query[field]
  const texts = (Array.isArray(value) ? value : [value]).filter(
    (text): text is string => typeof text === 'string' && text !== '',
  )
  // PostgreSQL stores no NUL, so none can be asked for.
  if (texts.some((text) => text.includes('\0'))) throw invalid(field, 'must not contain NUL')
  return texts
}

function invalid(field: string, message: string): DomainError<QueryErrorCode> {
  return new DomainError('invalid_query', { field, message })
}
