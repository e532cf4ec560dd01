/** The job that mails a sold order's tickets to its customer. */
import assert from 'node:assert/strict'
import type { Catalog, EventEntry } from '../../events/event-entry.ts'
import { ticketsOfOrders } from '../../inventory/tickets.ts'
import { isObjectId, shardOf } from '../../kernel/ids.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Job } from '../../platform/jobs/enqueue-jobs.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import type { Log } from '../../platform/log.ts'
import { MailError, type Mail, type Mailer } from '../../platform/mail/mailer.ts'
import type { Order } from '../commands.ts'
import { ticketsMail } from './mail-texts.ts'
import type { Renderer } from './renderer.ts'
import { ticketSheets, type Lang, type SoldOrder } from './ticket-sheet.ts'
import { statements, type OrderToMailRow } from './tickets-mail-rows.ts'

export const MAIL_TICKETS = 'mail_tickets'

/** The job for an order that is being completed; none when its tickets are not to be mailed. */
export function ticketMailJobs({ id, settings }: Pick<Order, 'id' | 'settings'>): Job[] {
  if (settings.send_tickets !== true || !settings.customer?.email) return []
  return [{ task: MAIL_TICKETS, payload: { order: id }, job_key: `${MAIL_TICKETS} ${id}` }]
}

export type MailTicketsOptions = { db: Db; catalog: Catalog; mailer: Mailer; renderer: Renderer; log: Log }

type OrderToMail = SoldOrder & { readonly event: string; readonly email: string; readonly lang: Lang }

/**
 * Sends the tickets that the order has by now; an order without any, all refunded, is passed over. A crash between sending and
 * the job's end sends the mail again, under the same Message-ID. An address that the server refuses for good is reported in
 * the log and not tried again.
 */
export function createMailTickets({ db, catalog, mailer, renderer, log }: MailTicketsOptions): Task {
  return async (payload) => {
    const { order: id } = payload as { order?: unknown }
    assert(isObjectId(id), 'the job names no order')
    const order = await loadOrder(db, id)
    if (order === undefined) return log.info({ order: id }, 'an order has no tickets to mail any more')
    const event = await catalog.event(order.event)
    assert(event, `order ${id} is of an event that does not exist`)
    try {
      await mailer.send(await composeMail(order, event, renderer))
    } catch (error) {
      if (!(error instanceof MailError && error.is_permanent)) throw error
      return log.error({ err: error, order: id }, 'tickets cannot be mailed to the address of their order')
    }
    log.info({ order: id, tickets: order.tickets.length }, 'tickets mailed')
  }
}

async function composeMail(order: OrderToMail, event: EventEntry, renderer: Renderer): Promise<Mail> {
  const { lang, code } = order
  const { subject, text } = ticketsMail(order, event, lang)
  const pdf = await renderer.render(ticketSheets(order, event, lang), { title: subject, lang })
  return {
    id: `tickets-${order.id}`,
    to: order.email,
    subject,
    text,
    attachments: [{ filename: `tickets-${code}.pdf`, content_type: 'application/pdf', content: pdf }],
  }
}

async function loadOrder(db: Db, id: string): Promise<OrderToMail | undefined> {
  const shard = shardOf(id)
  return db.transaction(async (tx) => {
    const [row] = await tx.query<OrderToMailRow>(statements.order_to_mail, [shard, id])
    const { email, lang = 'en' } = row?.settings.customer ?? {}
    if (row?.status !== 'done' || row.tickets.length === 0 || email === undefined) return undefined
    assert(row.code !== null, `order ${id} is done and has no code`)
    const by_id = await ticketsOfOrders(tx, [id])
    const tickets = row.tickets.map((ticket) => {
      const held = by_id.get(ticket)
      assert(held, `ticket ${ticket} of order ${id} does not exist`)
      return held
    })
    return { ...row, code: row.code, tickets, email, lang }
  }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
}
