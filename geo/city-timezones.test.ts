import tzLookup from '@photostructure/tz-lookup'
import { expect, test } from 'vitest'
import { timezonesOf } from './city-timezones.ts'

const MOSCOW = { country: 'RU', longitude: 37.61556, latitude: 55.75222 }
const DILI = { country: 'TL', longitude: 125.57361, latitude: -8.55861 }
const BAUCAU = { country: 'TL', longitude: 126.45, latitude: -8.46667 }
const JAYAPURA = { country: 'ID', longitude: 140.71813, latitude: -2.53371 }
const WAMENA = { country: 'ID', longitude: 138.95, latitude: -4.08333 }
const JAKARTA = { country: 'ID', longitude: 106.84513, latitude: -6.21462 }
const PRISTINA = { country: 'XK', longitude: 21.16667, latitude: 42.67272 }
const KOLKATA = { country: 'IN', longitude: 88.36304, latitude: 22.56263 }

const lookedUp = ({ longitude, latitude }: { longitude: number; latitude: number }) =>
  tzLookup(latitude, longitude)

test('a zone of the own country is taken as it is looked up', () => {
  expect(timezonesOf([MOSCOW, JAKARTA])).toEqual(['Europe/Moscow', 'Asia/Jakarta'])
})

test('also when Intl has another name for it', () => {
  expect(timezonesOf([KOLKATA])).toEqual(['Asia/Kolkata'])
})

test('instead of a zone behind the border, a city gets that of the nearest city of its country', () => {
  expect(lookedUp(JAYAPURA)).toBe('Pacific/Port_Moresby')
  expect(timezonesOf([JAKARTA, JAYAPURA, WAMENA])).toEqual(['Asia/Jakarta', 'Asia/Jayapura', 'Asia/Jayapura'])
  expect(timezonesOf([JAYAPURA, JAKARTA])).toEqual(['Asia/Jakarta', 'Asia/Jakarta'])
})

test('and the first zone of its country when no other city tells', () => {
  expect(lookedUp(DILI)).not.toBe('Asia/Dili')
  expect(timezonesOf([DILI])).toEqual(['Asia/Dili'])
  expect(timezonesOf([DILI, BAUCAU])[0]).toBe('Asia/Dili')
})

test('a country whose zones nobody lists keeps what is looked up', () => {
  expect(timezonesOf([PRISTINA])).toEqual([lookedUp(PRISTINA)])
})
