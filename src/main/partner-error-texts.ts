import { DomainError } from '../kernel/domain-error.ts'
import type { PartnerAdminErrorCode, WebhookErrorCode } from '../partners/partner-errors.ts'
import { UserError } from './user-error.ts'

type Details = DomainError['details']

const TEXTS: { readonly [Code in PartnerAdminErrorCode | WebhookErrorCode]: (details: Details) => string } = {
  partner_not_found: ({ partner }) => `no partner has the id, ref or name '${partner}'`,
  partner_ambiguous: ({ partner }) => `several partners are named '${partner}': use an id or a ref`,
  event_not_found: ({ event }) => `there is no event ${event}`,
  key_name_taken: ({ name, partner }) => `${partner} has a key named '${name}' already`,
  key_not_found: ({ key }) => `no key has the id or name '${key}'`,
  key_ambiguous: ({ key }) => `several partners have a key named '${key}': add --partner, or use its id`,
  deposit_ref_taken: ({ ref }) => `the ref '${ref}' names another deposit: nothing was posted`,
  balance_too_large: () => 'the balance would be larger than can be counted exactly: nothing was posted',
  webhook_not_found: ({ webhook }) => `there is no webhook ${webhook}`,
  notification_not_found: ({ notification }) => `there is no notification ${notification} for this webhook`,
  webhooks_disabled: () => 'the webhook is disabled: enable it first',
}

/** For `catch`: throws what an operation on partners, keys, accounts or webhooks refuses in words for people, all else as it is. */
export function explainPartnerError(error: unknown): never {
  const text = error instanceof DomainError ? TEXTS[error.code as keyof typeof TEXTS] : undefined
  throw text === undefined ? error : new UserError(text((error as DomainError).details), { cause: error })
}
