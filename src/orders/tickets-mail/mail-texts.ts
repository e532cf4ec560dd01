import type { EventEntry } from '../../events/event-entry.ts'
import { formatStart, type Lang, type SoldOrder } from './ticket-sheet.ts'

const TEXTS = {
  en: {
    subject: (title: string) => `Your tickets: ${title}`,
    greeting: 'Thank you for your order. Your tickets are in the attached file, one page each.',
    order: 'Order',
    tickets: 'Tickets',
    show: 'Show the code on the ticket at the entrance, on paper or on a screen. It admits once.',
  },
  ru: {
    subject: (title: string) => `Ваши билеты: ${title}`,
    greeting: 'Спасибо за заказ. Билеты во вложенном файле, каждый на своей странице.',
    order: 'Заказ',
    tickets: 'Билетов',
    show: 'Покажите код билета на входе, на бумаге или на экране. Проход по нему один раз.',
  },
} as const

/** Subject and text of the mail that the tickets come with. */
export function ticketsMail(
  order: SoldOrder,
  event: EventEntry,
  lang: Lang,
): { subject: string; text: string } {
  const texts = TEXTS[lang]
  const title = event.title.text.replaceAll(/\s+/g, ' ').trim()
  const text = [
    texts.greeting,
    '',
    title,
    formatStart(event, lang),
    `${event.venue.name}, ${event.venue.address}`,
    '',
    `${texts.order}: ${order.code}`,
    `${texts.tickets}: ${order.tickets.length}`,
    '',
    texts.show,
    '',
  ].join('\n')
  return { subject: texts.subject(title), text }
}
