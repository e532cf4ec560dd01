import ICAL from 'ical.js'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { LEGACY_EVENT_EXAMPLE } from '../../src/http/v1/event-examples.ts'
import { LEGACY_EVENT } from '../../src/http/v1/event-schemas.ts'
import { createClient } from '../support/client.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { importWorld } from '../support/makers.ts'
import { waitUntil } from '../support/wait.ts'
import { FESTIVAL_SETS, listingCatalog } from './listing-world.ts'

type SetBody = { id: string; amount_vacant: number; price: string; rules: { id: string; current: boolean }[] }
type EventBody = { id: string; title: { text: string }; sets: SetBody[]; [field: string]: unknown }

const PATH = '/v1/services/simple/events'
const world = await openOrderWorld({ document: listingCatalog() })
const id = (ref: string) => world.id(ref)
// Imports let no rules overlap; if they do, the one that began last is in force.
await world.database.sql(`UPDATE set_rules SET finish = finish + interval '11 days' WHERE price = 20000`)
const vendor = world.client('vendor')

async function list(query: string, client = vendor): Promise<EventBody[]> {
  const { status, body } = await client.get<EventBody[]>(`${PATH}${query}`)
  expect(status).toBe(200)
  return body
}

async function listIds(query: string, client = vendor): Promise<string[]> {
  return (await list(query, client)).map((event) => event.id)
}

async function festival(client = vendor): Promise<EventBody> {
  return (await list('', client)).find((event) => event.id === id('festival'))!
}

const ids = (...refs: string[]) => refs.map((ref) => id(ref))

describe('an event', () => {
  test('has every field of the contract', async () => {
    const contact = { address: '', email: '', name: '', phones: [], www: '' }
    const { sets, ...event } = await festival()
    const [{ created_at, updated_at } = {}] = await world.database.sql(
      `SELECT to_char(to_timestamp($2), $1) AS created_at, to_char(date_trunc('ms', updated_at), $1) AS updated_at
       FROM events WHERE id = $3`,
      ['YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"', Number.parseInt(id('festival').slice(0, 8), 16), id('festival')],
    )
    expect(event).toEqual({
      id: id('festival'),
      created_at,
      updated_at,
      lifetime:
        'BEGIN:VEVENT\r\nDTSTART;VALUE=DATE-TIME:20990704T150000Z\r\nDTEND;VALUE=DATE-TIME:20990704T233000Z\r\nEND:VEVENT\r\n',
      status: 'public',
      age_rating: 16,
      allow_other_ps: true,
      deal: { org: '92.5%', agent: '7.5%', extra: '10%', media: [] },
      partner: {
        id: id('vendor'),
        name: 'Partner vendor',
        desc: '',
        tags: [],
        media: {},
        contact,
      },
      org: {
        id: id('org'),
        name: 'Partner org',
        desc: 'Open air',
        tags: ['big'],
        media: { logo: { url: 'https://img.example.org/logo.png' } },
        contact: { ...contact, email: 'office@example.org', phones: ['+7 495 000-00-00'] },
      },
      legal_detail: { name: 'Org LLC', inn: '7700000000', ogrn: '1027700000000', address: 'Moscow' },
      tags: ['festival', 'rock'],
      tickets_amount: 116,
      tickets_amount_vacant: 112,
      title: { text: 'Фестиваль «Лето»', desc: 'Two "stages"\nand a tribune' },
      media: { cover: { id: '1', url: 'https://img.example.org/1.png', length: 5 } },
      ticket_template: { fan_cover_url: null, name: 'dark', text_color: null },
      map: {
        id: id('tribune'),
        name: 'Tribune',
        svg: {
          scheme: `${world.base_url}/v1/resources/maps/${id('tribune')}/scheme.svg`,
          'план 1/2.a': `${world.base_url}/v1/resources/maps/${id('tribune')}/${encodeURIComponent('план 1/2.a')}.svg`,
        },
      },
      venue: {
        id: id('field'),
        name: 'The Field',
        desc: 'Grass',
        address: '1 Field Road',
        country: { id: 'RU', name: { default: 'Россия', en: 'Russia', ru: 'Россия' } },
        city: {
          id: 1,
          country: 'RU',
          name: { default: 'Москва', en: 'Moscow', ru: 'Москва' },
          timezone: 'Europe/Moscow',
        },
        point: { type: 'Point', coordinates: [37.6, 55.75] },
      },
    })
    expect(sets.map((set) => set.id)).toEqual(ids('seats', 'standing', 'vip'))
  })

  test('has its sets with seats, prices under the deal, and rules', async () => {
    const [seats, standing, vip] = (await festival()).sets
    expect(seats).toEqual({
      id: id('seats'),
      pos: 1,
      name: 'Tribune',
      desc: '',
      amount: 6,
      amount_vacant: 6,
      price_org: '500.00',
      price_extra: '50.00',
      price: '550.00',
      with_seats: true,
      seats: { A: [1, '2a', '03'], 2: [1, 2, 3] },
      sector: { id: id('upper'), name: 'Upper "A"', with_seats: true },
      rules: [],
    })
    const { rules, ...fields } = standing!
    expect(fields).toEqual({
      id: id('standing'),
      pos: 2,
      name: 'Set standing',
      desc: 'Near the stage',
      amount: 100,
      amount_vacant: 100,
      price_org: '120.50',
      price_extra: '12.05',
      price: '132.55',
      with_seats: false,
      seats: null,
      sector: null,
    })
    const rule_id = expect.stringMatching(/^[0-9a-f]{24}$/)
    const cal = expect.stringMatching(
      /^BEGIN:VEVENT\r\nDTSTART;VALUE=DATE-TIME:\d{8}T\d{6}Z\r\nDTEND;VALUE=DATE-TIME:\d{8}T\d{6}Z\r\nEND:VEVENT\r\n$/,
    )
    expect(rules).toEqual(
      [
        { price_org: '200.00', price_extra: '20.00', price: '220.00' },
        { price_org: '120.50', price_extra: '12.05', price: '132.55' },
        { price_org: '300.00', price_extra: '30.00', price: '330.00' },
      ].map((rule, index) => ({ ...rule, id: rule_id, cal, current: index === 1 })),
    )
    expect(vip).toMatchObject({ amount: 10, amount_vacant: 6, price_org: '150.00', rules: [] })
  })

  test('has periods that calendars read', async () => {
    const event = await festival()
    const calendar = `BEGIN:VCALENDAR\r\n${String(event['lifetime'])}END:VCALENDAR\r\n`
    const vevent = ICAL.Component.fromString(calendar).getFirstSubcomponent('vevent')
    const period = ['dtstart', 'dtend'].map((name) => vevent?.getFirstPropertyValue(name))
    expect(period.map((time) => time instanceof ICAL.Time && time.toJSDate().toISOString())).toEqual([
      '2099-07-04T15:00:00.000Z',
      '2099-07-04T23:30:00.000Z',
    ])
  })

  test('is what the OpenAPI document describes, and so is its example', async () => {
    for (const event of [...(await list('')), ...(await list('', world.client('org'))), LEGACY_EVENT_EXAMPLE])
      expect(Value.Errors(LEGACY_EVENT, event)).toEqual([])
  })

  test('counts its vacant tickets at this moment', async () => {
    const before = await festival()
    await vendor.createOrder({ event: id('festival'), random: { [id('standing')]: 3 } })
    const after = await festival()
    expect(after['tickets_amount_vacant']).toBe(Number(before['tickets_amount_vacant']) - 3)
    expect(after.sets[1]!.amount_vacant).toBe(before.sets[1]!.amount_vacant - 3)
    expect(after['tickets_amount']).toBe(before['tickets_amount'])
  })

  test('shows its organizer no deal, no fee, and itself as partner', async () => {
    const event = await festival(world.client('org'))
    expect(event).toMatchObject({ deal: null, partner: { id: id('org'), name: 'Partner org' } })
    expect(event['partner']).toEqual(event['org'])
    expect(event.sets[0]).toMatchObject({ price_org: '500.00', price_extra: '0.00', price: '500.00' })
  })

  test('without a map, a point or legal details has null there', async () => {
    const [event] = await list(`?org=${id('vendor')}`)
    expect(event).toMatchObject({ map: null, legal_detail: null, deal: null, venue: { point: null } })
  })
})

