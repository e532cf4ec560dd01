/** The examples of the OpenAPI document: an event with standing places and a seated tribune, and its seats. */

const EVENT = '6920a1f00007c3a5e1000001'
const STANDING = '6920a1f00007c3a5e1000002'
const SEATED = '6920a1f00007c3a5e1000003'
const SECTOR = '6920a1f00000c3a5e1000004'
const MAP = '6920a1f00000c3a5e100000b'

const CONTACT = { address: '', email: 'office@example.org', name: '', phones: [], www: 'https://example.org' }
const MOSCOW = { default: 'Москва', en: 'Moscow', ru: 'Москва' }
const RUSSIA = { default: 'Россия', en: 'Russia', ru: 'Россия' }
const vevent = (start: string, finish: string) =>
  `BEGIN:VEVENT\r\nDTSTART;VALUE=DATE-TIME:${start}\r\nDTEND;VALUE=DATE-TIME:${finish}\r\nEND:VEVENT\r\n`

export const LEGACY_EVENT_EXAMPLE = {
  id: EVENT,
  created_at: '2025-11-21T17:31:28.000000+00:00',
  updated_at: '2025-11-21T17:40:00.000000+00:00',
  lifetime: vevent('20260704T150000Z', '20260704T210000Z'),
  status: 'public',
  age_rating: 16,
  allow_other_ps: true,
  org: {
    id: '6920a1f00000c3a5e1000007',
    name: 'Open Air',
    desc: '',
    tags: [],
    contact: CONTACT,
    media: {},
  },
  legal_detail: { name: 'Open Air LLC', inn: '7700000000', ogrn: '1027700000000', address: 'Moscow' },
  tags: ['festival'],
  title: { text: 'Summer Festival', desc: 'Two stages, one day.' },
  media: {},
  ticket_template: { fan_cover_url: null, name: null, text_color: null },
  map: {
    id: MAP,
    name: 'Field and tribune',
    svg: { scheme: `https://tickets.example.org/v1/resources/maps/${MAP}/scheme.svg` },
  },
  venue: {
    id: '6920a1f00000c3a5e1000009',
    name: 'The Field',
    desc: '',
    address: '1 Field Road',
    country: { id: 'RU', name: RUSSIA },
    city: { id: 524901, name: MOSCOW, timezone: 'Europe/Moscow', country: 'RU' },
    point: { type: 'Point', coordinates: [37.6, 55.75] },
  },
  deal: { org: '95%', agent: '5%', extra: '10%', media: [] },
  partner: {
    id: '6920a1f00000c3a5e1000008',
    desc: '',
    media: {},
    name: 'Ticket Shop',
    tags: [],
    contact: CONTACT,
  },
  tickets_amount: 20003,
  tickets_amount_vacant: 19114,
  sets: [
    {
      id: STANDING,
      pos: 1,
      name: 'Standing',
      desc: '',
      with_seats: false,
      seats: null,
      sector: null,
      amount: 20000,
      amount_vacant: 19112,
      price_org: '1500.00',
      price_extra: '150.00',
      price: '1650.00',
      rules: [
        {
          id: '6920a1f00007c3a5e100000c',
          cal: vevent('20260601T000000Z', '20260704T210000Z'),
          current: false,
          price_org: '2000.00',
          price_extra: '200.00',
          price: '2200.00',
        },
      ],
    },
    {
      id: SEATED,
      pos: 2,
      name: 'Tribune',
      desc: '',
      with_seats: true,
      seats: { 1: [1, 2, 3] },
      sector: { id: SECTOR, name: 'Tribune', with_seats: true },
      amount: 3,
      amount_vacant: 2,
      price_org: '3000.00',
      price_extra: '300.00',
      price: '3300.00',
      rules: [],
    },
  ],
}

export const LEGACY_TICKETS_EXAMPLE = [
  {
    id: '6920a1f00007c3a5e1000006',
    number: 20001,
    serial: 'FST',
    set: SEATED,
    status: 'vacant',
    reserved_till: null,
    seat: { number: 1, row: 1, sector: SECTOR },
  },
  {
    id: '6920a1f00007c3a5e100000d',
    number: 20002,
    serial: 'FST',
    set: SEATED,
    status: 'reserved',
    reserved_till: '2025-11-21T18:46:28.000000+00:00',
    seat: { number: 2, row: 1, sector: SECTOR },
  },
]
