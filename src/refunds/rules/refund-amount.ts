/**
 * How much a refund pays back (decisions, 5 "How much"). `general` pays all of the nominal until the event starts; a
 * schedule pays the percentage of the longest time before the start that is still kept, and `law_ru_193` is such a
 * schedule. Days are of 24 hours, counted from when the buyer asked to the start; a time of exactly that many days is kept.
 * When it is the organizer's fault all is paid back at any time, the fee of the seller too. The percentage is taken of each
 * ticket's nominal, and the organizer's share of what that gives, each half to even: so all of an order's tickets at 100 %
 * give back exactly what completion charged, in however many requests.
 */
import { shareOf, WHOLE } from '../../kernel/money.ts'
import type { Percentage } from '../../kernel/money.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Whose fault it is that the tickets are given back. */
export type Culprit = 'user' | 'org'

/** From so many days before the start the percentage is paid back. */
export type RefundStep = { readonly days: number; readonly percent: Percentage }

export type RefundPolicy = 'general' | 'law_ru_193' | readonly RefundStep[]

export type RefundFault = 'refund_event_started' | 'refund_too_late'

const LAW_RU_193: readonly RefundStep[] = [
  { days: 10, percent: WHOLE },
  { days: 5, percent: WHOLE / 2 },
  { days: 3, percent: (WHOLE / 10) * 3 },
]

type Refund = {
  readonly policy: RefundPolicy
  readonly culprit: Culprit
  /** When the buyer asked, and when the event starts: epoch milliseconds. */
  readonly requested_at: number
  readonly start: number
}

/** The percentage of the nominal that is paid back, or why there is none. */
export function refundPercent({ policy, culprit, requested_at, start }: Refund): Percentage | RefundFault {
  if (culprit === 'org') return WHOLE
  if (requested_at >= start) return 'refund_event_started'
  if (policy === 'general') return WHOLE
  const steps = policy === 'law_ru_193' ? LAW_RU_193 : policy
  const kept = steps
    .filter(({ days }) => start - requested_at >= days * DAY_MS)
    .toSorted((a, b) => b.days - a.days)
  return kept[0]?.percent ?? 'refund_too_late'
}

/** What a ticket pays back of its nominal, and what of that is the organizer's share; minor units. */
export function refundOfTicket(
  nominal: number,
  { percent, org_share }: { readonly percent: Percentage; readonly org_share: Percentage },
): { readonly refunded: number; readonly share: number } {
  const refunded = shareOf(nominal, percent)
  return { refunded, share: shareOf(refunded, org_share) }
}

/** The name that a request shows for its policy. */
export function policyName(policy: RefundPolicy): string {
  return typeof policy === 'string' ? policy : 'schedule'
}
