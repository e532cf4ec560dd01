import { describe, expect, it } from 'vitest'
import { ImportFaults, importCatalog } from '../../src/events/import/import-catalog.ts'
import { newId } from '../../src/kernel/ids.ts'
import { makeKey } from '../../src/partners/keys.ts'
import { createTestDatabase } from '../support/database.ts'
import { dump, makeFullCatalog, put } from './full-catalog.ts'

const SET = '$.events[0].sets[1]'
const id = () => newId(7, Date.now())

/** What is put where in the full document, and the faults it must give: JSON path and a piece of the message. */
type Case = [name: string, changes: Record<string, unknown>, faults: Record<string, string>]

const FORM: Case[] = [
  ['a misspelt property', { 'events[0].sets[1].prise': 1 }, { [`${SET}.prise`]: 'no property' }],
  ['a property no path can spell', { 'partners[0].a b': 1 }, { '$.partners[0]["a b"]': 'no property' }],
  ['a required property', { 'partners[0].name': undefined }, { '$.partners[0].name': 'is required' }],
  ['a wrong type', { 'events[0].open_date': 'yes' }, { '$.events[0].open_date': 'boolean' }],
  ['an object for a list', { events: {} }, { '$.events': 'array' }],
  ['a number for a text', { 'partners[0].name': 5 }, { '$.partners[0].name': 'string' }],
  ['an empty name', { 'partners[0].name': '' }, { '$.partners[0].name': 'empty' }],
  ['a long name', { 'partners[0].name': 'x'.repeat(201) }, { '$.partners[0].name': '200' }],
  ['NUL', { 'partners[0].media.logo.url': 'a\0b' }, { '$.partners[0].media.logo.url': 'NUL' }],
  ['NUL in a name', { 'partners[0].media': { 'a\0': 1 } }, { '$.partners[0].media["a\\u0000"]': 'NUL' }],
  ['a lone surrogate', { 'events[0].title.text': 'a\ud800' }, { '$.events[0].title.text': 'surrogate' }],
  ['an id', { 'partners[0].id': 'ABC' }, { '$.partners[0].id': 'an id' }],
  ['a ref like an id', { 'partners[0].ref': id() }, { '$.partners[0].ref': 'look like an id' }],
  ['money', { 'events[0].sets[1].price': '1.5' }, { [`${SET}.price`]: 'money' }],
  ['negative money', { 'events[0].sets[1].price': '-1.00' }, { [`${SET}.price`]: 'money' }],
  ['too much money', { 'events[0].sets[1].price': '100000000.01' }, { [`${SET}.price`]: '100000000.00' }],
  ['a percentage', { 'deals[0].extra': '101%' }, { '$.deals[0].extra': 'percentage' }],
  ['a date', { 'events[0].lifetime.start': '2030-02-30' }, { '$.events[0].lifetime.start': 'ISO 8601' }],
  ['a year', { 'events[0].lifetime.start': '0001-01-01' }, { '$.events[0].lifetime.start': '1970' }],
  [
    'a finish before the start',
    { 'events[0].lifetime.finish': '2029-01-01' },
    { '$.events[0].lifetime': 'before finish' },
  ],
  [
    'a start at the finish of a rule',
    { 'events[0].sets[0].rules[0].lifetime.finish': '2029-01-01' },
    { '$.events[0].sets[0].rules[0].lifetime': 'before finish' },
  ],
  ['a time zone', { 'venues[0].city.timezone': 'Mars/Base' }, { '$.venues[0].city.timezone': 'time zone' }],
  ['an offset', { 'venues[0].city.timezone': '+03:00' }, { '$.venues[0].city.timezone': 'time zone' }],
  ['a country', { 'venues[0].country.id': 'XQ' }, { '$.venues[0].country.id': 'ISO 3166' }],
  ['a currency', { 'events[0].currency': 'RUR1' }, { '$.events[0].currency': 'ISO 4217' }],
  ['a point', { 'venues[0].point': [200, 5] }, { '$.venues[0].point': 'longitude' }],
  ['an e-mail address', { 'partners[0].contact.email': 'anna' }, { '$.partners[0].contact.email': 'e-mail' }],
  ['the URL of a webhook', { 'webhooks[0].url': 'ftp://a.example' }, { '$.webhooks[0].url': 'http' }],
  [
    'the type of a webhook',
    { 'webhooks[0].types[0]': 'order' },
    { '$.webhooks[0].types[0]': 'order_created' },
  ],
  ['a status', { 'events[0].status': 'open' }, { '$.events[0].status': 'stand_by' }],
  ['a permission', { 'keys[0].permissions[1]': 'root' }, { '$.keys[0].permissions[1]': 'admin' }],
  ['an amount', { 'events[0].sets[1].amount': 500_001 }, { [`${SET}.amount`]: '500000' }],
  ['a fraction', { 'events[0].sets[1].amount': 1.5 }, { [`${SET}.amount`]: 'integer' }],
  [
    'a row of too many seats',
    { 'maps[0].sectors[0].rows[0].seats': 1001 },
    { '$.maps[0].sectors[0].rows[0].seats': '1000' },
  ],
  ['no discount', { 'events[0].promotions[1]': {} }, { '$.events[0].promotions[1]': 'exactly one' }],
  [
    'two discounts',
    { 'events[0].promocodes[1].percentage': '5%' },
    { '$.events[0].promocodes[1]': 'exactly one' },
  ],
  [
    'steps of another kind',
    { 'events[0].promotions[2].levels.kind': 'percentage' },
    { '$.events[0].promotions[2].levels': 'every step' },
  ],
  [
    'a count of tickets',
    { 'events[0].promocodes[0].tickets_count.min': 5 },
    { '$.events[0].promocodes[0].tickets_count': 'above max' },
  ],
  [
    'a pattern',
    { 'events[0].custom_fields[0].pattern': '(' },
    { '$.events[0].custom_fields[0].pattern': 'regular expression' },
  ],
  [
    'a refund policy',
    { 'events[0].refund_policy': [{ days: 1 }] },
    { '$.events[0].refund_policy': 'law_ru_193' },
  ],
  [
    'several at once, each once',
    { 'partners[0].name': '\0'.repeat(300), 'events[0].sets[1].price': 1, extra: {} },
    { '$.partners[0].name': 'NUL', [`${SET}.price`]: 'string', '$.extra': 'no property' },
  ],
]

