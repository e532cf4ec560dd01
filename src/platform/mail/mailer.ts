/** Sends mails by SMTP, or writes them to a folder when there is no server. */
import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { SendMailOptions } from 'nodemailer'
import type { Log } from '../log.ts'

export type Mail = {
  /**
   * What the mail is, `[a-z0-9-]+`: the left part of its Message-ID, and the name of its file in the outbox. A mail that is sent
   * again keeps it, so that the receiving side can tell.
   */
  readonly id: string
  /** One address (kernel/mail-address.ts). */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachments?: readonly {
    readonly filename: string
    readonly content_type: string
    /** A text is the path of a file. */
    readonly content: Uint8Array | { readonly path: string }
  }[]
}

export type Mailer = {
  /** Resolves when the server has taken the mail, or it is on disk; throws MailError. */
  send(mail: Mail): Promise<void>
}

export type MailerOptions = {
  /** `smtp://` (STARTTLS when the server has it) or `smtps://`, with user and password. */
  smtp_url: string | undefined
  /** For the mails when there is no `smtp_url`. */
  outbox_dir: string
  /** `ann@example.com` or `Ann <ann@example.com>`. */
  from: string
  log: Log
}

/** Why a mail was not taken, without the address and the server's words, which may hold it. */
export class MailError extends Error {
  /** The server will never take this mail for this address. */
  readonly is_permanent: boolean

  constructor(message: string, is_permanent: boolean) {
    super(message)
    this.name = 'MailError'
    this.is_permanent = is_permanent
  }
}

export function createMailer({ smtp_url, outbox_dir, from, log }: MailerOptions): Mailer {
  const domain = /@([^@>]+)>?$/.exec(from)?.[1] ?? 'localhost'
  const deliver = smtp_url === undefined ? createOutbox({ outbox_dir, log }) : createSmtp(smtp_url)
  if (smtp_url === undefined) log.info({ outbox_dir }, 'SMTP_URL is not set: mails are written to the outbox')
  return {
    send: async ({ id, to, subject, text, attachments = [] }) => {
      await deliver(id, {
        messageId: `<${id}@${domain}>`,
        from,
        to: { name: '', address: to },
        subject,
        text,
        // Out-of-office replies to these are of no use to anybody.
        headers: { 'Auto-Submitted': 'auto-generated' },
        attachments: attachments.map(({ filename, content_type, content }) => ({
          filename,
          contentType: content_type,
          ...(content instanceof Uint8Array ? { content: Buffer.from(content) } : content),
        })),
        disableUrlAccess: true,
      })
      log.debug({ mail: id }, 'mail sent')
    },
  }
}

type Deliver = (id: string, message: SendMailOptions) => Promise<void>

function createSmtp(url: string): Deliver {
  const options = { url, connectionTimeout: 15_000, greetingTimeout: 15_000, socketTimeout: 60_000 }
  return async (_id, message) => {
    const { createTransport } = await import('nodemailer')
    try {
      await createTransport(options).sendMail(message)
    } catch (error) {
      throw toMailError(error)
    }
  }
}

/** A 5xx to the recipient or the content stands; one to the sender or the login is a fault of the installation. */
function toMailError(error: unknown): MailError {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number }
  const is_permanent =
    responseCode !== undefined && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return new MailError(
    `the mail was not sent: ${[code, command, responseCode].filter(Boolean).join(' ')}`,
    is_permanent,
  )
}

function createOutbox({ outbox_dir, log }: Pick<MailerOptions, 'outbox_dir' | 'log'>): Deliver {
  return async (id, message) => {
    const { createTransport } = await import('nodemailer')
    const composer = createTransport({ streamTransport: true })
    // The transport has an option of the same name, but loses an attachment's fault by it when nobody reads yet.
    const { message: source } = await composer.sendMail({ ...message, newline: 'windows' })
    const path = join(outbox_dir, `${id}.eml`)
    await writeWhole(path, source as Readable)
    log.info({ mail: id, path }, 'mail written to the outbox')
  }
}

/**
 * As it comes, for exports are large. Whoever reads the folder finds whole files only. They hold personal data: nobody else on
 * the machine may read them.
 */
async function writeWhole(path: string, content: Readable): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.draft`
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    // With it the files of the attachments are closed.
    content.destroy()
    await rm(draft, { force: true })
    throw error
  }
}
