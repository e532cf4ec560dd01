/**
 * Times are epoch milliseconds inside. On the wire they are UTC: `YYYY-MM-DD HH:MM:SS` in v2,
 * `YYYY-MM-DDTHH:MM:SS.ffffff+00:00` in v1 (contract, Type conventions). What clients send may be any ISO 8601
 * date-time of the extended or the basic form, with `T` or a blank, with or without an offset (none means UTC).
 */

const DATE = String.raw`(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})`
const TIME = String.raw`(?<hour>\d{2})(?<colon>:?)(?<minute>\d{2})(?:\k<colon>(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`
const OFFSET = String.raw`Z|(?<sign>[+-])(?<offset_hour>\d{2})(?::?(?<offset_minute>\d{2}))?`
const ISO = new RegExp(`^${DATE}(?:[T ]${TIME}(?: ?(?:${OFFSET}))?)?$`, 'i')

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `2026-11-20 21:30:00` */
export function formatV2Time(at: number): string {
  const text = new Date(at).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`
}

/** `2026-11-20T21:30:00.000000+00:00` */
export function formatV1Time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 23)}000+00:00`
}

/**
 * Epoch milliseconds, smaller fractions cut off; undefined when the text is no ISO 8601 date-time of a year from 0100 on.
 * A date alone is its midnight, 24:00 the midnight after.
 */
export function parseIsoTime(text: string): number | undefined {
  const parts = ISO.exec(text)?.groups
  if (parts === undefined) return undefined
  const { year, month, day, fraction = '' } = parts
  const valueOf = (name: string) => Number(parts[name] ?? 0)
  const midnight = new Date(Date.UTC(valueOf('year'), valueOf('month') - 1, valueOf('day')))
  // Date.UTC rolls 31 February over to March, and takes the year 26 for 1926: such a text names no day.
  if (midnight.toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return undefined
  if (['minute', 'second', 'offset_minute'].some((name) => valueOf(name) > 59)) return undefined
  if (valueOf('offset_hour') > 23) return undefined
  const since_midnight =
    valueOf('hour') * HOUR_MS +
    valueOf('minute') * MINUTE_MS +
    valueOf('second') * 1000 +
    Number(fraction.slice(0, 3).padEnd(3, '0'))
  if (since_midnight > DAY_MS) return undefined
  const offset = valueOf('offset_hour') * HOUR_MS + valueOf('offset_minute') * MINUTE_MS
  return midnight.getTime() + since_midnight + (parts['sign'] === '-' ? offset : -offset)
}
