import type { TimeRange } from '../events/list-events-in-slices.ts'
import type { TimestampFilter } from './generated/generic_pb.js'
import { invalid } from './read-request.ts'

type Timestamp = NonNullable<TimestampFilter['gte']>

/** The years 1 to 9999, which are all that a Timestamp may name (google/protobuf/timestamp.proto). */
const SECONDS_MIN = -62_135_596_800n
const SECONDS_MAX = 253_402_300_799n
const NANOS_MAX = 999_999_999
const NANOS_PER_MS = 1_000_000

/**
 * The times for which every bound of the filter holds. Events begin and end at whole milliseconds, so the first of them that
 * a bound lets in, or no longer, says the same. Throws `invalid_argument` for a bound that is no time.
 */
export function readTimeRange(field: string, filter: TimestampFilter | undefined): TimeRange {
  const { gte, gt, lte, lt } = filter ?? {}
  return {
    from: largest(msFrom(`${field}.gte`, gte), msAfter(`${field}.gt`, gt)),
    before: smallest(msAfter(`${field}.lte`, lte), msFrom(`${field}.lt`, lt)),
  }
}

/** The first whole millisecond that is not before the time. */
function msFrom(field: string, time: Timestamp | undefined): number | undefined {
  if (time === undefined) return undefined
  check(field, time)
  return Number(time.seconds) * 1000 + Math.ceil(time.nanos / NANOS_PER_MS)
}

/** The first whole millisecond after the time. */
function msAfter(field: string, time: Timestamp | undefined): number | undefined {
  if (time === undefined) return undefined
  check(field, time)
  return Number(time.seconds) * 1000 + Math.floor(time.nanos / NANOS_PER_MS) + 1
}

function check(field: string, { seconds, nanos }: Timestamp): void {
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX)
    throw invalid(field, 'must be a time of the years 1 to 9999')
  if (nanos < 0 || nanos > NANOS_MAX) throw invalid(field, `must have nanos from 0 to ${NANOS_MAX}`)
}

function largest(...bounds: readonly (number | undefined)[]): number | undefined {
  return bounds.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a))
}

function smallest(...bounds: readonly (number | undefined)[]): number | undefined {
  return bounds.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a))
}
