import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { createMailer, MailError, type Mail } from './mailer.ts'

const MAIL: Mail = {
  id: 'tickets-5f0000000007',
  to: 'ann@example.com',
  subject: 'Ваши билеты: «Лебединое озеро»',
  text: 'Спасибо за заказ.\n.\nOne dot alone is a line too.\n',
  attachments: [
    {
      filename: 'билеты.pdf',
      content_type: 'application/pdf',
      content: new Uint8Array([37, 80, 68, 70, 0, 255]),
    },
  ],
}

const FROM = 'Parterre <tickets@parterre.example>'

function makeLog() {
  const lines: string[] = []
  return { lines, log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parterre-mail-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'outbox')
}

/** A server of the test's own; what it took is in `received`. */
async function startSmtp(options: SMTPServerOptions = {}) {
  const received: { from: string; to: string[]; source: Buffer }[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        received.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks),
        })
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

async function expectMail(source: Buffer): Promise<void> {
  const mail = await PostalMime.parse(source)
  expect(mail).toMatchObject({
    messageId: '<tickets-5f0000000007@parterre.example>',
    from: { name: 'Parterre', address: 'tickets@parterre.example' },
    to: [{ address: 'ann@example.com' }],
    subject: MAIL.subject,
    attachments: [{ filename: 'билеты.pdf', mimeType: 'application/pdf' }],
  })
  expect(mail.text?.trimEnd()).toBe(MAIL.text.trimEnd())
  expect(new Uint8Array(mail.attachments[0]!.content as ArrayBuffer)).toEqual(MAIL.attachments![0]!.content)
}

test('a server gets the mail, and the log no address', async () => {
  const { received, smtp_url } = await startSmtp()
  const { lines, log } = makeLog()
  await createMailer({ smtp_url, outbox_dir: '/nowhere', from: FROM, log }).send(MAIL)
  expect(received).toMatchObject([{ from: 'tickets@parterre.example', to: ['ann@example.com'] }])
  await expectMail(received[0]!.source)
  expect(lines.join('')).toContain(MAIL.id)
  expect(lines.join('')).not.toContain('@')
})

test('without a server it is a whole file for its owner alone, the same one again; the log says so', async () => {
  const outbox_dir = makeFolder()
  const { lines, log } = makeLog()
  const mailer = createMailer({ smtp_url: undefined, outbox_dir, from: FROM, log })
  await Promise.all([mailer.send(MAIL), mailer.send(MAIL)])
  expect(readdirSync(outbox_dir)).toEqual([`${MAIL.id}.eml`])
  const path = join(outbox_dir, `${MAIL.id}.eml`)
  await expectMail(readFileSync(path))
  expect([statSync(outbox_dir).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600])
  expect(lines[0]).toContain('SMTP_URL is not set: mails are written to the outbox')
  expect(lines.join('')).toContain(JSON.stringify(path))
  expect(lines.join('')).not.toContain('@')
})

test('an attachment may be a file', async () => {
  const outbox_dir = makeFolder()
  const mailer = createMailer({ smtp_url: undefined, outbox_dir, from: FROM, log: makeLog().log })
  const content = { path: import.meta.filename }
  await mailer.send({ ...MAIL, attachments: [{ filename: 'a.ts', content_type: 'text/plain', content }] })
  const { attachments } = await PostalMime.parse(readFileSync(join(outbox_dir, `${MAIL.id}.eml`)))
  expect(new TextDecoder().decode(attachments[0]!.content as ArrayBuffer)).toBe(
    readFileSync(import.meta.filename, 'utf8'),
  )
})

test.each([
  ['at once', []],
  ['before there is an outbox', Array<string>(60).fill('folder')],
])(
  'an attachment that cannot be read, which is seen %s, leaves nothing in the outbox',
  async (_when, path) => {
    const outbox_dir = join(makeFolder(), ...path)
    const mailer = createMailer({ smtp_url: undefined, outbox_dir, from: FROM, log: makeLog().log })
    const content = { path: join(outbox_dir, 'nowhere.csv') }
    const attachments = [{ filename: 'orders.csv', content_type: 'text/csv', content }]
    await expect(mailer.send({ ...MAIL, attachments })).rejects.toThrow('ENOENT')
    expect(readdirSync(outbox_dir)).toEqual([])
  },
)

test('a large attachment is not held in memory', async () => {
  const outbox_dir = makeFolder()
  const path = join(makeFolder(), '..', 'large.csv')
  const size = 64 * 1024 * 1024
  writeFileSync(path, '')
  truncateSync(path, size)
  const before = process.memoryUsage().arrayBuffers
  let peak = 0
  const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 5)
  onTestFinished(() => clearInterval(sampling))
  const mailer = createMailer({ smtp_url: undefined, outbox_dir, from: FROM, log: makeLog().log })
  await mailer.send({
    ...MAIL,
    attachments: [{ filename: 'large.csv', content_type: 'text/csv', content: { path } }],
  })
  expect(statSync(join(outbox_dir, `${MAIL.id}.eml`)).size).toBeGreaterThan(size)
  expect(peak).toBeGreaterThan(0)
  expect(peak - before).toBeLessThan(size / 2)
})

test('nothing of a mail gets into its headers', async () => {
  const { received, smtp_url } = await startSmtp()
  const mailer = createMailer({ smtp_url, outbox_dir: '', from: FROM, log: makeLog().log })
  await mailer.send({ ...MAIL, subject: 'Hamlet\r\nBcc: eve@example.com\r\n\r\nbody', attachments: [] })
  expect(received[0]!.to).toEqual(['ann@example.com'])
  const { headers } = await PostalMime.parse(received[0]!.source)
  expect(headers.map(({ key }) => key)).not.toContain('bcc')
})

const refusal = (responseCode: number) =>
  Object.assign(new Error(`no ann@example.com here`), { responseCode })

test.each([
  ['the address for good', { onRcptTo: (_a, _s, done) => done(refusal(550)) }, true],
  ['the address for now', { onRcptTo: (_a, _s, done) => done(refusal(451)) }, false],
  [
    'the content for good',
    { onData: (stream, _s, done) => void stream.resume().on('end', () => done(refusal(554))) },
    true,
  ],
  ['the sender', { onMailFrom: (_a, _s, done) => done(refusal(550)) }, false],
  ['the connection', { onConnect: (_s, done) => done(refusal(554)) }, false],
] satisfies [string, SMTPServerOptions, boolean][])(
  'a server that refuses %s',
  async (_what, options, is_permanent) => {
    const { smtp_url } = await startSmtp(options)
    const sending = createMailer({ smtp_url, outbox_dir: '', from: FROM, log: makeLog().log }).send(MAIL)
    const error: unknown = await sending.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(MailError)
    expect(error).toMatchObject({
      is_permanent,
      message: expect.stringMatching(/^the mail was not sent: E[A-Z]+/),
    })
    expect(String((error as Error).stack)).not.toContain('ann@')
  },
)

test('a server that is away', async () => {
  const mailer = createMailer({
    smtp_url: 'smtp://127.0.0.1:1',
    outbox_dir: '',
    from: FROM,
    log: makeLog().log,
  })
  await expect(mailer.send(MAIL)).rejects.toMatchObject({ name: 'MailError', is_permanent: false })
})
