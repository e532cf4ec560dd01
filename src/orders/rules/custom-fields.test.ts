import { describe, expect, test } from 'vitest'
import { fieldFaults, mergeCustomFields, missingRequired } from './custom-fields.ts'

type Field = Parameters<typeof missingRequired>[0][number]

const [T1, T2] = ['t1', 't2']
const matches = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text)

function field(kind: Field['kind'], bounds: Field['bounds'] = {}, fields: Partial<Field> = {}): Field {
  return { id: 'f', scope: 'order', kind, name: 'Field', required: false, bounds, ...fields }
}

const faultsOf = (of: Field, value: unknown) =>
  fieldFaults({ order: [{ id: 'f', value }] }, { fields: [of], tickets: [], matches })

describe('values', () => {
  const choices = { options: ['a', 'b', 7] }
  test.each<[Field, unknown, string[]]>([
    [field('date'), '2026-11-20', []],
    [field('date'), '2024-02-29', []],
    [field('date'), '0001-01-01', []],
    [field('date'), '2026-02-29', ["value should be formatted 'YYYY-MM-DD'"]],
    [field('date'), '2026-13-01', ["value should be formatted 'YYYY-MM-DD'"]],
    [field('date'), '2026-00-10', ["value should be formatted 'YYYY-MM-DD'"]],
    [field('date'), '20.11.2026', ["value should be formatted 'YYYY-MM-DD'"]],
    [field('date'), '2026-11-20\n', ["value should be formatted 'YYYY-MM-DD'"]],
    [field('date'), 20_261_120, ["value should be formatted 'YYYY-MM-DD'"]],

    [field('checkbox'), true, []],
    [field('checkbox'), false, []],
    [field('checkbox'), 'true', ['value should be True or False']],
    [field('checkbox'), 1, ['value should be True or False']],

    [field('multiple', choices), ['a', 7], []],
    [field('multiple', choices), [], []],
    [field('multiple', choices), 'a', ['value is not a list']],
    [field('multiple', choices), { 0: 'a' }, ['value is not a list']],
    [field('multiple', { ...choices, min: 2 }), ['a'], ['list length is less than 2']],
    [field('multiple', { ...choices, min: 2 }), ['a', 'b'], []],
    [field('multiple', { ...choices, max: 1 }), ['a'], []],
    [field('multiple', { ...choices, max: 1 }), ['a', 'b'], ['list length is greater than 1']],
    [field('multiple', choices), ['c'], ['value is not one of the options']],
    [field('multiple', choices), ['7'], ['value is not one of the options']],
    [field('multiple', choices), ['a', 'a'], ['list has a value twice']],
    [
      field('multiple', choices),
      ['a', 'a', 'c', 'b'],
      ['list length is greater than 3', 'value is not one of the options', 'list has a value twice'],
    ],

    [field('single', choices), 'b', []],
    [field('single', choices), 7, []],
    [field('single', choices), 'c', ['value is not one of the options']],
    [field('single'), 'anything', []],
    [field('single'), ['a'], ['value is not a string or a number']],
    [field('single'), 'a'.repeat(1001), ['String is longer than 1000 characters']],
    [field('single', { gt: 5 }), 6, []],
    [field('single', { gt: 5 }), 5, ['value is less than 5']],
    [field('single', { lt: 5 }), 4, []],
    [field('single', { lt: 5 }), 5, ['value is greater than 5']],
    [field('single', { lte: 5 }), 5, []],
    [field('single', { lte: 5 }), 5.5, ['value should be less than 5']],
    [field('single', { gte: 5 }), 5, []],
    [field('single', { gte: 5 }), 4, ['value should be greater than 5']],
    [field('single', { gt: 0, lt: 10 }), 10, ['value is greater than 10']],
    [field('single', { gte: 5 }), '6', ['value is not a number']],
    [field('single', { gte: 5 }), Infinity, ['value is not a number']],
    [field('single'), Infinity, ['value is not a string or a number']],

    [field('text'), 'Anna', []],
    [field('text'), 5, ['value is not a string']],
    [field('text'), true, ['value is not a string']],
    [field('text'), '', ['blank value is not allowed']],
    [field('text'), ' \t', ['blank value is not allowed']],
    [field('text', { min: 3 }), 'ab', ['String is shorter than 3 characters']],
    [field('text', { min: 3 }), 'abc', []],
    [field('text', { max: 3 }), 'abcd', ['String is longer than 3 characters']],
    [field('text', { max: 3 }), '🎟🎟🎟', []],
    [field('text', { min: 2 }), '🎟', ['String is shorter than 2 characters']],
    [field('text'), 'a'.repeat(1000), []],
    [field('text'), 'a'.repeat(1001), ['String is longer than 1000 characters']],
    [field('text', { max: 5000 }), 'a'.repeat(1001), ['String is longer than 1000 characters']],
    [field('long_text'), 'a'.repeat(10_000), []],
    [field('long_text'), 'a'.repeat(10_001), ['String is longer than 10000 characters']],
    [field('text', { pattern: '^\\d+$' }), '123', []],
    [field('text', { pattern: '^\\d+$' }), '12a', ['does not match pattern ^\\d+$']],
    [field('long_text', { pattern: '^\\p{Lu}' }), 'Яна', []],
    [field('text', { min: 3, pattern: '^x' }), 'ab', ['String is shorter than 3 characters']],

    [field('text'), null, []],
    [field('checkbox'), null, []],
  ])('%j, %j: %j', (of, value, faults) => {
    expect(faultsOf(of, value)).toEqual(faults)
  })

  test('a pattern is not tried on a text that is too long', () => {
    const never = () => expect.fail('tried')
    const sent = { order: [{ id: 'f', value: 'a'.repeat(1001) }] }
    const sale = { fields: [field('text', { pattern: 'a' })], tickets: [], matches: never }
    expect(fieldFaults(sent, sale)).toEqual(['String is longer than 1000 characters'])
  })
})

