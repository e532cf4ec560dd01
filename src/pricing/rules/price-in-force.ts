/**
 * The price of a set at a moment (decisions, 2): that of the price rule whose period holds, else the set's base price. A
 * period holds from its start up to, but not including, its finish, so that periods that meet leave no gap and no overlap.
 * Where periods overlap, the rule that began last is in force (a short sale inside a long season); of two that began
 * together, the newer one, by id.
 */
type Rule = {
  readonly id: string
  /** Epoch milliseconds. */
  readonly lifetime: { readonly start: number; readonly finish: number }
  /** Minor units. */
  readonly price: number
}

type PricedSet<R extends Rule> = { readonly price: number; readonly rules: readonly R[] }

export function priceInForce(set: PricedSet<Rule>, now: number): number {
  return ruleInForce(set, now)?.price ?? set.price
}

export function ruleInForce<R extends Rule>(set: PricedSet<R>, now: number): R | undefined {
  let found: R | undefined
  for (const rule of set.rules) {
    const holds = rule.lifetime.start <= now && now < rule.lifetime.finish
    if (holds && (found === undefined || supersedes(rule, found))) found = rule
  }
  return found
}

function supersedes(rule: Rule, other: Rule): boolean {
  if (rule.lifetime.start !== other.lifetime.start) return rule.lifetime.start > other.lifetime.start
  return rule.id > other.id
}
