import { lifetime, makeCatalog, makeDeal, makeEvent, makeSet } from '../support/makers.ts'

type Json = Record<string, unknown>

export const SCHEME = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

/** Days from now on, as the catalog writes it. */
export const days = (from: number, to: number) => lifetime(from * 24, to * 24)

const name = (en: string, ru: string) => ({ default: ru, en, ru })
const MOSCOW = { id: 1, name: name('Moscow', 'Москва'), timezone: 'Europe/Moscow', country: 'RU' }
const ALMATY = { id: 2, name: name('Almaty', 'Алматы'), timezone: 'Asia/Almaty', country: 'KZ' }

/** Of `festival`, by their names. */
export const FESTIVAL_SETS = {
  standing: makeSet('standing', {
    pos: 2,
    desc: 'Near the stage',
    rules: [
      { lifetime: days(-10, -1), price: '200.00' },
      { lifetime: days(-1, 1), price: '120.50' },
      { lifetime: days(5, 6), price: '300.00' },
    ],
  }),
  seats: {
    ref: 'seats',
    name: 'Tribune',
    pos: 1,
    price: '500.00',
    with_seats: true,
    sector: 'upper',
    rows: ['A', '2'],
  },
  vip: makeSet('vip', { pos: 3, amount: 10, pending: 4 }),
}

/** Of `org`: everything an event can have. */
const FESTIVAL: Json = {
  ref: 'festival',
  org: 'org',
  venue: 'field',
  map: 'tribune',
  title: { text: 'Фестиваль «Лето»', desc: 'Two "stages"\nand a tribune' },
  status: 'public',
  lifetime: { start: '2099-07-04T15:00:00Z', finish: '2099-07-05T02:30:00+03:00' },
  age_rating: 16,
  tags: ['festival', 'rock'],
  media: { cover: { id: '1', url: 'https://img.example.org/1.png', length: 5 } },
  ticket_template: { name: 'dark' },
  view_limits: { showroom: false },
  sets: Object.values(FESTIVAL_SETS),
}

/**
 * Events by start: `concert` (org, stand by, Almaty), `club` and `closed_club` (other_org, the same start), `own` (of
 * `vendor` itself), `theatre` (org, finished), `festival`. `vendor` sells all of `org`, and of `other_org` only `club`;
 * its newer deal for `festival` has a fee of 10 %. `festival` replaces fields of that event.
 */
export function listingCatalog(festival: Json = {}): Json {
  return makeCatalog({
    partners: [
      {
        ref: 'org',
        name: 'Partner org',
        desc: 'Open air',
        tags: ['big'],
        contact: { email: 'office@example.org', phones: ['+7 495 000-00-00'] },
        legal_detail: { name: 'Org LLC', inn: '7700000000', ogrn: '1027700000000', address: 'Moscow' },
        media: { logo: { url: 'https://img.example.org/logo.png' } },
      },
      ...['other_org', 'vendor', 'poor', 'stranger'].map((ref) => ({ ref, name: `Partner ${ref}` })),
    ],
    venues: [
      {
        ref: 'field',
        name: 'The Field',
        desc: 'Grass',
        address: '1 Field Road',
        city: MOSCOW,
        country: { id: 'RU', name: name('Russia', 'Россия') },
        point: [37.6, 55.75],
      },
      {
        ref: 'palace',
        name: 'Palace',
        address: '2 Main Street',
        city: ALMATY,
        country: { id: 'KZ', name: name('Kazakhstan', 'Казахстан') },
      },
    ],
    maps: [
      {
        ref: 'tribune',
        venue: 'field',
        name: 'Tribune',
        svg: { scheme: SCHEME, 'план 1/2.a': '<svg/>' },
        sectors: [
          {
            ref: 'upper',
            name: 'Upper "A"',
            with_seats: true,
            rows: [
              { row: 'A', seats: ['1', '2a', '03'] },
              { row: '2', seats: 3 },
              { row: '3', seats: 2 },
            ],
          },
          { ref: 'lower', name: 'Lower', with_seats: true, rows: [{ row: '1', seats: 12 }] },
        ],
      },
    ],
    events: [
      { ...FESTIVAL, ...festival },
      makeEvent('concert', {
        venue: 'palace',
        status: 'stand_by',
        lifetime: days(5, 6),
        tags: ['rock'],
        sets: [makeSet('concert_standing', { price: '1000.00' })],
      }),
      makeEvent('club', { org: 'other_org', venue: 'field', lifetime: lifetime(240, 246) }),
      makeEvent('closed_club', { org: 'other_org', venue: 'field', lifetime: lifetime(240, 246) }),
      makeEvent('own', {
        org: 'vendor',
        venue: 'palace',
        lifetime: days(20, 21),
        sets: [makeSet('own_standing', { price: '1040.00' })],
      }),
      makeEvent('theatre', {
        venue: 'field',
        map: 'tribune',
        status: 'finished',
        lifetime: days(30, 31),
        view_limits: { salespoint: false, showroom: true },
        sets: [
          { ref: 'lower_seats', name: 'Lower', price: '50.00', with_seats: true, sector: 'lower' },
          { ref: 'upper_seats', name: 'Upper', price: '70.00', with_seats: true, sector: 'upper' },
        ],
      }),
    ],
    deals: [
      makeDeal('deal', { org: 'org', vendor: 'vendor' }),
      makeDeal('festival_deal', {
        org: 'org',
        vendor: 'vendor',
        events: ['festival'],
        org_share: '92.5%',
        agent: '7.5%',
        extra: '10%',
      }),
      makeDeal('club_deal', { org: 'other_org', vendor: 'vendor', events: ['club'] }),
      makeDeal('ended_deal', { org: 'org', vendor: 'poor', lifetime: { finish: '2020-01-01 00:00:00' } }),
      makeDeal('inactive_deal', { org: 'other_org', vendor: 'poor', active: false }),
    ],
    keys: [
      ...['vendor', 'poor', 'stranger', 'org', 'other_org'].map((partner) => ({ name: partner, partner })),
      { name: 'no_events', partner: 'vendor', permissions: ['orders'] },
      { name: 'two_events', partner: 'vendor', events: ['club', 'theatre'] },
    ],
  })
}