test('all faults are listed in the order sent, and what is not the event or the order is named', () => {
  const fields = [field('checkbox', {}, { id: 'o' }), field('date', {}, { id: 't', scope: 'ticket' })]
  const sent = {
    order: [
      { id: 'o', value: 'no' },
      { id: 't', value: '2026-11-20' },
      { id: 'x', value: 1 },
    ],
    tickets: [
      {
        ticket: T1,
        fields: [
          { id: 't', value: 'today' },
          { id: 'o', value: true },
        ],
      },
      { ticket: T2, fields: [{ id: 't', value: '2026-11-20' }] },
    ],
  }
  expect(fieldFaults(sent, { fields, tickets: [T1], matches })).toEqual([
    'value should be True or False',
    'custom field (id = t) is for the ticket',
    'custom field (id = x) does not belong to current event',
    "value should be formatted 'YYYY-MM-DD'",
    'custom field (id = o) is for the order',
    'ticket (id = t2) is not in the order',
  ])
})

describe('merging', () => {
  const before = {
    order: [
      { id: 'a', value: 1 },
      { id: 'b', value: 2 },
    ],
    tickets: [
      { ticket: T1, fields: [{ id: 'c', value: 3 }] },
      { ticket: T2, fields: [{ id: 'c', value: 4 }] },
    ],
  }
  test('replaces by field, keeps the rest, and adds', () => {
    const sent = {
      order: [
        { id: 'b', value: 20 },
        { id: 'd', value: 5 },
      ],
      tickets: [{ ticket: T2, fields: [{ id: 'e', value: 6 }] }],
    }
    expect(mergeCustomFields(before, sent, [T1, T2])).toEqual({
      order: [
        { id: 'a', value: 1 },
        { id: 'b', value: 20 },
        { id: 'd', value: 5 },
      ],
      tickets: [
        { ticket: T1, fields: [{ id: 'c', value: 3 }] },
        {
          ticket: T2,
          fields: [
            { id: 'c', value: 4 },
            { id: 'e', value: 6 },
          ],
        },
      ],
    })
  })

  test('null takes away, and a ticket that left takes its values along', () => {
    const sent = { order: [{ id: 'a', value: null }] }
    expect(mergeCustomFields(before, sent, [T2])).toEqual({
      order: [{ id: 'b', value: 2 }],
      tickets: [{ ticket: T2, fields: [{ id: 'c', value: 4 }] }],
    })
    expect(mergeCustomFields({ order: [{ id: 'a', value: 1 }] }, sent, [])).toEqual({})
    expect(mergeCustomFields(null, {}, [])).toEqual({})
  })
})

test.each<[string, Partial<Field>, Parameters<typeof missingRequired>[1], string[]]>([
  ['nothing set', {}, null, ['Field is required']],
  ['set', {}, { order: [{ id: 'f', value: 'x' }] }, []],
  ['false is a value', {}, { order: [{ id: 'f', value: false }] }, []],
  ['an empty list is none', {}, { order: [{ id: 'f', value: [] }] }, ['Field is required']],
  ['not required', { required: false }, null, []],
  [
    'set for one of two tickets',
    { scope: 'ticket' },
    { tickets: [{ ticket: T1, fields: [{ id: 'f', value: 1 }] }] },
    ['Field is required'],
  ],
  [
    'set for both tickets',
    { scope: 'ticket' },
    { tickets: [T1, T2].map((ticket) => ({ ticket, fields: [{ id: 'f', value: 1 }] })) },
    [],
  ],
])('required at completion: %s', (_, fields, values, missing) => {
  expect(missingRequired([field('text', {}, { required: true, ...fields })], values, [T1, T2])).toEqual(
    missing,
  )
})
