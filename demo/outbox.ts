/** The mails of a service without a mail server: files in its data folder. */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Seller } from './seller.ts'

const WAIT_MS = 15_000
const POLL_MS = 100
const PDF_START = Buffer.from('%PDF-').toString('base64').slice(0, 6)

export type MailWanted = {
  /** Undefined when it is not known, as with a key that was not read from there. */
  data_dir: string | undefined
  to: string
  /** Epoch milliseconds: the mail is not older. */
  since: number
}

/** Shows the mail with the tickets and checks it; says so when the service's outbox is not on this machine. */
export async function lookAtMail(seller: Seller, { data_dir, to, since }: MailWanted): Promise<void> {
  const step = 'The tickets are mailed to the customer as PDF'
  console.log(`\n# ${step}`)
  if (data_dir === undefined) {
    return console.log('Not looked at: with --key, the data folder of the service is not known.')
  }
  const outbox = join(data_dir, 'outbox')
  const mail = existsSync(data_dir) ? await awaitMail(outbox, { to, since }) : undefined
  if (mail) {
    console.log(`${mail.path}, ${mail.source.length.toLocaleString('en')} characters`)
    return seller.judge(step, faultsOf(mail.source))
  }
  if (!existsSync(outbox)) return console.log(`Not looked at: there is no folder ${outbox} on this machine.`)
  seller.judge(step, [
    `no mail to ${to} has come to ${outbox} in ${WAIT_MS / 1000} seconds, where a service without SMTP_URL puts it`,
  ])
}

async function awaitMail(outbox: string, { to, since }: Omit<MailWanted, 'data_dir'>) {
  for (const till = Date.now() + WAIT_MS; Date.now() < till; await sleep(POLL_MS)) {
    const names = existsSync(outbox) ? await readdir(outbox) : []
    for (const path of names.filter((name) => name.endsWith('.eml')).map((name) => join(outbox, name))) {
      if ((await stat(path)).mtimeMs < since) continue
      const source = await readFile(path, 'utf8')
      if (headersOf(source).includes(`\r\nTo: ${to}\r\n`)) return { path, source }
    }
  }
  return undefined
}

function faultsOf(source: string): string[] {
  const pdf = source.split('\r\n--').find((part) => /\r\nContent-Type: application\/pdf\b/.test(part))
  if (pdf === undefined) return ['the mail must have a part application/pdf']
  const content = pdf.slice(pdf.indexOf('\r\n\r\n') + 4)
  return content.startsWith(PDF_START) ? [] : ['the part application/pdf must be a PDF, in base64']
}

function headersOf(source: string): string {
  return `\r\n${source.slice(0, source.indexOf('\r\n\r\n'))}\r\n`
}
