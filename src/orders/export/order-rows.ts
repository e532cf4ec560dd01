/**
 * What an export says of an order: a row for each ticket, one row for an order without tickets. Times are those of the venue, money
 * is in units with two digits, and an order that was not paid in time is shown as expired, swept or not.
 */
import type { EventEntry } from '../../events/event-entry.ts'
import { createdAt } from '../../kernel/ids.ts'
import { formatMoney, shareOf } from '../../kernel/money.ts'
import type { Order, OrderTicket } from '../commands.ts'
import { statusAt } from '../rules/order-state.ts'

/** What the order names. `promocodes`: the codes. */
export type OrderRefs = {
  readonly event: EventEntry
  readonly vendor: string
  readonly promocodes: readonly string[]
}

type Subject = OrderRefs & { readonly order: Order; readonly ticket: OrderTicket | undefined }

/** `kind`: how a spreadsheet holds it; a number's text is in digits with a point. */
export type Column = {
  readonly title: string
  readonly kind: 'text' | 'number' | 'money'
  readonly of: (subject: Subject) => string
}

const text = (title: string, of: Column['of']): Column => ({ title, kind: 'text', of })
const number = (title: string, of: Column['of']): Column => ({ title, kind: 'number', of })
const money = (title: string, of: (ticket: OrderTicket, order: Order) => number): Column => ({
  title,
  kind: 'money',
  of: ({ ticket, order }) => (ticket === undefined ? '' : formatMoney(of(ticket, order))),
})
const time = (title: string, of: (subject: Subject) => number | null): Column =>
  text(title, (subject) => formatIn(subject.event.venue.city.timezone, of(subject)))

export const COLUMNS: readonly Column[] = [
  number('Order number', ({ order }) => String(order.number)),
  text('Order id', ({ order }) => order.id),
  text('Order code', ({ order }) => order.code ?? ''),
  text('Status', ({ order }) => order.status),
  text('Origin', ({ order }) => order.origin),
  time('Created', ({ order }) => createdAt(order.id)),
  time('Completed', ({ order }) => order.done_at),
  text('Time zone', ({ event }) => event.venue.city.timezone),
  text('Event', ({ event }) => event.title.text),
  time('Event start', ({ event }) => event.lifetime.start),
  text('Venue', ({ event }) => event.venue.name),
  text('Organizer', ({ event }) => event.org.name),
  text('Vendor', ({ vendor }) => vendor),
  text('Category', ({ event, ticket }) => nameOf(event.sets, ticket?.set)),
  text('Sector', ({ event, ticket }) => nameOf(event.sectors, ticket?.seat?.sector)),
  text('Row', ({ ticket }) => ticket?.seat?.row ?? ''),
  text('Seat', ({ ticket }) => ticket?.seat?.number ?? ''),
  text('Ticket', ({ ticket }) => (ticket === undefined ? '' : `${ticket.serial}-${ticket.number}`)),
  text('Barcode', ({ ticket }) => ticket?.barcode ?? ''),
  money('Price', ({ price }) => price),
  money('Discount', ({ discount }) => discount),
  money('Nominal', ({ nominal }) => nominal),
  money('Extra', ({ extra }) => extra),
  money('Full', ({ nominal, extra }) => nominal + extra),
  money("Organizer's share", ({ nominal }, { org_share }) => shareOf(nominal, org_share)),
  text('Currency', ({ order }) => order.currency),
  text('Promocodes', ({ promocodes }) => promocodes.join(', ')),
  text('Customer', ({ order }) => order.settings.customer?.name ?? ''),
  text('E-mail', ({ order }) => order.settings.customer?.email ?? ''),
  text('Phone', ({ order }) => order.settings.customer?.phone ?? ''),
  text("Vendor's order id", ({ order }) => order.vendor_data.order_id ?? ''),
]

/** A text for each of COLUMNS; `now` is epoch milliseconds. */
export function rowsOf(order: Order, refs: OrderRefs, now: number): string[][] {
  const status = statusAt(order, now)
  const shown = { ...order, status, tickets: status === 'expired' ? [] : order.tickets }
  const tickets = shown.tickets.length === 0 ? [undefined] : shown.tickets
  return tickets.map((ticket) => COLUMNS.map(({ of }) => of({ ...refs, order: shown, ticket })))
}

function nameOf(named: readonly { id: string; name: string }[], id: string | undefined): string {
  return named.find((one) => one.id === id)?.name ?? ''
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** `2026-11-20 21:30:00` */
function formatIn(zone: string, at: number | null): string {
  if (at === null) return ''
  let format = formats.get(zone)
  if (format === undefined) {
    // Sweden writes dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(zone, format)
  }
  return format.format(at)
}
