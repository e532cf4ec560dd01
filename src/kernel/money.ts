/**
 * Money is a safe integer of minor units inside and a decimal string with two digits on the wire; a percentage is an
 * exact integer of 0.0001 % inside (`1_000_000` is 100 %) and text such as `"12.5%"` outside (contract, Money).
 * `shareOf` is the only place that rounds: half to even.
 */

/** An exact percentage in units of 0.0001 %. */
export type Percentage = number

/** 100 % in the unit of percentages inside. */
export const WHOLE = 1_000_000

const MONEY = /^(0|[1-9][0-9]{0,12})\.([0-9]{2})$/
const PERCENT = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,4}))?%$/

/** `"150.00"` -> 15000; undefined when the text is not money of two digits. */
export function parseMoney(text: string): number | undefined {
  const match = MONEY.exec(text)
  return match ? Number(match[1]) * 100 + Number(match[2]) : undefined
}

/** 15000 -> `"150.00"`, -5 -> `"-0.05"`. */
export function formatMoney(minor: number): string {
  const absolute = Math.abs(minor)
  const cents = absolute % 100
  return `${minor < 0 ? '-' : ''}${(absolute - cents) / 100}.${cents < 10 ? '0' : ''}${cents}`
}

/** `"95%"` -> 950000, `"2.5%"` -> 25000; undefined when the text is no percentage from 0 to 100. */
export function parsePercent(text: string): Percentage | undefined {
  const match = PERCENT.exec(text)
  if (!match) return undefined
  const value = Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'))
  return value <= WHOLE ? value : undefined
}

/** 950000 -> `"95%"`, 25000 -> `"2.5%"`. */
export function formatPercent(share: Percentage): string {
  const fraction = (share % 10_000).toString().padStart(4, '0').replace(/0+$/, '')
  return `${Math.floor(share / 10_000)}${fraction ? `.${fraction}` : ''}%`
}

/** `share` (0.0001 %) of a non-negative `amount` (minor units), rounded half to even. */
export function shareOf(amount: number, share: Percentage): number {
  const product = amount * share
  if (!Number.isSafeInteger(product))
    return Number(divideHalfEven(BigInt(amount) * BigInt(share), BigInt(WHOLE)))
  const rest = product % WHOLE
  const quotient = (product - rest) / WHOLE
  const half = WHOLE / 2
  return rest > half || (rest === half && quotient % 2 === 1) ? quotient + 1 : quotient
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient
}
