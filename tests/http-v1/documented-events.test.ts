import { expect, test } from 'vitest'
import { lifetime, makeCatalog, makeDeal, makeEvent } from '../support/makers.ts'
import { openOrderWorld } from '../support/order-world.ts'

/** Rules of the legacy listing that want a catalog of their own: seven events, and records with every optional field. */
const NUMBERS = [1, 2, 3, 4, 5, 6, 7]
const tagOf = (n: number) => `6920a1f00000c3a5e100001${n}`
const image = (name: string) => ({
  id: '6920a1f00000c3a5e1000001',
  author: '6920a1f00000c3a5e1000002',
  content_type: 'image/png',
  length: 4096,
  md5hash: 'd41d8cd98f00b204e9800998ecf8427e',
  url: `https://img.example.org/${name}.png`,
})
const media = { cover_original: image('original'), cover: image('cover'), cover_small: image('small') }
const legal_detail = {
  name: 'Ivanov I. I.',
  inn: '770000000000',
  ogrnip: '304770000000000',
  address: 'Moscow',
}
const ticket_template = {
  fan_cover_url: 'https://img.example.org/fan.png',
  name: 'dark',
  text_color: '#ffffff',
}
const world = await openOrderWorld({
  document: makeCatalog({
    partners: [
      { ref: 'org', name: 'Partner org', legal_detail },
      { ref: 'vendor', name: 'Partner vendor' },
    ],
    events: NUMBERS.map((n) =>
      makeEvent(`event_${n}`, {
        lifetime: lifetime(n * 24, n * 24 + 3),
        tags: [tagOf(n)],
        media,
        ticket_template,
      }),
    ),
    deals: [makeDeal('deal', { org: 'org', vendor: 'vendor' })],
    accounts: [],
    keys: [{ name: 'vendor', partner: 'vendor' }],
  }),
})

const list = async (query: string) =>
  (await world.client('vendor').get<{ id: string }[]>(`/v1/services/simple/events${query}`)).body
const idsOf = (numbers: number[]) => numbers.map((n) => world.id(`event_${n}`))

test.each([
  ['?page=2&page_size=3', [4, 5, 6]],
  ['?page_size=3', [1, 2, 3]],
  ['', NUMBERS],
  [`?tags=${tagOf(2)},${tagOf(7)}`, [2, 7]],
])('%s has the events %j', async (query, numbers) => {
  expect((await list(query)).map((event) => event.id)).toEqual(idsOf(numbers))
})

test('an entrepreneur has an ogrnip, a cover its file, a ticket template its looks', async () => {
  const [event] = await list('?page_size=1')
  expect(event).toMatchObject({ media, ticket_template })
  expect(event).toHaveProperty('legal_detail', legal_detail)
})
