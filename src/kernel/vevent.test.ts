import * as fc from 'fast-check'
import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { formatVevent } from './vevent.ts'

test('the block of the contract', () => {
  const start = Date.UTC(2019, 7, 15, 21, 20)
  const finish = Date.UTC(2019, 7, 28, 21, 50)
  expect(formatVevent(start, finish)).toBe(
    'BEGIN:VEVENT\r\nDTSTART;VALUE=DATE-TIME:20190815T212000Z\r\n' +
      'DTEND;VALUE=DATE-TIME:20190828T215000Z\r\nEND:VEVENT\r\n',
  )
})

test('an iCalendar parser reads the same instants, in UTC', () => {
  const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1000 })
  fc.assert(
    fc.property(seconds, seconds, (start, finish) => {
      const event = new ICAL.Event(ICAL.Component.fromString(formatVevent(start * 1000, finish * 1000)))
      expect(event.startDate.zone.tzid).toBe('UTC')
      expect(event.startDate.toUnixTime()).toBe(start)
      expect(event.endDate.toUnixTime()).toBe(finish)
    }),
  )
})

test('parts of a second are cut off', () => {
  expect(formatVevent(1999, 2000)).toBe(formatVevent(1000, 2000))
})
