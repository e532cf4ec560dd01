/** The promocodes and promokeys that the plans of a batch speak of: those sent, and those their orders have. */
import type { Queryable } from '../platform/db/db.ts'
import { findPromocodes, loadPromocodes } from '../promo/promocodes.ts'
import type { FoundPromocode, Promocode } from '../promo/promocodes.ts'
import type { PromoAsk } from '../promo/promo-uses.ts'
import { findPromokey } from '../promo/promokeys.ts'
import type { OrderPlan } from './plan-order.ts'

export type OrderPromo = {
  /** What was found for the codes sent; undefined when none were sent, which leaves the order those it has. */
  readonly sent: readonly FoundPromocode[] | undefined
  /** Those the order has. */
  readonly own: readonly Promocode[]
  /** Id of the key sent; null: no key of the event has the code; undefined: none was sent. */
  readonly key_sent: string | null | undefined
}

export const NO_PROMO: OrderPromo = { sent: undefined, own: [], key_sent: undefined }

/** Reads them, without a lock; nothing is asked of the database when no plan speaks of any. */
export async function loadPromo(
  tx: Queryable,
  plans: readonly OrderPlan[],
): Promise<ReadonlyMap<OrderPlan, OrderPromo>> {
  const loaded = await Promise.all(plans.filter(speaksOfPromo).map((plan) => loadOne(tx, plan)))
  return new Map(loaded)
}

function speaksOfPromo({ before, asked }: OrderPlan): boolean {
  const { promocodes, promokey } = asked?.actions ?? {}
  return promocodes !== undefined || promokey !== undefined || before.promocodes.length > 0
}

async function loadOne(tx: Queryable, plan: OrderPlan): Promise<[OrderPlan, OrderPromo]> {
  const { before, event, asked } = plan
  const { promocodes, promokey } = asked?.actions ?? {}
  const [sent, own, key] = await Promise.all([
    promocodes && findPromocodes(tx, event, promocodes),
    loadPromocodes(tx, event.shard, before.promocodes),
    promokey === undefined ? undefined : findPromokey(tx, event, promokey),
  ])
  return [
    plan,
    {
      sent,
      own,
      key_sent: promokey === undefined ? undefined : (key?.id ?? null),
    },
  ]
}

/** What the plan may take or give back of uses and keys. */
export function promoAsk({ before, event, next }: OrderPlan, promo: OrderPromo): PromoAsk {
  const codes =
    promo.sent?.map(({ promocode }) => promocode).filter((code) => code !== undefined) ?? promo.own
  const keys = [before.promokey, promo.key_sent].filter((key) => typeof key === 'string')
  return {
    shard: event.shard,
    promocodes: next === 'done' ? codes.map(({ id }) => id) : [],
    promokeys: keys,
  }
}
