/**
 * The set prices whose total, price and fee together (decisions, 2), lies in a range: what the filter `price` of the v1
 * listing means for a price before the fee. The total grows with the price, so these prices are a range too; its ends are
 * searched for, which keeps the one rounding of money exact. A side that is open stays open.
 */
import { shareOf } from '../../kernel/money.ts'
import type { Percentage } from '../../kernel/money.ts'

/** Minor units, both ends included; undefined: open on that side. */
export type PriceRange = { readonly from?: number | undefined; readonly to?: number | undefined }

export function pricesOfTotals({ from, to }: PriceRange, extra_share: Percentage): PriceRange {
  const leastReaching = (total: number) =>
    least(total, (price) => price + shareOf(price, extra_share) >= total)
  return {
    from: from === undefined ? undefined : leastReaching(from),
    to: to === undefined ? undefined : leastReaching(to + 1) - 1,
  }
}

/** The least number from 0 to `high` that `holds`, which holds for `high` and for all above the first it holds for. */
function least(high: number, holds: (value: number) => boolean): number {
  let low = 0
  let found = high
  while (low < found) {
    const middle = Math.floor((low + found) / 2)
    if (holds(middle)) found = middle
    else low = middle + 1
  }
  return found
}
