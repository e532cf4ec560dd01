import { expect, test } from 'vitest'
import { cityOfRow, packCities, rowOfId, rowsWithText, type WorldCity } from './world-cities.ts'

const city = (id: number, name: string, population: number, fields: Partial<WorldCity> = {}): WorldCity => ({
  id,
  name,
  population,
  country: 'BR',
  timezone: 'America/Sao_Paulo',
  longitude: -46.63611,
  latitude: -23.5475,
  ...fields,
})

const CITIES = [
  city(7, 'São Paulo', 500),
  city(2_147_483_647, 'Paulista', 900, { country: 'RU', timezone: 'Europe/Moscow' }),
  city(3, 'Nova São Paulo', 500, { longitude: 179.99999, latitude: 0 }),
  city(1, 'São', 0),
]
const world = packCities(CITIES)
const namesWith = (text: string) =>
  rowsWithText(world, text)
    .map((row) => cityOfRow(world, row).name)
    .toArray()

test('rows are in the order of population, then of id, and say what went in', () => {
  expect(
    CITIES.keys()
      .map((row) => cityOfRow(world, row))
      .toArray(),
  ).toEqual([CITIES[1], CITIES[2], CITIES[0], CITIES[3]])
})

test('a row is found by its id, and only by that', () => {
  for (const { id, name } of CITIES) expect(cityOfRow(world, rowOfId(world, id)!).name).toBe(name)
  for (const id of [0, -1, 2, 8, 2_147_483_646]) expect(rowOfId(world, id)).toBeUndefined()
  expect(rowOfId(packCities([]), 1)).toBeUndefined()
})

test.each([
  [' pau', ['Paulista', 'Nova São Paulo', 'São Paulo']],
  [' sao', ['Nova São Paulo', 'São Paulo', 'São']],
  [' sao paulo', ['Nova São Paulo', 'São Paulo']],
  [' aulo', []],
  ['\n sao\n', ['São']],
  ['\n sao paulo\n', ['São Paulo']],
  ['\n paul\n', []],
])('the rows with %j', (text, names) => {
  expect(namesWith(text)).toEqual(names)
})
