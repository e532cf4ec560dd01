/** The examples of the OpenAPI document: the answer is that of the mixed order of the contract's typical flow. */

const EVENT = '6920a1f00007c3a5e1000001'
const STANDING = '6920a1f00007c3a5e1000002'
const SEATED = '6920a1f00007c3a5e1000003'
const SECTOR = '6920a1f00000c3a5e1000004'
const STANDING_TICKET = '6920a1f00007c3a5e1000005'
const SEATED_TICKET = '6920a1f00007c3a5e1000006'
const ORGANIZER = '6920a1f00000c3a5e1000007'
const VENDOR = '6920a1f00000c3a5e1000008'
const VENUE = '6920a1f00000c3a5e1000009'

export const NEW_ORDER_EXAMPLES = {
  by_count: { summary: 'Two tickets of a category', value: { event: EVENT, random: { [STANDING]: 2 } } },
  by_ticket: { summary: 'One seat, or nothing', value: { tickets: [SEATED_TICKET], all_or_nothing: true } },
  empty: { summary: 'An order to be filled later', value: { event: EVENT } },
}

export const ORDER_CHANGE_EXAMPLES = {
  add_seat: {
    summary: 'Add a seat: all ids, with those reserved already',
    value: { tickets: [STANDING_TICKET, SEATED_TICKET] },
  },
  by_count: {
    summary: 'The wanted count of each category',
    value: { random: { [STANDING]: 1, [SEATED]: 1 }, all_or_nothing: true },
  },
  complete: { summary: 'Complete the order', value: { status: 'done' } },
  cancel: { summary: 'Cancel the order', value: { status: 'cancelled' } },
}

export const ORDER_EXAMPLE = {
  data: {
    id: '6920b0000007c3a5e100000a',
    status: 'done',
    created_at: '2025-11-21 18:31:28',
    done_at: '2025-11-21 18:32:40',
    expired_after: '2025-11-21 18:46:28',
    event: EVENT,
    number: 10482,
    org: ORGANIZER,
    origin: 'api',
    promocodes: [],
    settings: { invitation: false, send_tickets: false, subscribe_agree: false },
    tickets: [
      {
        id: STANDING_TICKET,
        serial: 'FST',
        number: 118,
        set: STANDING,
        status: 'reserved',
        barcode: '00007419283746501',
        price: '1500.00',
        nominal: '1500.00',
        discount: '0.00',
        extra: '150.00',
        full: '1650.00',
        tariff: null,
      },
      {
        id: SEATED_TICKET,
        serial: 'FST',
        number: 20017,
        set: SEATED,
        seat: { row: '3', number: '14', sector: SECTOR },
        status: 'reserved',
        barcode: '00007582910364728',
        price: '4200.00',
        nominal: '4200.00',
        discount: '0.00',
        extra: '420.00',
        full: '4620.00',
        tariff: null,
      },
    ],
    values: {
      price: '5700.00',
      nominal: '5700.00',
      discount: '0.00',
      extra: '570.00',
      full: '6270.00',
      sets_values: {
        [STANDING]: {
          id: STANDING,
          price: '1500.00',
          nominal: '1500.00',
          discount: '0.00',
          promocode: null,
          name: 'Standing',
        },
        [SEATED]: {
          id: SEATED,
          price: '4200.00',
          nominal: '4200.00',
          discount: '0.00',
          promocode: null,
          name: 'Tribune',
        },
      },
      viral_promocodes: [],
    },
    vendor: VENDOR,
    vendor_data: {},
    code: 'k3v9t0qa',
  },
  refs: {
    events: {
      [EVENT]: {
        id: EVENT,
        lifetime: { start: '2026-07-04 12:00:00', finish: '2026-07-05 20:00:00' },
        org: ORGANIZER,
        status: 'public',
        timezone: 'Europe/Moscow',
        title: { desc: 'Two days of music in the open.', text: 'Summer Festival' },
        venue: VENUE,
        age_rating: 12,
      },
    },
    partners: {
      [ORGANIZER]: { id: ORGANIZER, name: 'Open Air' },
      [VENDOR]: { id: VENDOR, name: 'City Tickets' },
    },
    promocodes: {},
    sets: {
      [STANDING]: { id: STANDING, name: 'Standing', price: '1500.00', with_seats: false },
      [SEATED]: { id: SEATED, name: 'Tribune', price: '4200.00', with_seats: true },
    },
    venues: {
      [VENUE]: {
        id: VENUE,
        name: 'Riverside Park',
        desc: '',
        address: 'Embankment 1',
        city: {
          _id: 524901,
          name: { default: 'Москва', en: 'Moscow', ru: 'Москва' },
          timezone: 'Europe/Moscow',
        },
        country: { _id: 'ru', name: { default: 'Россия', en: 'Russia', ru: 'Россия' } },
      },
    },
  },
}

/** What POST and PATCH of an order refuse alike, as the OpenAPI document shows it. */
export const ORDER_REFUSALS = {
  promokey_needed: ['Promokey needed'],
  promokey_needed_for_tickets: ['Promokey needed to add these tickets'],
  promokey_not_found: ['Promokey not founded'],
  promokey_expired: ['Promokey expired'],
  promokey_fully_reserved: ['Promokey fully reserved'],
  promokey_already_reserved: ['Promokey already reserved'],
  promocode_under_promotion: ['Cant use promocode when event have promotion'],
  promocode_used_up: ['Promocode already used'],
  foreign_set: ['set (id = 6920a1f00008c3a5e1000006) does not belong to current event'],
  invitation_by_vendor: ['only org can send invitations'],
  invitation_from_elsewhere: ['invitation can send from control panel or salespoint only'],
  courier: ['Courier must set only with salespoint'],
  smart_tickets_disabled: ['Smart integrations is disabled'],
  smart_tickets_only: [
    'Cant set smart_tickets to false while Smart integration option is only smart_tickets',
  ],
  expired_after_fixed: ['expired_after is not changable'],
  expired_after_too_late: ['max expired_after is 2026-11-20 12:15:00'],
  custom_fields: ["value should be formatted 'YYYY-MM-DD'", 'String is longer than 5 characters'],
  required_field: ['Date of birth is required'],
}
