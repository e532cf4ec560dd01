import type { EventEntry } from '../events/event-entry.ts'
import type { Queryable } from '../platform/db/db.ts'
import { promotionsInForce } from './offers.ts'
import { findPromocodes } from './promocodes.ts'
import type { Promocode } from './promocodes.ts'
import { isOffered } from './rules/promocode.ts'

/**
 * The event's promocode of this code, in any case, if an order with enough tickets could use it at `now` (epoch milliseconds): the
 * event is on sale without a promotion, the code is in its period and has a use left. Otherwise undefined.
 */
export async function checkPromocode(
  db: Queryable,
  event: EventEntry,
  { code, now }: { readonly code: string; readonly now: number },
): Promise<Promocode | undefined> {
  if (event.status !== 'public' || event.lifetime.finish <= now) return undefined
  if (promotionsInForce(event, now).length > 0) return undefined
  const [found] = await findPromocodes(db, event, [code])
  const promocode = found?.promocode
  return promocode !== undefined && isOffered(promocode, now) ? promocode : undefined
}
