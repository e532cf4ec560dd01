import { expect, test } from 'vitest'
import { makeCatalog, makeEvent } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'

const text = { min: 2, max: 5, pattern: '^[a-z]+$' }
const FIELDS = {
  born: { kind: 'date' },
  adult: { kind: 'checkbox' },
  sizes: { kind: 'multiple', options: ['S', 'M', 'L', 'XL'], min: 2, max: 3 },
  over: { kind: 'single', gt: 18 },
  under: { kind: 'single', lt: 18 },
  at_most: { kind: 'single', lte: 18 },
  at_least: { kind: 'single', gte: 18 },
  text: { kind: 'text', ...text },
  long_text: { kind: 'long_text', ...text },
} as const
const world = await openOrderWorld({
  document: makeCatalog({
    events: [
      makeEvent('event', {
        custom_fields: Object.entries(FIELDS).map(([ref, field]) => ({
          ref,
          scope: 'order',
          name: ref,
          ...field,
        })),
      }),
    ],
    deals: [],
    keys: [{ name: 'org', partner: 'org' }],
  }),
})

const create = (field: keyof typeof FIELDS, value: unknown) =>
  world.client('org').createOrder({
    event: world.id('event'),
    custom_fields: { order: [{ id: world.id(field), value }] },
  })

test.each<[keyof typeof FIELDS, unknown, string]>([
  ['born', '1990-2-28', "value should be formatted 'YYYY-MM-DD'"],
  ['born', '1990-02-30', "value should be formatted 'YYYY-MM-DD'"],
  ['adult', 'true', 'value should be True or False'],
  ['sizes', 'S', 'value is not a list'],
  ['sizes', ['S'], 'list length is less than 2'],
  ['sizes', ['S', 'M', 'L', 'XL'], 'list length is greater than 3'],
  ['over', 18, 'value is less than 18'],
  ['under', 18, 'value is greater than 18'],
  ['at_most', 19, 'value should be less than 18'],
  ['at_least', 17, 'value should be greater than 18'],
  ...(['text', 'long_text'] as const).flatMap((field): [keyof typeof FIELDS, unknown, string][] => [
    [field, 5, 'value is not a string'],
    [field, '', 'blank value is not allowed'],
    [field, 'a', 'String is shorter than 2 characters'],
    [field, 'abcdef', 'String is longer than 5 characters'],
    [field, 'ABC', 'does not match pattern ^[a-z]+$'],
  ]),
])('%s of %j is refused: %s', async (field, value, error) => {
  const { status, body } = await create(field, value)
  expect([status, body]).toEqual([400, { errors: [error] }])
})

test.each<[keyof typeof FIELDS, unknown]>([
  ['born', '1990-02-28'],
  ['adult', false],
  ['sizes', ['S', 'M']],
  ['sizes', ['S', 'M', 'L']],
  ['over', 19],
  ['under', 17],
  ['at_most', 18],
  ['at_least', 18],
  ['text', 'ab'],
  ['long_text', 'abcde'],
])('%s of %j is kept', async (field, value) => {
  const { status, body } = await create(field, value)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ custom_fields: { order: [{ id: world.id(field), value }] } })
})

test('a number that is too large to be kept is refused', async () => {
  const over = `{"id":"${world.id('over')}","value":1e400}`
  const { status, body } = await world
    .client('org')
    .createOrder(`{"event":"${world.id('event')}","custom_fields":{"order":[${over}]}}`)
  expect([status, body]).toEqual([400, { errors: ['value is not a number'] }])
})
