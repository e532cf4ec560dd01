import { expect, test } from 'vitest'
import { encodingFor } from './encoded-body.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip', 'gzip'],
  ['br, GZIP;q=0.5', 'gzip'],
  ['deflate,gzip ; q=1', 'gzip'],
  ['identity', 'identity'],
  ['gzip;q=0, br', 'identity'],
  ['gzip;q=0.000', 'identity'],
  ['xgzip', 'identity'],
])('for a client that accepts %j it is %s', (header, encoding) => {
  expect(encodingFor(header)).toBe(encoding)
})
