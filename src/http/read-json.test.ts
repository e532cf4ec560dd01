import { describe, expect, test } from 'vitest'
import { refusalOf } from './errors.ts'
import { readJson } from './read-json.ts'

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
}

function refusalTo(body: Buffer | string) {
  try {
    readJson(Buffer.from(body))
  } catch (error) {
    const { status, errors } = refusalOf(error)
    return { status, errors }
  }
  return undefined
}

describe('bodies that are read', () => {
  test.each([
    ['{}', {}],
    [' \r\n{"a": [1, -0.5e3, true, null, "\u0416 😀"]}\t', { a: [1, -500, true, null, 'Ж 😀'] }],
    [String.raw`{"a\u0020b": "\ud83d\ude00"}`, { 'a b': '😀' }],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['{"constructor": {"prototype": 1}}', { constructor: { prototype: 1 } }],
    [String.raw`{"a": "__proto__ \\u0000"}`, { a: String.raw`__proto__ \u0000` }],
  ])('%s', (text, value) => {
    expect(readJson(Buffer.from(text))).toEqual(value)
  })

  test('32 levels', () => {
    expect(refusalTo(nested(32))).toBeUndefined()
  })
})

describe('bodies that are refused', () => {
  test.each<[string, Buffer | string, string | RegExp]>([
    ['empty', '', 'the body is empty'],
    ['blank', '  ', /^malformed JSON: /],
    ['malformed', '{"a": 1,}', /^malformed JSON: .*position 8/],
    ['cut off', '{"a": "', /^malformed JSON: /],
    ['not quite JSON', "{'a': NaN}", /^malformed JSON: /],
    ['a byte order mark', '\ufeff{}', /^malformed JSON: /],
    ['Latin-1', Buffer.from('{"a": "é"}', 'latin1'), 'the body is not UTF-8'],
    ['UTF-16', Buffer.from('{"a": "é"}', 'utf16le'), 'the body is not UTF-8'],
    [
      'a surrogate in UTF-8',
      Buffer.from('7b2261223a22eda08022 7d'.replace(' ', ''), 'hex'),
      'the body is not UTF-8',
    ],
    ['a list', '[]', 'the body must be a JSON object'],
    ['a text', '"a"', 'the body must be a JSON object'],
    ['null', 'null', 'the body must be a JSON object'],
    ['33 levels', nested(33), 'the body is nested deeper than 32 levels'],
    [
      'many levels of lists',
      `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'the body is nested deeper than 32 levels',
    ],
    ['NUL', String.raw`{"tickets": ["a", "b\u0000"]}`, 'tickets[1] must not contain NUL'],
    ['a raw NUL', '{"a": "\0"}', /^malformed JSON: /],
    ['NUL in a key', String.raw`{"random": {"\u0000": 1}}`, 'a key of random must not contain NUL'],
    [
      'a high surrogate',
      String.raw`{"a": {"b": [{"c": "\ud83d"}]}}`,
      'a.b[0].c must not contain a lone surrogate',
    ],
    ['a low surrogate', String.raw`{"a": "\uDE00\ud83d"}`, 'a must not contain a lone surrogate'],
    [
      'a surrogate in a key',
      String.raw`{"\ud83d": 1}`,
      'a key of the body must not contain a lone surrogate',
    ],
    ['__proto__', '{"__proto__": {"admin": true}}', 'the body must not have the key __proto__'],
    ['__proto__ inside', '{"random": [{"__proto__": 1}]}', 'random[0] must not have the key __proto__'],
    [
      '__proto__ written otherwise',
      String.raw`{"a": {"\u005f_proto__": 1}}`,
      'a must not have the key __proto__',
    ],
    ['a long place', `{"${'k'.repeat(1000)}": "\\u0000"}`, `${'k'.repeat(200)} must not contain NUL`],
  ])('%s', (_name, body, text) => {
    expect(refusalTo(body)).toEqual({
      status: 400,
      errors: [typeof text === 'string' ? text : expect.stringMatching(text)],
    })
  })
})
