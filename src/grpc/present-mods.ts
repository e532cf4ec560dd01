import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Ladder, Promotion } from '../events/event-entry.ts'
import { Mod_ModType as ModType } from './generated/mods_pb.js'
import type { ModPromotionTypeSchema, ModSchema } from './generated/mods_pb.js'
import { presentLifetime, presentPercentage } from './present-generic.ts'

type Discount = NonNullable<MessageInitShape<typeof ModPromotionTypeSchema>['discount']>

/** The older schema counts its types from PROMOTION = 0. */
const OLDER_PROMOTION: ModType = 0

/** Promotions as mods, in their order, those too whose time is over or has not come. */
export function presentMods(
  promotions: readonly Promotion[],
  { is_older }: { is_older: boolean },
): MessageInitShape<typeof ModSchema>[] {
  const type = is_older ? OLDER_PROMOTION : ModType.PROMOTION
  return promotions.map(({ id, lifetime, sets, discount }) => ({
    id,
    type,
    settings: {
      case: 'promotion',
      value: {
        // One that holds for ever has none.
        lifetime: lifetime.start === null && lifetime.finish === null ? undefined : presentLifetime(lifetime),
        sets: [...sets],
        discount: presentDiscount(discount),
      },
    },
  }))
}

function presentDiscount(discount: Promotion['discount']): Discount {
  if ('percentage' in discount)
    return { case: 'discountPercentage', value: presentPercentage(discount.percentage) }
  if ('fix' in discount) return { case: 'discountFix', value: BigInt(discount.fix) }
  return presentLadder(discount.levels)
}

function presentLadder({ by, kind, steps }: Ladder): Discount {
  if (kind === 'percentage') {
    const levels = steps.map(({ from, value }) => ({ level: BigInt(from), value: presentPercentage(value) }))
    return { case: by === 'sum' ? 'levelsPercentage' : 'levelsCountPercentage', value: { levels } }
  }
  const levels = steps.map(({ from, value }) => ({ level: BigInt(from), value: BigInt(value) }))
  return { case: by === 'sum' ? 'levelsFix' : 'levelsCountFix', value: { levels } }
}
