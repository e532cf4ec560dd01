/** What operators and partners do about webhooks, which the import makes. */
import { randomBytes } from 'node:crypto'
import { DomainError } from '../kernel/domain-error.ts'
import type { Queryable } from '../platform/db/db.ts'
import { secretText } from '../platform/webhooks/sign.ts'
import type { PartnerAdminErrorCode, WebhookErrorCode } from './partner-errors.ts'
import { findPartner } from './partners-rows.ts'
import { statements, type Delivery, type DeliveryStatus, type ListedWebhook } from './webhooks-rows.ts'

export { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, type ListedWebhook } from './webhooks-rows.ts'

const SECRET_BYTES = 32

/** The webhooks of one partner (id, ref or whole name) or of all; DomainError `partner_not_found`, `partner_ambiguous`. */
export async function listWebhooks(db: Queryable, partner?: string): Promise<ListedWebhook[]> {
  const found = partner === undefined ? undefined : await findPartner(db, partner)
  return db.query<ListedWebhook>(statements.list_webhooks, [found?.id ?? null])
}

/**
 * The secret that the webhook's notifications are signed by, as its receiver is given it; with `renew` a new one, which
 * counts at once. DomainError `webhook_not_found`.
 */
export async function webhookSecret(db: Queryable, webhook: string, renew: boolean): Promise<string> {
  const [row] = await (renew
    ? db.query<{ secret: Buffer }>(statements.replace_secret, [webhook, randomBytes(SECRET_BYTES)])
    : db.query<{ secret: Buffer }>(statements.find_webhook, [webhook]))
  if (row === undefined) throw notFound(webhook)
  return secretText(row.secret)
}

/** Lets a webhook that was disabled be sent to again; DomainError `webhook_not_found`. */
export async function enableWebhook(db: Queryable, webhook: string): Promise<void> {
  const [row] = await db.query(statements.enable_webhook, [webhook])
  if (row === undefined) throw notFound(webhook)
}

/** Filters that are undefined filter nothing; pages begin with 1. */
export type DeliveryPage = {
  webhook?: string | undefined
  status?: DeliveryStatus | undefined
  page: number
  page_size: number
}

/** A page, newest first, of the deliveries of a partner (its id), and how many they are in all. */
export async function listDeliveries(
  db: Queryable,
  partner: string,
  options: DeliveryPage,
): Promise<{ deliveries: Delivery[]; total_count: number }> {
  const { webhook = null, status = null, page, page_size } = options
  const wanted = [partner, webhook, status]
  const [deliveries, [counted]] = await Promise.all([
    db.query<Delivery>(statements.list_deliveries, [...wanted, page_size, (page - 1) * page_size]),
    db.query<{ count: number }>(statements.count_deliveries, wanted),
  ])
  return { deliveries, total_count: counted?.count ?? 0 }
}

/** The same for a partner's id, ref or whole name; DomainError `partner_not_found`, `partner_ambiguous`. */
export async function showDeliveries(db: Queryable, partner: string, options: DeliveryPage) {
  const { id } = await findPartner(db, partner)
  return listDeliveries(db, id, options)
}

/**
 * Has a notification of the partner (its id) sent again, by the schedule of a new one, to the webhooks that it was written
 * for and that are enabled; answers their ids. DomainError `notification_not_found`, `webhooks_disabled`.
 */
export async function replayNotification(
  db: Queryable,
  partner: string,
  notification: string,
): Promise<string[]> {
  const asked = await db.query<{ webhook: string; replayed: boolean }>(statements.replay_notification, [
    partner,
    notification,
  ])
  if (asked.length === 0) throw new DomainError<WebhookErrorCode>('notification_not_found', { notification })
  const webhooks = asked.filter(({ replayed }) => replayed).map(({ webhook }) => webhook)
  if (webhooks.length === 0) throw new DomainError<WebhookErrorCode>('webhooks_disabled')
  return webhooks
}

/**
 * Has one notification sent again to a webhook, or all of those that failed and are not older than `since` (epoch
 * milliseconds); answers how many. DomainError `webhook_not_found`, `webhooks_disabled`, `notification_not_found`.
 */
export async function replayToWebhook(
  db: Queryable,
  webhook: string,
  what: { notification: string } | { since: number },
): Promise<number> {
  const [found] = await db.query<{ disabled_at: number | null }>(statements.find_webhook, [webhook])
  if (found === undefined) throw notFound(webhook)
  if (found.disabled_at !== null) throw new DomainError<WebhookErrorCode>('webhooks_disabled')
  const notification = 'notification' in what ? what.notification : null
  const since = 'since' in what ? what.since : null
  const replayed = await db.execute(statements.replay_to_webhook, [webhook, notification, since])
  if (notification !== null && replayed === 0)
    throw new DomainError<WebhookErrorCode>('notification_not_found', { notification })
  return replayed
}

function notFound(webhook: string): DomainError<PartnerAdminErrorCode> {
  return new DomainError('webhook_not_found', { webhook })
}
