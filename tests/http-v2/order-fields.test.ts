import { describe, expect, test } from 'vitest'
import { makeCatalog, makeEvent, makeSet } from '../support/makers.ts'
import { idsOf, openOrderWorld } from '../support/order-world.ts'

const usual = makeCatalog()
const integration = (mode: string) => ({ smart_tickets: { name: 'Smart', mode } })
const world = await openOrderWorld({
  document: {
    ...usual,
    events: [
      ...(usual['events'] as object[]),
      makeEvent('none_event', integration('none')),
      makeEvent('only_event', integration('only')),
      makeEvent('any_event', integration('any')),
      makeEvent('field_event', {
        sets: [makeSet('field_set')],
        custom_fields: [
          { ref: 'born', scope: 'order', kind: 'date', name: 'Date of birth', required: true },
          {
            ref: 'size',
            scope: 'ticket',
            kind: 'multiple',
            name: 'Size',
            options: ['S', 'M', 'L'],
            min: 1,
            max: 2,
          },
          { ref: 'note', scope: 'order', kind: 'text', name: 'Note', min: 2, max: 5, pattern: '^[a-z]+$' },
        ],
      }),
    ],
    keys: [
      ...(usual['keys'] as object[]),
      { name: 'org_salespoint', partner: 'org', origin: 'salespoint' },
      { name: 'org_panel', partner: 'org', origin: 'control_panel' },
      { name: 'org_widget', partner: 'org', origin: 'widget' },
      { name: 'vendor_widget', partner: 'vendor', origin: 'widget' },
    ],
  },
})
const { id } = world
const vendor = world.client('vendor')
const standing = (count: number) => ({ random: { [id('standing')]: count } })
const open = async (body: object = {}, key = 'vendor') =>
  (await world.client(key).createOrder({ event: id('event'), ...body })).body.data

type Shown = { settings: object; vendor_data: object; custom_fields?: object; expired_after: string }
const shown = async (order: string) => (await vendor.getOrder(order)).body.data as unknown as Shown

describe('settings', () => {
  test('the three are always shown, the rest when set; customer is merged field by field', async () => {
    const data = await open({
      settings: { send_tickets: true, customer: { name: 'Анна', email: 'anna@example.org' } },
    })
    expect((data as unknown as Shown).settings).toEqual({
      invitation: false,
      send_tickets: true,
      subscribe_agree: false,
      customer: { name: 'Анна', email: 'anna@example.org' },
    })
    const { status } = await vendor.changeOrder(data.id, {
      settings: { subscribe_agree: true, customer: { phone: '+7 900 000-00-00', lang: 'ru' } },
    })
    expect(status).toBe(200)
    expect((await shown(data.id)).settings).toEqual({
      invitation: false,
      send_tickets: true,
      subscribe_agree: true,
      customer: { name: 'Анна', email: 'anna@example.org', phone: '+7 900 000-00-00', lang: 'ru' },
    })
  })

  test('an invitation makes every ticket free, and taking it back makes it cost again', async () => {
    const org = world.client('org_panel')
    const { body } = await org.createOrder({
      event: id('event'),
      ...standing(2),
      settings: { invitation: true },
    })
    expect(body.data.values).toMatchObject({
      price: '300.00',
      discount: '300.00',
      nominal: '0.00',
      extra: '0.00',
      full: '0.00',
    })
    const back = await org.changeOrder(body.data.id, { settings: { invitation: false } })
    expect(back.body.data.values).toMatchObject({ discount: '0.00', full: '300.00' })
    await org.changeOrder(body.data.id, { settings: { invitation: true }, random: { [id('standing')]: 3 } })
    const done = await org.changeOrder(body.data.id, { status: 'done' })
    expect(done.body.data.values).toMatchObject({ price: '450.00', nominal: '0.00' })
  })

  const refusals: [name: string, key: string, event: string, settings: object, error: string][] = [
    ['an invitation by a vendor', 'vendor', 'event', { invitation: true }, 'only org can send invitations'],
    [
      'an invitation by a vendor from the salespoint',
      'salespoint',
      'event',
      { invitation: true },
      'only org can send invitations',
    ],
    [
      'an invitation from the API',
      'org',
      'event',
      { invitation: true },
      'invitation can send from control panel or salespoint only',
    ],
    [
      'an invitation from the widget',
      'org_widget',
      'event',
      { invitation: true },
      'invitation can send from control panel or salespoint only',
    ],
    ['a courier from the API', 'vendor', 'event', { courier: true }, 'Courier must set only with salespoint'],
    [
      'a courier from the control panel',
      'org_panel',
      'event',
      { courier: true },
      'Courier must set only with salespoint',
    ],
    [
      'smart tickets where there are none',
      'vendor',
      'none_event',
      { smart_tickets: true },
      'Smart integrations is disabled',
    ],
    [
      'no smart tickets where there are only those',
      'vendor',
      'only_event',
      { smart_tickets: false },
      'Cant set smart_tickets to false while Smart integration option is only smart_tickets',
    ],
    [
      'an unreal address',
      'vendor',
      'event',
      { customer: { email: 'a@b\r\nBcc: c@example.org' } },
      'settings.customer.email must be an e-mail address',
    ],
    [
      'a long name',
      'vendor',
      'event',
      { customer: { name: 'x'.repeat(10_000) } },
      'settings.customer.name must be a string of at most 200 characters',
    ],
    [
      'another language',
      'vendor',
      'event',
      { customer: { lang: 'de' } },
      'settings.customer.lang must be en or ru',
    ],
    [
      'a switch that is none',
      'vendor',
      'event',
      { send_tickets: 'yes' },
      'settings.send_tickets must be a boolean',
    ],
  ]
  test.each(refusals)(
    '%s is refused, and nothing of the request happened',
    async (_, key, event, settings, error) => {
      const client = world.client(key)
      const created = await client.createOrder({ event: id(event), settings })
      expect([created.status, created.body]).toEqual([400, { errors: [error] }])
      const order = (await client.createOrder({ event: id(event) })).body.data.id
      const changed = await client.changeOrder(order, {
        settings,
        random: {},
        vendor_data: { order_id: '1' },
      })
      expect([changed.status, changed.body]).toEqual([400, { errors: [error] }])
      expect((await client.getOrder(order)).body.data).toMatchObject({ vendor_data: {} })
    },
  )

  test.each<[string, string, object]>([
    ['salespoint', 'event', { courier: true }],
    ['vendor', 'event', { courier: false, invitation: false }],
    ['vendor', 'any_event', { smart_tickets: true }],
    ['vendor', 'any_event', { smart_tickets: false }],
    ['vendor', 'only_event', { smart_tickets: true }],
    ['vendor', 'none_event', { smart_tickets: false }],
    ['vendor', 'event', { smart_tickets: true }],
    ['org_salespoint', 'event', { invitation: true }],
  ])('%s may set on %s %j', async (key, event, settings) => {
    const { status, body } = await world.client(key).createOrder({ event: id(event), settings })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ settings })
  })
})

