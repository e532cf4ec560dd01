import { parseIsoTime } from '../../kernel/iso-time.ts'
import {
  DELIVERY_STATUSES,
  enableWebhook,
  listWebhooks,
  replayToWebhook,
  showDeliveries,
  webhookSecret,
} from '../../partners/webhooks.ts'
import { defineCommand, printJson } from '../command.ts'
import { explainPartnerError } from '../partner-error-texts.ts'
import { withStore } from '../store.ts'
import { UserError } from '../user-error.ts'

export const listWebhooksCommand = defineCommand({
  name: 'webhooks list',
  summary: 'List webhooks, and how many deliveries wait or have failed',
  arguments: [],
  options: {
    partner: { type: 'string', value: 'PARTNER', description: 'Id, ref or whole name of a partner.' },
  },
  async run({ config, log, values }) {
    const webhooks = await withStore(config, log, (db) => listWebhooks(db, values.partner)).catch(
      explainPartnerError,
    )
    printJson(
      webhooks.map(({ partner, partner_name, disabled_at, ...webhook }) => ({
        ...webhook,
        partner: { id: partner, name: partner_name },
        disabled_at: isoTime(disabled_at),
      })),
    )
  },
})

export const webhookSecretCommand = defineCommand({
  name: 'webhooks secret',
  summary: "Show the secret that a webhook's notifications are signed by",
  about: 'WEBHOOK is an id. Whoever has the secret can pass for Parterre: give it to the receiver alone.',
  arguments: ['WEBHOOK'],
  options: {
    new: { type: 'boolean', description: 'Make a new one, which counts at once, and show that.' },
  },
  async run({ config, log, arguments: [id], values }) {
    const secret = await withStore(config, log, (db) => webhookSecret(db, id, values.new === true)).catch(
      explainPartnerError,
    )
    printJson({ id, secret })
  },
})

export const enableWebhookCommand = defineCommand({
  name: 'webhooks enable',
  summary: 'Send to a webhook again that was disabled',
  about: [
    'WEBHOOK is an id. A webhook that answers 410 is disabled, and what waits for it fails; `webhooks replay`',
    'has that sent again.',
  ].join('\n'),
  arguments: ['WEBHOOK'],
  options: {},
  async run({ config, log, arguments: [id] }) {
    await withStore(config, log, (db) => enableWebhook(db, id)).catch(explainPartnerError)
    printJson({ id, disabled_at: null })
  },
})

export const listDeliveriesCommand = defineCommand({
  name: 'webhooks deliveries',
  summary: "List what became of a partner's notifications, newest first",
  about: 'PARTNER is an id, a ref or a whole name. Notifications are kept for 30 days.',
  arguments: ['PARTNER'],
  options: {
    webhook: { type: 'string', value: 'WEBHOOK', description: 'To this webhook only.' },
    status: {
      type: 'string',
      value: 'STATUS',
      description: `In this status only: ${DELIVERY_STATUSES.join(', ')}.`,
    },
    count: { type: 'string', value: 'COUNT', description: 'How many. Default: 50.' },
  },
  async run({ config, log, arguments: [partner], values: { webhook, status: wanted, count = '50' } }) {
    const status = DELIVERY_STATUSES.find((one) => one === wanted)
    if (wanted !== undefined && status === undefined) {
      throw new UserError(`--status must be one of ${DELIVERY_STATUSES.join(', ')}`, { exit_code: 2 })
    }
    if (!/^\d{1,5}$/.test(count)) throw new UserError('--count must be a count', { exit_code: 2 })
    const options = { webhook, status, page: 1, page_size: Number(count) }
    const { deliveries } = await withStore(config, log, (db) => showDeliveries(db, partner, options)).catch(
      explainPartnerError,
    )
    printJson(
      deliveries.map((delivery) => ({
        ...delivery,
        created_at: isoTime(delivery.created_at),
        next_at: isoTime(delivery.next_at),
        delivered_at: isoTime(delivery.delivered_at),
      })),
    )
  },
})

export const replayCommand = defineCommand({
  name: 'webhooks replay',
  summary: 'Have notifications sent to a webhook again',
  about: 'WEBHOOK is an id. Without --notification: all that failed. Each is retried as a new one is.',
  arguments: ['WEBHOOK'],
  options: {
    notification: { type: 'string', value: 'ID', description: 'This one, whether it was delivered or not.' },
    since: {
      type: 'string',
      value: 'TIME',
      description: 'Of those that failed, the ones from this time on, ISO 8601 (UTC).',
    },
  },
  async run({ config, log, arguments: [webhook], values: { notification, since } }) {
    if (notification !== undefined && since !== undefined) {
      throw new UserError('--notification and --since exclude each other', { exit_code: 2 })
    }
    const since_at = since === undefined ? 0 : parseIsoTime(since)
    if (since_at === undefined) throw new UserError('--since must be an ISO 8601 time', { exit_code: 2 })
    const what = notification === undefined ? { since: since_at } : { notification }
    const replayed = await withStore(config, log, (db) => replayToWebhook(db, webhook, what)).catch(
      explainPartnerError,
    )
    printJson({ webhook, replayed })
  },
})

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
