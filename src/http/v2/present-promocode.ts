/** How promocodes are shown (contract, `refs`; decisions, 5). */
import { formatV2Time } from '../../kernel/iso-time.ts'
import { formatMoney, formatPercent } from '../../kernel/money.ts'
import type { Promocode, PromocodeFault } from '../../promo/promocodes.ts'

/** `{percentage: "25%"}` or `{fix: "100.00"}`. */
export function presentDiscount(discount: Promocode['discount']): { percentage: string } | { fix: string } {
  return 'fix' in discount
    ? { fix: formatMoney(discount.fix) }
    : { percentage: formatPercent(discount.percentage) }
}

/** The ends a period has; undefined when it has none. */
export function presentLifetime({
  start,
  finish,
}: Promocode['lifetime']): { start?: string; finish?: string } | undefined {
  if (start === null && finish === null) return undefined
  return {
    ...(start !== null && { start: formatV2Time(start) }),
    ...(finish !== null && { finish: formatV2Time(finish) }),
  }
}

/** An entry of `refs.promocodes`. */
export function presentPromocode({ id, code, discount, lifetime, viral }: Promocode): object {
  const period = presentLifetime(lifetime)
  return { id, code, discount: presentDiscount(discount), ...(period && { lifetime: period }), viral }
}

export const PROMOCODE_NOT_FOUND = 'Promocode not found'

const MESSAGES: Readonly<Record<Exclude<PromocodeFault['code'], 'promocode_limit_min_tickets'>, string>> = {
  promocode_not_found: PROMOCODE_NOT_FOUND,
  promocode_already_used: 'Promocode already used',
  promocode_apply_info: 'Cant apply promocode by some reason',
}

/** An entry of `errors` next to `data`: why a promocode that was sent does not apply. */
export function presentPromocodeFault(fault: PromocodeFault): { code: string; msg: string } {
  const msg =
    fault.code === 'promocode_limit_min_tickets'
      ? `Mimimum count of tickets in order for promocode activation is ${fault.n}`
      : MESSAGES[fault.code]
  return { code: fault.code, msg }
}
