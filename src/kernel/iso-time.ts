/**
 * Times are epoch milliseconds inside. On the wire they are UTC: `YYYY-MM-DD HH:MM:SS` in v2,
 * `YYYY-MM-DDTHH:MM:SS.ffffff+00:00` in v1 (contract, Type conventions). What clients send may be any ISO 8601
 * date-time of the extended form, with `T` or a blank, with or without an offset (none means UTC).
 */

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** `2026-11-20 21:30:00` */
export function formatV2Time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 10)} ${new Date(at).toISOString().slice(11, 19)}`
}

/** `2026-11-20T21:30:00.000000+00:00` */
export function formatV1Time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 23)}000+00:00`
}

/** Epoch milliseconds, or undefined when the text is no ISO 8601 date-time. A date alone is its midnight. */
export function parseIsoTime(text: string): number | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const milliseconds = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000)
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds))
  // Date.UTC rolls 31 February over to March and 25:00 to the next day: such a text names no time.
  const exact =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  return exact ? date.getTime() - offsetOf(match[8]) : undefined
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0)
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}
