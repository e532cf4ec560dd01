import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as mupdf from 'mupdf'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import type { OrderSettings } from '../../src/orders/commands.ts'
import { ticketMailJobs } from '../../src/orders/tickets-mail/mail-tickets.ts'
import { enqueueJobs } from '../../src/platform/jobs/enqueue-jobs.ts'
import type { OrderData } from '../support/client.ts'
import { openOrderWorld } from '../support/order-world.ts'
import { exitOf, spawnParterre, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const world = await openOrderWorld()
const { database, id } = world
const { sql } = database
const vendor = world.client('vendor')

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parterre-mail-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A sold order of two standing tickets and a seat, whose tickets are to be mailed. */
async function sellWithMail(settings: OrderSettings): Promise<OrderData> {
  const [seat] = await sql("SELECT id FROM tickets WHERE sector IS NOT NULL AND status = 'vacant' LIMIT 1")
  const created = await vendor.createOrder({
    event: id('event'),
    tickets: [seat!['id']],
  })
  const { data } = created.body
  await vendor.changeOrder(data.id, { random: { [id('standing')]: 2, [id('seats')]: 1 } })
  const { body } = await vendor.changeOrder(data.id, { status: 'done' })
  expect(body.data.tickets).toHaveLength(3)
  await sql('UPDATE orders SET settings = $2 WHERE id = $1', [data.id, JSON.stringify(settings)])
  await Promise.all(enqueueJobs(database.db, ticketMailJobs({ id: data.id, settings })))
  return body.data
}

const to = (lang?: 'en' | 'ru'): OrderSettings => ({
  send_tickets: true,
  customer: { email: 'ann@example.com', ...(lang && { lang }) },
})

/** What the server has taken, the last one first. */
async function startSmtp(options: SMTPServerOptions = {}) {
  const received: Buffer[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.unshift(Buffer.concat(chunks))
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(resolve)))
  return { received, smtp_url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}

function pagesOf({ attachments }: Email): string[] {
  const document = mupdf.Document.openDocument(
    new Uint8Array(attachments[0]!.content as ArrayBuffer),
    'application/pdf',
  )
  return Array.from({ length: document.countPages() }, (_, index) =>
    document.loadPage(index).toStructuredText('').asText(),
  )
}

const countJobs = async () => (await sql('SELECT count(*) FROM graphile_worker.jobs'))[0]!['count']

test.each([
  { lang: 'ru' as const, subject: 'Ваши билеты: Event event', word: 'Площадка' },
  { lang: 'en' as const, subject: 'Your tickets: Event event', word: 'Venue' },
  { lang: undefined, subject: 'Your tickets: Event event', word: 'Venue' },
])('tickets reach a server, in the language $lang of the customer', async ({ lang, subject, word }) => {
  const { received, smtp_url } = await startSmtp()
  await startService({
    database,
    parts: ['jobs'],
    config: { smtp_url, mail_from: 'Hall <hall@hall.example>' },
  })
  const order = await sellWithMail(to(lang))
  const mail = await PostalMime.parse(await waitUntil(() => received[0]))
  expect(mail).toMatchObject({
    subject,
    messageId: `<tickets-${order.id}@hall.example>`,
    from: { address: 'hall@hall.example' },
    to: [{ address: 'ann@example.com' }],
    attachments: [{ filename: `tickets-${order.code}.pdf`, mimeType: 'application/pdf' }],
  })
  expect(mail.text).toContain(order.code)
  const pages = pagesOf(mail)
  expect(pages).toHaveLength(3)
  for (const [index, ticket] of order.tickets.entries()) {
    const data = [
      ticket.barcode,
      `${ticket.serial} ${ticket.number}`,
      order.code,
      'Event event',
      'Test Hall',
      word,
    ]
    for (const datum of data) expect(pages[index]).toContain(datum)
  }
  await waitUntil(async () => (await countJobs()) === 0)
})

test('without a server they are a file in the outbox of the data folder', async () => {
  const data_dir = makeFolder()
  await startService({ database, parts: ['jobs'], config: { data_dir } })
  const order = await sellWithMail(to('ru'))
  await waitUntil(async () => (await countJobs()) === 0)
  const outbox = join(data_dir, 'outbox')
  expect(readdirSync(outbox)).toEqual([`tickets-${order.id}.eml`])
  expect(pagesOf(await PostalMime.parse(readFileSync(join(outbox, `tickets-${order.id}.eml`))))).toHaveLength(
    3,
  )
})

test('an order that has no tickets any more is passed over', async () => {
  const data_dir = makeFolder()
  const order = await sellWithMail(to())
  const [before] = await sql('SELECT tickets FROM orders WHERE id = $1', [order.id])
  await sql(
    "UPDATE orders SET tickets = '{}' , price = 0, discount = 0, nominal = 0, extra = 0 WHERE id = $1",
    [order.id],
  )
  onTestFinished(async () => {
    await sql(
      `UPDATE orders o SET tickets = $2, price = t.price, discount = t.discount, nominal = t.nominal, extra = t.extra
       FROM (SELECT sum(price) AS price, sum(discount) AS discount, sum(nominal) AS nominal, sum(extra) AS extra
             FROM tickets WHERE "order" = $1) t
       WHERE o.id = $1`,
      [order.id, before!['tickets']],
    )
  })
  await startService({ database, parts: ['jobs'], config: { data_dir } })
  await waitUntil(async () => (await countJobs()) === 0)
  expect(readdirSync(data_dir)).toEqual([])
})

test('only orders with an address that want it have a job', () => {
  const customer = { email: 'ann@example.com' }
  expect(ticketMailJobs({ id: 'a', settings: { send_tickets: true, customer } })).toEqual([
    { task: 'mail_tickets', payload: { order: 'a' }, job_key: 'mail_tickets a' },
  ])
  for (const settings of [{}, { send_tickets: true }, { customer }, { send_tickets: false, customer }])
    expect(ticketMailJobs({ id: 'a', settings })).toEqual([])
})

test('an address that is refused for good is given up', async () => {
  const { smtp_url } = await startSmtp({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('who?'), { responseCode: 550 })),
  })
  await startService({ database, parts: ['jobs'], config: { smtp_url, log_level: 'silent' } })
  await sellWithMail(to())
  await waitUntil(async () => (await countJobs()) === 0)
})

test('a process that is killed while it sends leaves the mail to the next', async () => {
  let begun = 0
  const hanging = await startSmtp({ onData: (stream) => void stream.resume().on('end', () => begun++) })
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'info', DATA_DIR: makeFolder() }
  const first = spawnParterre(['serve', '--only', 'jobs'], { ...env, SMTP_URL: hanging.smtp_url })
  const order = await sellWithMail(to('ru'))
  await waitUntil(() => begun === 1, { timeout_ms: 10_000 })
  first.child.kill('SIGKILL')
  await exitOf(first)
  // As if it had been a while ago.
  await sql("UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '1 minute'")

  const { received, smtp_url } = await startSmtp()
  const second = spawnParterre(['serve', '--only', 'jobs'], { ...env, SMTP_URL: smtp_url })
  const mail = await PostalMime.parse(await waitUntil(() => received[0], { timeout_ms: 10_000 }))
  expect(mail.messageId).toContain(order.id)
  await waitUntil(async () => (await countJobs()) === 0)
  second.child.kill('SIGTERM')
  expect(await exitOf(second)).toBe(0)
  expect(second.stderr()).toContain('tickets mailed')
  expect(first.stderr() + second.stderr()).not.toContain('ann@')
})
