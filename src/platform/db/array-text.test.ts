import { expect, test } from 'vitest'
import { arrayText } from './array-text.ts'

test.each<[string, readonly unknown[], string]>([
  ['nothing', [], '{}'],
  ['numbers', [1, -2, 2 ** 53 - 1], '{1,-2,9007199254740991}'],
  ['nulls, whatever they are called', [null, undefined, 'NULL', ''], '{NULL,NULL,"NULL",""}'],
  ['booleans', [true, false], '{true,false}'],
  ['what an array literal is made of', ['{a,b}', ' a ', 'a,b'], '{"{a,b}"," a ","a,b"}'],
  ['quotes and backslashes', ['"', String.raw`\\"\\`], String.raw`{"\"","\\\\\"\\\\"}`],
  ['JSON', [JSON.stringify({ a: '"' })], String.raw`{"{\"a\":\"\\\"\"}"}`],
  ['bytes', [Buffer.from([0, 255])], String.raw`{"\\x00ff"}`],
])('%s', (_what, values, text) => {
  expect(arrayText(values)).toBe(text)
})

test('what PostgreSQL has no array of is refused', () => {
  expect(() => arrayText([{}])).toThrow('an array parameter cannot hold a object')
})
