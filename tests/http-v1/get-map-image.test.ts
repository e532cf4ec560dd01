import { expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { listingCatalog, SCHEME } from './listing-world.ts'

const world = await openOrderWorld({ document: listingCatalog() })
const map = world.id('tribune')
const anybody = createClient(world.base_url)

test('the links of an event lead to the images, for everybody', async () => {
  const { body } = await world
    .client('org')
    .get<{ map: { svg: Record<string, string> } }[]>(`/v1/services/simple/events?status=public`)
  const links = body[0]!.map.svg
  const images = await Promise.all(
    Object.entries(links).map(async ([name, link]) => [name, await (await fetch(link)).text()]),
  )
  expect(Object.fromEntries(images)).toEqual({ scheme: SCHEME, 'план 1/2.a': '<svg/>' })
})

test('an image can run nothing and load nothing', async () => {
  const { headers } = await anybody.get(`/v1/resources/maps/${map}/scheme.svg`)
  expect(headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  )
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})

test.each([
  `${'0'.repeat(24)}/scheme.svg`,
  'x/scheme.svg',
  'MAP/other.svg',
  'MAP/__proto__.svg',
  'MAP/%00.svg',
  `MAP/${'a'.repeat(100)}.svg`,
])('there is no %s', async (path) => {
  const { status, body } = await anybody.get(`/v1/resources/maps/${path.replace('MAP', map)}`)
  expect({ status, body }).toEqual({ status: 404, body: { errors: ['Map image not found'] } })
})
