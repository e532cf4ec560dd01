import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatV1Time, formatV2Time, parseIsoTime } from './iso-time.ts'

const HALF_PAST_NINE = Date.UTC(2026, 10, 20, 21, 30)

describe('accepted', () => {
  test.each([
    ['2026-11-20T21:30:00Z', HALF_PAST_NINE],
    ['2026-11-20t21:30:00z', HALF_PAST_NINE],
    ['2026-11-20T21:30:00', HALF_PAST_NINE],
    ['2026-11-20T21:30', HALF_PAST_NINE],
    ['2026-11-20T21:30Z', HALF_PAST_NINE],
    ['2026-11-20 21:30:00', HALF_PAST_NINE],
    ['2026-11-20 21:30:00+00:00', HALF_PAST_NINE],
    ['2026-11-20 21:30:00 +00:00', HALF_PAST_NINE],
    ['2026-11-20T21:30:00-00:00', HALF_PAST_NINE],
    ['2026-11-21T00:30:00+03:00', HALF_PAST_NINE],
    ['2026-11-21T00:30:00+0300', HALF_PAST_NINE],
    ['2026-11-21T00:30:00+03', HALF_PAST_NINE],
    ['2026-11-21 00:30+03', HALF_PAST_NINE],
    ['2026-11-20T18:00:00-03:30', HALF_PAST_NINE],
    ['2026-11-21T21:29:00+23:59', HALF_PAST_NINE],
    ['2026-11-19T21:31:00-23:59', HALF_PAST_NINE],
    ['20261120T213000Z', HALF_PAST_NINE],
    ['20261120T2130', HALF_PAST_NINE],
    ['20261121 003000+0300', HALF_PAST_NINE],
    ['2026-11-20T21:30:00.5Z', HALF_PAST_NINE + 500],
    ['2026-11-20T21:30:00.050Z', HALF_PAST_NINE + 50],
    ['2026-11-20T21:30:00,123+00:00', HALF_PAST_NINE + 123],
    ['2026-11-20T21:30:00.123456+00:00', HALF_PAST_NINE + 123],
    ['2026-11-20T21:30:00.999999999Z', HALF_PAST_NINE + 999],
    ['2026-11-20', Date.UTC(2026, 10, 20)],
    ['20261120', Date.UTC(2026, 10, 20)],
    ['2026-11-20T00:00', Date.UTC(2026, 10, 20)],
    ['2026-11-20T24:00', Date.UTC(2026, 10, 21)],
    ['2026-12-31T24:00:00.000Z', Date.UTC(2027, 0, 1)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2000-02-29', Date.UTC(2000, 1, 29)],
    ['1969-12-31T23:59:59Z', -1000],
    ['0100-01-01', Date.UTC(100, 0, 1)],
    ['9999-12-31T23:59:59.999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ])('%s', (text, at) => {
    expect(parseIsoTime(text)).toBe(at)
  })
})

describe('refused', () => {
  test.each([
    '',
    ' ',
    'now',
    '1795210200',
    '2026',
    '2026-11',
    '2026-1-2',
    '20-11-2026',
    '2026/11/20',
    '+002026-11-20',
    '0099-12-31',
    '2026-00-20',
    '2026-13-20',
    '2026-11-00',
    '2026-11-31',
    '2026-02-31',
    '2026-02-29',
    '1900-02-29',
    '2026-1120',
    '202611-20',
    '2026-11-20T',
    '2026-11-20T21',
    '2026-11-20T9:30',
    '2026-11-20T21:3',
    '2026-11-20T21:3000',
    '2026-11-20T2130:00',
    '2026-11-20T25:00',
    '2026-11-20T24:01',
    '2026-11-20T24:00:00.001',
    '2026-11-20T21:60',
    '2026-11-20T21:30:60',
    '2026-11-20T21:30:00.',
    '2026-11-20T21:30:00.1234567890',
    '2026-11-20T21:30.5',
    '2026-11-20  21:30',
    '2026-11-20_21:30',
    '2026-11-20\n21:30',
    ' 2026-11-20T21:30',
    '2026-11-20T21:30 ',
    '2026-11-20T21:30\n',
    '2026-11-20Z',
    '2026-11-20+03:00',
    '2026-11-20T21:30 03:00',
    '2026-11-20T21:30+3',
    '2026-11-20T21:30+3:00',
    '2026-11-20T21:30+24:00',
    '2026-11-20T21:30+99:99',
    '2026-11-20T21:30-03:60',
    '2026-11-20T21:30+03:00:00',
    '2026-11-20T21:30ZZ',
    '2026-11-20T21:30+03:00Z',
    '2026-11-20T21:30[Europe/Moscow]',
    '２０２６-11-20',
  ])('%j', (text) => {
    expect(parseIsoTime(text)).toBeUndefined()
  })
})

test('what is written is in UTC, with the digits of its version', () => {
  expect(formatV2Time(HALF_PAST_NINE)).toBe('2026-11-20 21:30:00')
  expect(formatV2Time(HALF_PAST_NINE + 999)).toBe('2026-11-20 21:30:00')
  expect(formatV1Time(HALF_PAST_NINE)).toBe('2026-11-20T21:30:00.000000+00:00')
  expect(formatV1Time(HALF_PAST_NINE + 123)).toBe('2026-11-20T21:30:00.123000+00:00')
})

const instants = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(9999, 11, 31) })

test('what is written is read back: v1 to the millisecond, v2 to the second', () => {
  fc.assert(
    fc.property(instants, (at) => {
      expect(parseIsoTime(formatV1Time(at))).toBe(at)
      expect(parseIsoTime(formatV2Time(at))).toBe(Math.floor(at / 1000) * 1000)
    }),
  )
})

test('an offset is taken off', () => {
  const offsets = fc.record({ hours: fc.nat(23), minutes: fc.nat(59), sign: fc.constantFrom(1, -1) })
  fc.assert(
    fc.property(instants, offsets, (at, { hours, minutes, sign }) => {
      const text = new Date(at).toISOString().slice(0, 23)
      const [hh, mm] = [hours, minutes].map((part) => String(part).padStart(2, '0'))
      const offset_ms = sign * (hours * 60 + minutes) * 60_000
      expect(parseIsoTime(`${text}${sign < 0 ? '-' : '+'}${hh}:${mm}`)).toBe(at - offset_ms)
    }),
  )
})

test('whatever JavaScript reads of this form means the same here', () => {
  const two = fc.integer({ min: 0, max: 99 }).map((value) => String(value).padStart(2, '0'))
  fc.assert(
    fc.property(fc.tuple(two, two, two, two, two), ([month, day, hour, minute, second]) => {
      const text = `2026-${month}-${day}T${hour}:${minute}:${second}Z`
      const is_a_day = !Number.isNaN(Date.parse(`2026-${month}-${day}`)) && Number(day) <= lastDay(month)
      const expected = is_a_day ? Date.parse(text) : NaN
      expect(parseIsoTime(text) ?? NaN).toBe(expected)
    }),
    { numRuns: 1000 },
  )
})

function lastDay(month: string): number {
  return new Date(Date.UTC(2026, Number(month), 0)).getUTCDate()
}