const MEANING: Case[] = [
  ['an unknown organizer', { 'events[0].org': 'nobody' }, { '$.events[0].org': 'no partner' }],
  [
    'an unknown venue',
    { 'events[0].venue': id(), 'maps[0].venue': 'nowhere' },
    { '$.events[0].venue': 'no venue', '$.maps[0].venue': 'no venue' },
  ],
  [
    'an unknown map',
    { 'events[0].map': 'x' },
    {
      '$.events[0].map': 'no map',
      '$.events[0].sets[0].sector': 'no sector',
      [`${SET}.sector`]: 'no sector',
    },
  ],
  ['an unknown group', { 'events[0].meta': 'x' }, { '$.events[0].meta': 'no group' }],
  ['an unknown sector', { 'events[0].sets[1].sector': 'x' }, { [`${SET}.sector`]: 'no sector' }],
  [
    'an unknown set',
    { 'events[0].promotions[0].sets[0]': 'x' },
    { '$.events[0].promotions[0].sets[0]': 'no set' },
  ],
  ['an unknown event', { 'deals[0].events[0]': 'x' }, { '$.deals[0].events[0]': 'no event' }],
  [
    'unknown partners',
    {
      'deals[0].vendor': 'x',
      'accounts[0].partner': 'x',
      'keys[0].partner': 'x',
      'webhooks[0].partner': 'x',
    },
    {
      '$.deals[0].vendor': 'no partner',
      '$.accounts[0].partner': 'no partner',
      '$.keys[0].partner': 'no partner',
      '$.webhooks[0].partner': 'no partner',
    },
  ],
  [
    'a ref twice',
    { 'partners[1].ref': 'org', deals: [], accounts: [], keys: [], webhooks: [] },
    { '$.partners[1].ref': '$.partners[0].ref' },
  ],
  [
    'a name twice, without ref',
    {
      'events[0].sets[2]': { name: 'Twice', price: '1.00', with_seats: false, amount: 1 },
      'events[0].sets[3]': { name: 'Twice', price: '1.00', with_seats: false, amount: 1 },
    },
    { '$.events[0].sets[3]': '$.events[0].sets[2]' },
  ],
  [
    "a set's id of another shard",
    { 'events[0].id': newId(9, 0), 'events[0].sets[1].id': id() },
    { [`${SET}.id`]: 'shard' },
  ],
  [
    "a rule's id of another shard",
    { 'events[0].id': newId(9, 0), 'events[0].sets[0].rules[0].id': id() },
    { '$.events[0].sets[0].rules[0].id': 'shard' },
  ],
  ['an event in shard 0', { 'events[0].id': newId(0, 0) }, { '$.events[0].id': 'shard 0' }],
  ['shares', { 'deals[0].agent': '12%' }, { '$.deals[0].agent': '100%' }],
  ['a deal with oneself', { 'deals[0].vendor': 'org' }, { '$.deals[0].vendor': 'organizer' }],
  ['a country of the city', { 'venues[0].city.country': 'FI' }, { '$.venues[0].city.country': 'RU' }],
  [
    'a city told in two ways',
    {
      'venues[1]': {
        ...makeFullCatalog().venues[0],
        ref: 'v2',
        city: { ...makeFullCatalog().venues[0]!.city, timezone: 'UTC' },
      },
    },
    { '$.venues[1].city': '$.venues[0].city' },
  ],
  [
    'a map of another venue',
    { 'venues[1]': { ...makeFullCatalog().venues[0], ref: 'v2' }, 'events[0].venue': 'v2' },
    { '$.events[0].map': 'another venue' },
  ],
  [
    'a group of another organizer',
    { 'groups[0].org': 'vendor' },
    { '$.events[0].meta': 'another organizer' },
  ],
  [
    'an event of another organizer',
    { 'deals[0].org': 'vendor', 'deals[0].vendor': 'org' },
    { '$.deals[0].events[0]': 'another organizer' },
  ],
  [
    'a row twice',
    { 'maps[0].sectors[0].rows[1].row': '1', 'events[0].sets[0].rows[1]': '3' },
    { '$.maps[0].sectors[0].rows[1].row': 'twice' },
  ],
  [
    'a seat twice',
    { 'maps[0].sectors[0].rows[1].seats[2]': 1 },
    { '$.maps[0].sectors[0].rows[1].seats[2]': 'twice' },
  ],
  [
    'from with a list',
    { 'maps[0].sectors[0].rows[1].from': 1 },
    { '$.maps[0].sectors[0].rows[1].from': 'count' },
  ],
  [
    'rows without seats and seats without rows',
    {
      'maps[0].sectors[0].with_seats': false,
      'maps[0].sectors[1].with_seats': true,
      'events[0].sets': [],
      'events[0].promotions': [],
      'events[0].promocodes': [],
      'events[0].promokeys': [],
    },
    { '$.maps[0].sectors[0].rows': 'no rows', '$.maps[0].sectors[1].rows': 'needs rows' },
  ],
  [
    'a row the sector has not',
    { 'events[0].sets[0].rows[1]': '9' },
    { '$.events[0].sets[0].rows[1]': 'no such row' },
  ],
  [
    'a row in two sets',
    {
      'events[0].sets[2]': {
        name: 'More',
        price: '1.00',
        with_seats: true,
        sector: 'parterre',
        rows: ['3', '1'],
      },
    },
    { '$.events[0].sets[2].rows[1]': '$.events[0].sets[0]' },
  ],
  [
    'a whole sector of which a row is taken',
    { 'events[0].sets[2]': { name: 'More', price: '1.00', with_seats: true, sector: 'parterre' } },
    { '$.events[0].sets[2].sector': '$.events[0].sets[0]' },
  ],
  [
    'seats without a sector',
    { 'events[0].sets[0].sector': undefined },
    { '$.events[0].sets[0].sector': 'needs the sector' },
  ],
  [
    'seats in a sector without',
    { 'events[0].sets[0].sector': 'floor' },
    { '$.events[0].sets[0].sector': 'without seats' },
  ],
  ['seats with an amount', { 'events[0].sets[0].amount': 5 }, { '$.events[0].sets[0].amount': 'has none' }],
  ['no seats and no amount', { 'events[0].sets[1].amount': undefined }, { [`${SET}.amount`]: 'is required' }],
  ['no seats and rows', { 'events[0].sets[1].rows': ['1'] }, { [`${SET}.rows`]: 'no rows' }],
  ['more pending than there are', { 'events[0].sets[1].pending': 21 }, { [`${SET}.pending`]: 'only 20' }],
  [
    'pending seats of a set without',
    { 'events[0].sets[1].pending': [{ row: 1, number: 1 }] },
    { [`${SET}.pending`]: 'count' },
  ],
  ['a count of pending seats', { 'events[0].sets[0].pending': 1 }, { '$.events[0].sets[0].pending': 'list' }],
  [
    'pending seats that are not, or twice',
    {
      'events[0].sets[0].pending': [
        { row: '1', number: '1' },
        { row: 1, number: 5 },
        { row: '1', number: '5' },
      ],
    },
    {
      '$.events[0].sets[0].pending[0]': 'no such seat',
      '$.events[0].sets[0].pending[2]': '$.events[0].sets[0].pending[1]',
    },
  ],
  [
    'rules that overlap',
    {
      'events[0].sets[0].rules[1]': {
        lifetime: { start: '2029-01-31', finish: '2029-03-01' },
        price: '1.00',
      },
    },
    { '$.events[0].sets[0].rules[1].lifetime': 'overlaps' },
  ],
  [
    'a code twice, in another case',
    { 'events[0].promocodes[1].code': 'HALF' },
    { '$.events[0].promocodes[1].code': '$.events[0].promocodes[0].code' },
  ],
  [
    'a bound of another kind',
    { 'events[0].custom_fields[0].gt': 1 },
    { '$.events[0].custom_fields[0].gt': 'kind text' },
  ],
  [
    'no options',
    { 'events[0].custom_fields[1].options': [] },
    { '$.events[0].custom_fields[1].options': 'needed' },
  ],
  [
    'an option twice',
    { 'events[0].custom_fields[1].options[1]': 'soup' },
    { '$.events[0].custom_fields[1].options[1]': 'twice' },
  ],
  [
    'min above max',
    { 'events[0].custom_fields[0].min': 10 },
    { '$.events[0].custom_fields[0].min': 'above max' },
  ],
  [
    'bounds that leave nothing',
    { 'events[0].custom_fields[2].lte': 0 },
    { '$.events[0].custom_fields[2]': 'no value' },
  ],
  [
    'a deposit ref twice',
    { 'accounts[1]': { partner: 'vendor', ref: 'first' } },
    { '$.accounts[1].ref': '$.accounts[0]' },
  ],
  [
    'two credit limits',
    { 'accounts[1]': { partner: 'vendor', currency: 'EUR', credit_limit: '1.00' } },
    { '$.accounts[1].credit_limit': '$.accounts[0]' },
  ],
  [
    'a webhook twice',
    {
      'webhooks[1]': { partner: 'org', url: 'https://example.org/other' },
      'webhooks[2]': { ref: 'hook', partner: 'vendor', url: 'https://example.org/more' },
      'webhooks[3]': { partner: 'org', url: 'https://example.org/other' },
    },
    { '$.webhooks[2].ref': '$.webhooks[0].ref', '$.webhooks[3]': '$.webhooks[1]' },
  ],
  ['a key twice', { 'keys[1]': { name: 'main', partner: 'vendor' } }, { '$.keys[1].name': '$.keys[0].name' }],
]