describe('who sees which events', () => {
  test.each([
    ['vendor', ['concert', 'club', 'own', 'theatre', 'festival']],
    ['org', ['concert', 'theatre', 'festival']],
    ['other_org', ['club', 'closed_club']],
    ['poor', []],
    ['stranger', []],
    ['two_events', ['club', 'theatre']],
  ])('%s: %j', async (key, refs) => {
    const expected = ids(...refs)
    // The two clubs start together: they come in the order of their ids.
    if (key === 'other_org') expected.sort()
    expect(await listIds('', world.client(key))).toEqual(expected)
  })

  test('needs a key with the permission', async () => {
    expect(await createClient(world.base_url).get(PATH)).toMatchObject({ status: 401 })
    expect(await world.client('no_events').get(PATH)).toMatchObject({
      status: 403,
      body: { errors: ['the key lacks the permission events'] },
    })
  })
})

describe('pages', () => {
  test.each([
    ['?page_size=2', ['concert', 'club']],
    ['?page=1&page_size=2', ['concert', 'club']],
    ['?page=2&page_size=2', ['own', 'theatre']],
    ['?page=3&page_size=2', ['festival']],
    ['?page=4&page_size=2', []],
    ['?page=1000000000&page_size=200', []],
    ['?page=2', []],
  ])('%s', async (query, refs) => {
    expect(await listIds(query)).toEqual(ids(...refs))
  })
})

