/** What a request's key can be refused for: there is none; it is bad, in whatever way; it lacks the permission. */
export type PartnerErrorCode = 'key_missing' | 'key_bad' | 'permission_missing'

/** What an operator's request about partners, their keys and accounts can be refused for. */
export type PartnerAdminErrorCode =
  | 'partner_not_found'
  | 'partner_ambiguous'
  | 'event_not_found'
  | 'key_name_taken'
  | 'key_not_found'
  | 'key_ambiguous'
  | 'deposit_ref_taken'
  | 'balance_too_large'
  | 'webhook_not_found'

/** What sending a notification again can be refused for: the partner has none of this id; no webhook of it is enabled. */
export type WebhookErrorCode = 'notification_not_found' | 'webhooks_disabled'
