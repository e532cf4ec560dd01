/** What stands on a ticket, in the words of its reader: the content of a page, without its looks. */
import assert from 'node:assert/strict'
import type { EventEntry } from '../../events/event-entry.ts'
import { formatMoney } from '../../kernel/money.ts'
import type { Order, OrderTicket } from '../commands.ts'

export type Lang = 'en' | 'ru'

export type Field = { readonly label: string; readonly value: string }

/** One page. */
export type TicketSheet = {
  /** The name of the event's ticket template. */
  readonly caption: string
  readonly title: string
  /** `#rrggbb`, of the title; null: the usual one. */
  readonly text_color: string | null
  readonly start: Field
  readonly venue: Field
  readonly address: Field
  readonly category: Field
  readonly price: Field
  /** Sector, row and seat; none without seats. */
  readonly seat: readonly Field[]
  readonly ticket: Field
  readonly order: Field
  readonly organizer: Field
  readonly barcode: string
}

const TEXTS = {
  en: {
    locale: 'en-GB',
    start: 'Starts',
    venue: 'Venue',
    address: 'Address',
    category: 'Category',
    price: 'Price',
    fee: 'service fee',
    sector: 'Sector',
    row: 'Row',
    seat: 'Seat',
    ticket: 'Ticket',
    order: 'Order',
    organizer: 'Organizer',
    inn: 'INN',
    ogrn: 'OGRN',
    ogrnip: 'OGRNIP',
  },
  ru: {
    locale: 'ru-RU',
    start: 'Начало',
    venue: 'Площадка',
    address: 'Адрес',
    category: 'Категория',
    price: 'Цена',
    fee: 'сервисный сбор',
    sector: 'Сектор',
    row: 'Ряд',
    seat: 'Место',
    ticket: 'Билет',
    order: 'Заказ',
    organizer: 'Организатор',
    inn: 'ИНН',
    ogrn: 'ОГРН',
    ogrnip: 'ОГРНИП',
  },
} as const

/** A sold order's part that tickets show. */
export type SoldOrder = Pick<Order, 'id' | 'currency' | 'tickets'> & { readonly code: string }

/** The sheets of the order's tickets, in their order. */
export function ticketSheets(order: SoldOrder, event: EventEntry, lang: Lang): TicketSheet[] {
  const texts = TEXTS[lang]
  const { name: template_name, text_color } = event.ticket_template
  const of_event = {
    caption: typeof template_name === 'string' ? template_name : '',
    title: event.title.text,
    text_color: hexColor(text_color),
    start: { label: texts.start, value: formatStart(event, lang) },
    venue: { label: texts.venue, value: event.venue.name },
    address: { label: texts.address, value: addressOf(event, lang) },
    order: { label: texts.order, value: order.code },
    organizer: { label: texts.organizer, value: organizerOf(event, lang) },
  }
  return order.tickets.map((ticket) => {
    assert(ticket.barcode !== null, `ticket ${ticket.id} is sold and has no barcode`)
    return {
      ...of_event,
      category: { label: texts.category, value: event.sets.find(({ id }) => id === ticket.set)?.name ?? '' },
      price: { label: texts.price, value: formatPrice(ticket, order.currency, texts.fee) },
      seat: seatOf(ticket, event, lang),
      ticket: { label: texts.ticket, value: `${ticket.serial} ${ticket.number}` },
      barcode: ticket.barcode,
    }
  })
}

/** `Friday 20 November 2026 at 19:30 GMT+3`, in the zone of the venue. */
export function formatStart({ lifetime, venue }: EventEntry, lang: Lang): string {
  return new Intl.DateTimeFormat(TEXTS[lang].locale, {
    timeZone: venue.city.timezone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(lifetime.start)
}

/** The city once, wherever it stands. */
function addressOf({ venue }: EventEntry, lang: Lang): string {
  const city = venue.city.name[lang]
  return venue.address.includes(city) ? venue.address : `${city}, ${venue.address}`
}

/** What the buyer paid, and of what it is made. */
function formatPrice({ nominal, extra }: OrderTicket, currency: string, fee: string): string {
  const full = `${formatMoney(nominal + extra)} ${currency}`
  return extra === 0 ? full : `${full} (${formatMoney(nominal)} + ${fee} ${formatMoney(extra)})`
}

function seatOf({ seat }: OrderTicket, event: EventEntry, lang: Lang): Field[] {
  if (seat === null) return []
  const texts = TEXTS[lang]
  return [
    { label: texts.sector, value: event.sectors.find(({ id }) => id === seat.sector)?.name ?? '' },
    { label: texts.row, value: seat.row },
    { label: texts.seat, value: seat.number },
  ]
}

function organizerOf({ org }: EventEntry, lang: Lang): string {
  const texts = TEXTS[lang]
  const { legal_detail } = org
  if (legal_detail === null) return org.name
  const { name, inn, ogrn, ogrnip, address } = legal_detail
  return [
    name,
    `${texts.inn} ${inn}`,
    ...(ogrn ? [`${texts.ogrn} ${ogrn}`] : []),
    ...(ogrnip ? [`${texts.ogrnip} ${ogrnip}`] : []),
    address,
  ].join(', ')
}

/** `#abc`, `aabbcc` and the like as `#aabbcc`; null for whatever else the catalog has. */
function hexColor(value: unknown): string | null {
  const digits =
    typeof value === 'string' ? /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value.trim())?.[1] : undefined
  if (digits === undefined) return null
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`.toLowerCase()
}