describe('faults', async () => {
  const database = await createTestDatabase()

  async function faultsOf(document: unknown): Promise<Record<string, string>> {
    const before = await dump(database)
    const error: unknown = await importCatalog({ db: database.db, document, now: Date.now, makeKey }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ImportFaults)
    expect(await dump(database)).toEqual(before)
    const { faults } = error as ImportFaults
    expect(new Set(faults.map((fault) => fault.path)).size).toBe(faults.length)
    return Object.fromEntries(faults.map(({ path, message }) => [path, message]))
  }

  it.each([...FORM, ...MEANING])('%s', async (_name, changes, expected) => {
    const document = makeFullCatalog()
    for (const [path, value] of Object.entries(changes)) put(document, path, value)
    expect(await faultsOf(document)).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([path, piece]) => [path, expect.stringContaining(piece) as unknown]),
      ),
    )
  })

  it.each([null, [], 'text', 5])('a document that is no object: %j', async (document) => {
    expect(await faultsOf(document)).toEqual({ $: 'must be of type object' })
  })

  it('more tickets than one import may make', async () => {
    const document = makeFullCatalog()
    for (let index = 2; index < 13; index++)
      put(document, `events[0].sets[${index}]`, {
        name: `${index}`,
        price: '1.00',
        with_seats: false,
        amount: 500_000,
      })
    expect(await faultsOf(document)).toEqual({ '$.events': expect.stringContaining('5000000') as unknown })
  })

  it('a document that is nested too deep', async () => {
    let media: object = {}
    for (let depth = 0; depth < 5000; depth++) media = { a: media }
    const faults = await faultsOf({ partners: [{ name: 'x', media }] })
    expect(Object.values(faults)).toEqual(['is nested deeper than 32'])
  })
})