describe('vendor_data', () => {
  test('is kept as it is and replaced as a whole', async () => {
    const vendor_data = { order_id: 'A-1', raw: { channel: 'сайт', paid: true, sum: 12.5 } }
    const { id: order } = await open({ vendor_data })
    expect((await shown(order)).vendor_data).toEqual(vendor_data)
    await vendor.changeOrder(order, { vendor_data: { raw: { channel: 'app' } } })
    expect((await shown(order)).vendor_data).toEqual({ raw: { channel: 'app' } })
    const ended = await vendor.changeOrder(order, { status: 'cancelled', vendor_data: {} })
    expect(ended.body.data).toMatchObject({ status: 'cancelled', vendor_data: {} })
  })

  test('has no numbers that are too large to be kept', async () => {
    const { status, body } = await vendor.createOrder(
      `{"event":"${id('event')}","vendor_data":{"raw":{"large":1e300,"larger":-1e400}}}`,
    )
    expect([status, body.errors]).toEqual([
      400,
      ['vendor_data.raw.larger must be a number, a boolean or a string of at most 128 characters'],
    ])
  })

  test('has as many characters as it may, whatever they take in UTF-16', async () => {
    const text = (length: number) => '😀'.repeat(length)
    const vendor_data = { order_id: text(64), raw: { [text(40)]: text(128) } }
    const { id: order } = await open({ vendor_data })
    expect((await shown(order)).vendor_data).toEqual(vendor_data)
    const longer = { order_id: text(65), raw: { [text(41)]: 1, a: text(129) } }
    const { status, body } = await vendor.changeOrder(order, { vendor_data: longer })
    expect([status, body.errors]).toEqual([
      400,
      [
        'vendor_data.order_id must be a string of 1 to 64 characters',
        'vendor_data.raw must have keys of at most 40 characters',
        'vendor_data.raw.a must be a number, a boolean or a string of at most 128 characters',
      ],
    ])
  })

  test.each<[object, string]>([
    [{ order_id: 'x'.repeat(65) }, 'vendor_data.order_id must be a string of 1 to 64 characters'],
    [{ raw: [] }, 'vendor_data.raw must be an object'],
    [
      { raw: { a: null } },
      'vendor_data.raw.a must be a number, a boolean or a string of at most 128 characters',
    ],
    [
      { raw: { a: 'x'.repeat(129) } },
      'vendor_data.raw.a must be a number, a boolean or a string of at most 128 characters',
    ],
    [{ raw: { ['k'.repeat(41)]: 1 } }, 'vendor_data.raw must have keys of at most 40 characters'],
    [
      { raw: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, n])) },
      'vendor_data.raw must have at most 20 keys',
    ],
  ])('refusal %#', async (vendor_data, error) => {
    const { status, body } = await vendor.createOrder({ event: id('event'), vendor_data })
    expect([status, body]).toEqual([400, { errors: [error] }])
  })
})

