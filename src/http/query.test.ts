import { expect, test } from 'vitest'
import { DomainError } from '../kernel/domain-error.ts'
import * as query from './query.ts'

const ID = 'a'.repeat(24)
const OTHER = 'b'.repeat(24)

const reads: Record<string, (value: unknown) => unknown> = {
  text: (x) => query.readText({ x }, 'x'),
  boolean: (x) => query.readBoolean({ x }, 'x'),
  integer: (x) => query.readInteger({ x }, 'x', { min: 1, max: 200 }),
  choice: (x) => query.readChoice({ x }, 'x', ['one', 'two']),
  id: (x) => query.readObjectId({ x }, 'x'),
  list: (x) => query.readList({ x }, 'x'),
  choices: (x) => query.readChoices({ x }, 'x', ['one', 'two']),
  ids: (x) => query.readObjectIds({ x }, 'x'),
  times: (x) => query.readTimeRange({ x }, 'x'),
  money: (x) => query.readMoneyRange({ x }, 'x'),
}

const read = (kind: string, value: unknown) => reads[kind]?.(value)

test.each([
  ['text', 'a,b', 'a,b'],
  ['text', '', undefined],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', '', undefined],
  ['integer', '1', 1],
  ['integer', '200', 200],
  ['integer', '', undefined],
  ['integer', undefined, undefined],
  ['choice', 'two', 'two'],
  ['id', ID, ID],
  ['list', 'a,b', ['a', 'b']],
  ['list', ['a', 'b,c'], ['a', 'b', 'c']],
  ['list', ',a,,', ['a']],
  ['list', ',', undefined],
  ['choices', 'two,one', ['two', 'one']],
  ['ids', [ID, OTHER], [ID, OTHER]],
  ['times', '1970-01-01T00:00:01Z,1970-01-01 00:00:02', { from: 1000, to: 2000 }],
  ['times', '1970-01-01T03:00:01+03:00,', { from: 1000 }],
  ['times', ',1970-01-02', { to: 86_400_000 }],
  ['times', ',', {}],
  ['money', '1,2.5', { from: 100, to: 250 }],
  ['money', '0.05, 1500.00', { from: 5, to: 150_000 }],
  ['money', ',100', { to: 10_000 }],
])('%s %j', (kind, value, expected) => {
  expect(read(kind, value)).toEqual(expected)
})

test.each([
  ['text', ['a', 'b']],
  ['text', 'a\0'],
  ['list', 'a\0b'],
  ['list', Array.from({ length: 1001 }, () => 'a').join()],
  ['boolean', 'yes'],
  ['boolean', 'TRUE'],
  ['boolean', ['true', 'false']],
  ['integer', '0'],
  ['integer', '201'],
  ['integer', '1.5'],
  ['integer', '1e2'],
  ['integer', ' 1'],
  ['integer', '0x10'],
  ['integer', '99999999999999999999'],
  ['integer', ['1', '2']],
  ['choice', 'three'],
  ['choice', '__proto__'],
  ['id', ID.toUpperCase()],
  ['id', 'x'],
  ['choices', 'one,three'],
  ['ids', `${ID},x`],
  ['times', '1970-01-01'],
  ['times', 'yesterday,'],
  ['times', '1970-02-30,'],
  ['times', '9999-12-31T23:59:59-14:00,'],
  ['times', 'a,b,c'],
  ['money', '5'],
  ['money', '-1,5'],
  ['money', '1.005,'],
  ['money', '99999999999999,'],
  ['money', '1e3,'],
])('refuses %s %j', (kind, value) => {
  expect(() => read(kind, value)).toThrow(DomainError)
  expect(() => read(kind, value)).toThrow(
    expect.objectContaining({ code: 'invalid_query', details: expect.objectContaining({ field: 'x' }) }),
  )
})

test('names a parameter that is not known', () => {
  expect(() => query.refuseUnknown({ page: '1', x: '' }, ['page', 'x'])).not.toThrow()
  const unknown = 'y'.repeat(100)
  expect(() => query.refuseUnknown({ page: '1', [unknown]: '' }, ['page', 'x'])).toThrow(
    expect.objectContaining({
      code: 'invalid_query',
      details: { field: 'y'.repeat(64), message: 'is not a parameter of this list; it takes page, x' },
    }),
  )
})
