/** The forms of single values in a catalog file, each with the message for a value that is not of it. */
import { Type, type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { isObjectId } from '../../kernel/ids.ts'
import { parseIsoTime } from '../../kernel/iso-time.ts'
import { formatMoney, parseMoney, parsePercent } from '../../kernel/money.ts'

/** No ticket costs more, so that no total of an order leaves the safe integers. */
const MAX_PRICE = 100_000_000_00
const MAX_DEPOSIT = 1_000_000_000_000_00

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** An object that has these properties and no others: a misspelt one must not vanish. */
export function record<const Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** `type`, and `holds` for what is of that type. */
export function refine<T extends TSchema>(type: T, holds: (value: Static<T>) => boolean, message: string) {
  return Type.Refine(
    type,
    (value) => !Check(type, value) || holds(value),
    () => message,
  )
}

/** A value of several types, told apart by `holds`, with one message instead of one for each type. */
export function oneOf<T>(holds: (value: unknown) => boolean, message: string) {
  return Type.Refine(Type.Unsafe<T>({}), holds, () => message)
}

export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const name = text(200)
export const desc = Type.String({ maxLength: 10_000 })
export const names = Type.Array(name, { maxItems: 1000 })
export const integer = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
export const media = Type.Record(Type.String(), Type.Unknown())

export const id = refine(Type.String(), isObjectId, 'must be an id: 24 lower-case hexadecimal digits')
export const ref = refine(text(100), (value) => !isObjectId(value), 'must not look like an id')
/** Another record, by its id or ref. */
export const reference = text(100)
export const references = Type.Array(reference, { maxItems: 10_000 })

const isMoney = (value: string, maximum: number) => (parseMoney(value) ?? Infinity) <= maximum
const moneyUpTo = (maximum: number) =>
  refine(
    Type.String(),
    (value) => isMoney(value, maximum),
    `must be money with two digits, such as "150.00", up to ${formatMoney(maximum)}`,
  )
export const price = moneyUpTo(MAX_PRICE)
export const deposit = moneyUpTo(MAX_DEPOSIT)
const isPercent = (value: string) => parsePercent(value) !== undefined
export const percent = refine(
  Type.String(),
  isPercent,
  'must be a percentage from 0 to 100 with up to four digits after the point, such as "12.5%"',
)

const isTime = (value: string) => {
  const at = parseIsoTime(value)
  return at !== undefined && at >= 0 && at < Date.UTC(10_000, 0)
}
const time = refine(Type.String(), isTime, 'must be an ISO 8601 date-time of the years 1970 to 9999')
const startsBeforeFinish = ({ start, finish }: { start?: string; finish?: string }) =>
  start === undefined || finish === undefined || parseIsoTime(start)! < parseIsoTime(finish)!
export const period = refine(
  record({ start: time, finish: time }),
  startsBeforeFinish,
  'start must be before finish',
)
/** Without one of its ends it holds since ever or for ever. */
export const openPeriod = refine(
  record({ start: Type.Optional(time), finish: Type.Optional(time) }),
  startsBeforeFinish,
  'start must be before finish',
)
export const moment = time

export const email = refine(text(254), (value) => EMAIL.test(value), 'must be an e-mail address')
export const currency = refine(
  Type.String(),
  (value) => CURRENCIES.has(value),
  'must be a currency code of ISO 4217, such as RUB',
)
export const country = refine(
  Type.String(),
  (value) => /^[A-Z]{2}$/.test(value) && REGIONS.of(value) !== undefined,
  'must be a country code of ISO 3166-1, such as RU',
)
export const timezone = refine(
  text(100),
  isTimeZone,
  'must be the name of a time zone, such as Europe/Moscow',
)
export const webUrl = refine(text(2000), isWebUrl, 'must be an http or https URL')
export const pattern = refine(text(500), isPattern, 'must be a regular expression (ECMAScript, flag u)')

/** Rows and seats are texts; written as whole numbers they mean those digits. */
export const isLabel = (value: unknown): value is string | number =>
  typeof value === 'string' ? value.length > 0 && value.length <= 20 : Number.isSafeInteger(value)
export const label = oneOf<string | number>(
  isLabel,
  'must be a text of up to 20 characters or a whole number',
)

/** Steps of a ladder: from a sum or a ticket count up, a percentage or a fixed amount. */
export const levels = refine(
  record({
    by: Type.Enum(['sum', 'count']),
    kind: Type.Enum(['percentage', 'fix']),
    steps: Type.Array(
      record({
        from: oneOf<string | number>(
          (value) => (typeof value === 'string' ? isMoney(value, MAX_DEPOSIT) : Number.isSafeInteger(value)),
          'must be money with two digits (by sum) or a whole number (by count)',
        ),
        value: oneOf<string>(
          (value) => typeof value === 'string' && (isPercent(value) || isMoney(value, MAX_PRICE)),
          'must be a percentage or money with two digits',
        ),
      }),
      { minItems: 1, maxItems: 100 },
    ),
  }),
  ({ by, kind, steps }) =>
    steps.every(
      ({ from, value }) =>
        (by === 'sum' ? typeof from === 'string' : typeof from === 'number' && from >= 0) &&
        (kind === 'percentage' ? isPercent(value) : isMoney(value, MAX_PRICE)),
    ) && new Set(steps.map((step) => step.from)).size === steps.length,
  'every step needs a from of its own: money by sum, a count by count; and a value of the kind',
)

export type RefundStep = { days: number; percent: string }
const isRefundStep = (value: unknown) => Check(record({ days: integer(0, 3650), percent }), value)
export const refundPolicy = oneOf<'general' | 'law_ru_193' | RefundStep[]>(
  (value) =>
    value === 'general' ||
    value === 'law_ru_193' ||
    (Array.isArray(value) &&
      value.length > 0 &&
      value.every(isRefundStep) &&
      new Set(value.map((step: RefundStep) => step.days)).size === value.length),
  'must be general, law_ru_193 or a list of {days, percent}, each for other days',
)

/** How many of several alternatives are given. */
export const given = (...values: unknown[]) => values.filter((value) => value !== undefined).length

function isTimeZone(value: string): boolean {
  // Intl takes an offset such as +03:00 too, but that knows no summer time and is no place's zone.
  return !/^[+-]/.test(value) && succeeds(() => new Intl.DateTimeFormat('en', { timeZone: value }))
}

function isWebUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}

function isPattern(value: string): boolean {
  return succeeds(() => new RegExp(value, 'u'))
}

function succeeds(make: () => unknown): boolean {
  try {
    make()
    return true
  } catch {
    return false
  }
}