describe('expired_after', () => {
  const at = (seconds: number) => new Date(Math.floor(Date.now() / 1000 + seconds) * 1000).toISOString()
  const v2 = (iso: string) => iso.slice(0, 19).replace('T', ' ')

  test('of an API key: past the maximum, and any other', async () => {
    const { id: order, expired_after } = await open()
    const late = await vendor.changeOrder(order, { expired_after: at(901 + 10) })
    expect([late.status, late.body]).toEqual([400, { errors: [`max expired_after is ${expired_after}`] }])
    for (const wanted of [at(100), at(-100)]) {
      const { status, body } = await vendor.changeOrder(order, { expired_after: wanted })
      expect([status, body]).toEqual([400, { errors: ['expired_after is not changable'] }])
    }
  })

  test('the salespoint moves it, and the end of its reservations with it', async () => {
    const { id: order } = await open(standing(1), 'salespoint')
    const wanted = at(60)
    const { body } = await world.client('salespoint').changeOrder(order, { expired_after: wanted })
    expect(body.data.expired_after).toBe(v2(wanted))
    const rows = await world.database.sql('SELECT reserved_till FROM tickets WHERE "order" = $1', [order])
    expect(rows).toEqual([{ reserved_till: Date.parse(wanted) }])
  })

  test('must be a time', async () => {
    const { status, body } = await vendor.createOrder({ event: id('event'), expired_after: 'tomorrow' })
    expect([status, body]).toEqual([400, { errors: ['expired_after must be an ISO 8601 date-time'] }])
  })
})

describe('custom fields', () => {
  const create = async (custom_fields?: object) =>
    vendor.createOrder({
      event: id('field_event'),
      random: { [id('field_set')]: 1 },
      ...(custom_fields && { custom_fields }),
    })

  test('are given back once something is set, and go with their tickets', async () => {
    const { body } = await create()
    expect(body.data).not.toHaveProperty('custom_fields')
    const [ticket] = idsOf(body)
    const custom_fields = {
      order: [{ id: id('born'), value: '1990-02-28' }],
      tickets: [{ ticket, fields: [{ id: id('size'), value: ['M'] }] }],
    }
    const set = await vendor.changeOrder(body.data.id, { custom_fields })
    expect(set.body.data).toMatchObject({ custom_fields })
    const { body: emptied } = await vendor.changeOrder(body.data.id, { random: {} })
    expect(emptied.data).toMatchObject({ custom_fields: { order: custom_fields.order } })
    expect((emptied.data as unknown as Shown).custom_fields).not.toHaveProperty('tickets')
  })

  test('a required one that is empty keeps the order from completion', async () => {
    const { body } = await create()
    const refused = await vendor.changeOrder(body.data.id, { status: 'done' })
    expect([refused.status, refused.body]).toEqual([400, { errors: ['Date of birth is required'] }])
    const done = await vendor.changeOrder(body.data.id, {
      custom_fields: { order: [{ id: id('born'), value: '2000-01-01' }] },
      status: 'done',
    })
    expect(done.body.data.status).toBe('done')
  })

  test('every violation of a request is listed', async () => {
    const { status, body } = await create({
      order: [
        { id: id('born'), value: '28.02.1990' },
        { id: id('note'), value: 'A' },
        { id: id('note'), value: 'abcdef' },
        { id: id('size'), value: ['S'] },
      ],
      tickets: [{ ticket: world.seats[0], fields: [] }],
    })
    expect([status, body]).toEqual([
      400,
      {
        errors: [
          "value should be formatted 'YYYY-MM-DD'",
          'String is shorter than 2 characters',
          'String is longer than 5 characters',
          `custom field (id = ${id('size')}) is for the ticket`,
          `ticket (id = ${world.seats[0]}) is not in the order`,
        ],
      },
    ])
  })
})
