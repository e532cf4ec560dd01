/**
 * When a notification that could not be delivered is sent again (decisions, 8: retried for a day). The waits grow three
 * times from 5 s up to 6 h, each shorter or longer by up to a tenth so that receivers that were away together are not
 * all met again in one moment. The twelfth attempt, the last, comes about 22.6 hours after the first.
 */

export type BackOff = {
  readonly first_ms: number
  readonly longest_ms: number
  readonly attempts: number
}

export const BACK_OFF: BackOff = { first_ms: 5000, longest_ms: 6 * 3_600_000, attempts: 12 }

const GROWTH = 3
const JITTER = 0.1

/**
 * Milliseconds from the failure of an attempt, the first being 1, to the next one; undefined when there is to be none.
 * `random` is from 0 to 1.
 */
export function waitAfter(
  attempt: number,
  random: number,
  { first_ms, longest_ms, attempts }: BackOff,
): number | undefined {
  if (attempt >= attempts) return undefined
  const wait_ms = Math.min(first_ms * GROWTH ** (attempt - 1), longest_ms)
  return Math.round(wait_ms * (1 + JITTER * (2 * random - 1)))
}