describe('filters', () => {
  test.each([
    ['?org={other_org}', ['club']],
    ['?org={closed_club}', []],
    ['?status=public', ['club', 'own', 'festival']],
    ['?status=stand_by,finished', ['concert', 'theatre']],
    ['?status=stand_by&status=finished', ['concert', 'theatre']],
    ['?status=', ['concert', 'club', 'own', 'theatre', 'festival']],
    ['?tags=rock', ['concert', 'festival']],
    ['?tags=festival,none', ['festival']],
    ['?tags=none', []],
    ['?venue={palace}', ['concert', 'own']],
    ['?city=1', ['club', 'theatre', 'festival']],
    ['?city=3', []],
    ['?country=643', ['club', 'theatre', 'festival']],
    ['?country=398', ['concert', 'own']],
    ['?country=4', []],
    ['?lifetime=2099-01-01,', ['festival']],
    ['?lifetime=,2099-01-01T00:00:00.000Z', ['concert', 'club', 'own', 'theatre']],
    ['?lifetime=2099-07-04 20:00:00,2099-07-04T20:00:01Z', ['festival']],
    ['?lifetime=2099-07-04T23:30:00Z,', ['festival']],
    ['?lifetime=2099-07-04T23:30:01Z,', []],
    ['?lifetime=,', ['concert', 'club', 'own', 'theatre', 'festival']],
    ['?view_limit=salespoint', ['concert', 'club', 'own', 'festival']],
    ['?view_limit=showroom', ['concert', 'club', 'own', 'theatre']],
    // 1000.00 and its fee of 4 %; of its own event 1040.00 without a fee.
    ['?price=1040,1040.00', ['concert', 'own']],
    ['?price=1040.01,', []],
    // The rule in force at 120.50 and the fee of the newer deal, 10 %.
    ['?price=132.55,132.55', ['festival']],
    ['?price=200,230', []],
    ['?price=,60', ['theatre']],
    ['?price=550,', ['concert', 'own', 'festival']],
    ['?price=0,10000&status=public&city=1', ['club', 'festival']],
    ['?some_filter_of_another_version=1', ['concert', 'club', 'own', 'theatre', 'festival']],
  ])('%s', async (query, refs) => {
    const filled = query.replaceAll(/\{(\w+)\}/g, (_match, ref: string) => id(ref))
    expect(await listIds(filled)).toEqual(ids(...refs))
  })

  test.each([
    ['page=0', 'page must be an integer from 1 to 1000000000'],
    ['page=-1', 'page must be an integer from 1 to 1000000000'],
    ['page=1.5', 'page must be an integer from 1 to 1000000000'],
    ['page=one', 'page must be an integer from 1 to 1000000000'],
    ['page=1&page=2', 'page must be given once'],
    ['page_size=0', 'page_size must be an integer from 1 to 200'],
    ['page_size=201', 'page_size must be an integer from 1 to 200'],
    ['org=x', 'org must be an id of 24 lower-case hex digits'],
    ['venue=x', 'venue must be an id of 24 lower-case hex digits'],
    ['status=public,sold_out', 'status must be one of public, stand_by, finished, cancelled'],
    ['tags=%00', 'tags must not contain NUL'],
    ['city=Moscow', 'city must be an integer from 0 to 2147483647'],
    ['city=2147483648', 'city must be an integer from 0 to 2147483647'],
    ['country=RU', 'country must be an integer from 0 to 999'],
    ['country=999', 'country must be the numeric code of a country in ISO 3166-1'],
    ['lifetime=2099-01-01', 'lifetime must be from,to'],
    ['lifetime=tomorrow,', 'lifetime must be from,to of ISO 8601 date-times'],
    ['price=100', 'price must be from,to'],
    ['price=-1,', 'price must be from,to of amounts with at most two digits after the point'],
    ['view_limit=widget', 'view_limit must be one of salespoint, showroom'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await vendor.get(`${PATH}?${query}`)
    expect({ status, body }).toEqual({ status: 400, body: { errors: [message] } })
  })
})

test('answers say that the listing is deprecated, also when they refuse', async () => {
  for (const query of ['', '?page=0']) {
    const { headers } = await vendor.get(`${PATH}${query}`)
    expect(headers.get('deprecation')).toBe('@1795132800')
    expect(headers.get('link')).toBe(`<${world.base_url}/docs>; rel="successor-version"`)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  }
})

test('an import is seen within a second, with the seats it adds', async () => {
  await festival()
  const { standing, seats, vip } = FESTIVAL_SETS
  const changed = {
    title: { text: 'Festival' },
    sets: [standing, { ...seats, rows: ['A', '2', '3'] }, { ...vip, price: '160.00' }],
  }
  await importWorld(world.database, listingCatalog(changed))
  const event = await waitUntil(
    async () => {
      const seen = await festival()
      return seen.title.text === 'Festival' ? seen : undefined
    },
    { timeout_ms: 1000 },
  )
  expect(event.sets[0]).toMatchObject({ amount: 8, seats: { A: [1, '2a', '03'], 2: [1, 2, 3], 3: [1, 2] } })
  expect(event.sets[2]).toMatchObject({ price_org: '160.00' })
  expect(event.title).toEqual({ text: 'Festival', desc: '' })
})
