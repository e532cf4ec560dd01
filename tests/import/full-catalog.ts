import type { TestDatabase } from '../support/database.ts'

/** A document with every property of every kind, so that what is stored can be looked at column by column. */
export function makeFullCatalog() {
  const localName = (en: string, ru: string) => ({ default: en, en, ru })
  return {
    partners: [
      {
        ref: 'org',
        name: 'Organizer',
        desc: 'Makes events',
        tags: ['theatre'],
        contact: {
          address: 'Nevsky 1',
          email: 'org@example.org',
          name: 'Anna',
          phones: ['+7 812 000'],
          www: 'https://example.org',
        },
        legal_detail: {
          name: 'LLC',
          inn: '7800000000',
          ogrn: '1027800000000',
          ogrnip: '3',
          address: 'Nevsky 1',
        },
        media: { logo: { url: 'https://example.org/logo.png', length: 10 } },
      },
      { ref: 'vendor', name: 'Vendor' },
    ],
    venues: [
      {
        ref: 'venue',
        name: 'House',
        desc: 'Old',
        address: 'Nevsky 2',
        city: {
          id: 498817,
          name: localName('Saint Petersburg', 'Санкт-Петербург'),
          timezone: 'Europe/Moscow',
          country: 'RU',
        },
        country: { id: 'RU', name: localName('Russia', 'Россия') },
        point: [30.3, 59.9],
      },
    ],
    maps: [
      {
        ref: 'map',
        venue: 'venue',
        name: 'Hall',
        sectors: [
          {
            ref: 'parterre',
            name: 'Parterre',
            with_seats: true,
            rows: [
              { row: '1', seats: 4, from: 5, x: 1.5, y: 2, step: 0.5 },
              { row: 2, seats: ['1', 'A', 3] },
              { row: '3', seats: 3 },
            ],
          },
          { ref: 'floor', name: 'Floor', with_seats: false },
        ],
        svg: { plan: '<svg/>' },
      },
    ],
    groups: [
      { ref: 'show', org: 'org', name: 'Show', desc: 'Some days', age_rating: 6, media: { cover: {} } },
    ],
    events: [
      {
        ref: 'event',
        org: 'org',
        venue: 'venue',
        map: 'map',
        meta: 'show',
        title: { text: 'Evening', desc: 'Long' },
        status: 'public',
        lifetime: { start: '2030-01-01 18:00:00', finish: '2030-01-01T23:00:00+02:00' },
        open_date: true,
        currency: 'EUR',
        age_rating: 12,
        tags: ['drama'],
        category: 'theatre',
        artists: ['Somebody'],
        media: { cover: { url: 'https://example.org/c.png' } },
        ticket_template: { fan_cover_url: null, name: 'plain', text_color: '#000' },
        view_limits: { salespoint: true, showroom: false },
        order_lifetime_s: 600,
        max_tickets_per_order: 10,
        promokey_required: true,
        smart_tickets: { name: 'Smart', mode: 'any' },
        refund_policy: [
          { days: 3, percent: '30%' },
          { days: 10, percent: '100%' },
        ],
        sets: [
          {
            ref: 'seats',
            name: 'Seats',
            desc: 'Red',
            pos: 7,
            price: '150.00',
            with_seats: true,
            sector: 'parterre',
            rows: ['1', 2],
            promokey_required: true,
            pending: [{ row: '1', number: '6' }],
            rules: [{ lifetime: { start: '2029-01-01', finish: '2029-02-01' }, price: '120.50' }],
          },
          {
            ref: 'standing',
            name: 'Standing',
            price: '99.00',
            with_seats: false,
            amount: 20,
            sector: 'floor',
            pending: 3,
          },
        ],
        promotions: [
          { lifetime: { start: '2029-01-01' }, sets: ['seats'], percentage: '12.5%' },
          { fix: '5.00' },
          {
            levels: {
              by: 'sum',
              kind: 'fix',
              steps: [
                { from: '200.00', value: '20.00' },
                { from: '100.00', value: '5.00' },
              ],
            },
          },
        ],
        promocodes: [
          {
            code: 'Half',
            percentage: '50%',
            lifetime: { finish: '2029-06-01' },
            sets: ['standing'],
            tickets_count: { min: 2, max: 4 },
            limit: 9,
            viral: true,
          },
          { code: 'ten', fix: '10.00' },
        ],
        promokeys: [{ code: 'Open', sets: ['seats'], lifetime: {}, limit: 5, single_order: true }],
        custom_fields: [
          {
            ref: 'who',
            scope: 'order',
            kind: 'text',
            name: 'Who',
            required: true,
            min: 2,
            max: 9,
            pattern: '^\\p{L}+$',
          },
          { scope: 'ticket', kind: 'multiple', name: 'Meal', options: ['soup', 7], min: 0, max: 2 },
          { scope: 'ticket', kind: 'single', name: 'Age', gt: 0, lte: 120 },
        ],
      },
    ],
    deals: [
      {
        ref: 'deal',
        org: 'org',
        vendor: 'vendor',
        events: ['event'],
        org_share: '87.5%',
        agent: '12.5%',
        extra: '4%',
        lifetime: { start: '2026-01-01', finish: '2031-01-01' },
        active: false,
        refund_approval: 'org',
      },
    ],
    accounts: [
      { partner: 'vendor', currency: 'EUR', deposit: '1000.00', ref: 'first', credit_limit: '50.00' },
    ],
    keys: [
      {
        name: 'main',
        partner: 'vendor',
        origin: 'salespoint',
        permissions: ['orders', 'admin'],
        events: ['event'],
        expires: '2035-01-01',
      },
      { name: 'plain', partner: 'org' },
    ],
    webhooks: [{ ref: 'hook', partner: 'vendor', url: 'https://example.org/hook', types: ['order_done'] }],
  } satisfies Record<string, unknown>
}

export type FullCatalog = ReturnType<typeof makeFullCatalog>

/** Every row of every table with the transaction that wrote it: equal only when nothing was written in between. */
export async function dump({ sql }: TestDatabase): Promise<Record<string, unknown>> {
  const tables = await sql(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`)
  const contents: Record<string, unknown> = {}
  for (const { tablename } of tables) {
    const rows = await sql(
      `SELECT xmin::text || ' ' || to_jsonb(t)::text AS row FROM "${String(tablename)}" t ORDER BY to_jsonb(t)::text`,
    )
    contents[String(tablename)] = rows.map(({ row }) => row)
  }
  return contents
}

/** Sets at `path`, such as `events[0].sets[1].price`; undefined takes the property away. */
export function put(document: object, path: string, value: unknown): void {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  const last = steps.pop()!
  let target = document as Record<string, unknown>
  for (const step of steps) target = target[step] as Record<string, unknown>
  if (value === undefined) delete target[last]
  else target[last] = value
}
