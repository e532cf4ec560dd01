/**
 * Who may move the end of a reservation (contract, Limits 2; decisions 4, Lifetime). The maximum is the creation of the
 * order plus the event's lifetime of orders. A value past it is refused for everybody; any other is refused too unless it
 * comes from the salespoint or the control panel, and may not be over already.
 */

type Origin = 'api' | 'salespoint' | 'widget' | 'control_panel'

export type ExpiredAfterFault = 'expired_after_too_late' | 'expired_after_fixed'

/** Times are epoch milliseconds. What forbids the value, or undefined. */
export function expiredAfterFault(
  wanted: number,
  { origin, now, max }: { readonly origin: Origin; readonly now: number; readonly max: number },
): ExpiredAfterFault | undefined {
  if (wanted > max) return 'expired_after_too_late'
  const may_move = origin === 'salespoint' || origin === 'control_panel'
  return may_move && wanted > now ? undefined : 'expired_after_fixed'
}
