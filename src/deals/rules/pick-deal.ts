/**
 * Which deal a vendor sells an event by (decisions, 3). A deal is in force when it is the vendor's, is active, is in its
 * period (from its start up to, but not including, its finish; an open side never ends) and covers the event: all of the
 * organizer's, or a list that names it. Of several the newest holds, by id, unless the vendor names one of them; naming a
 * deal that is not in force finds none.
 */
type DealTerms = {
  readonly id: string
  readonly vendor: string
  /** null: all events of the organizer. */
  readonly events: readonly string[] | null
  /** Epoch milliseconds; null: open on that side. */
  readonly lifetime: { readonly start: number | null; readonly finish: number | null }
  readonly active: boolean
}

/** The sale that is asked for: `deals` are those of the event's organizer, `now` is epoch milliseconds. */
type Sale<D extends DealTerms> = {
  readonly deals: readonly D[]
  readonly vendor: string
  readonly event: string
  readonly now: number
}

/** Whether the deal lets its vendor sell at `now` what it covers. */
export function isInForce(
  { active, lifetime: { start, finish } }: Pick<DealTerms, 'active' | 'lifetime'>,
  now: number,
): boolean {
  return active && (start === null || start <= now) && (finish === null || now < finish)
}

/** The deals that let the vendor sell the event, newest first. */
export function dealsInForce<D extends DealTerms>({ deals, vendor, event, now }: Sale<D>): D[] {
  return deals
    .filter((deal) => deal.vendor === vendor && isInForce(deal, now) && covers(deal, event))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
}

/** The deal to sell by: the one that `deal` names, else the newest; undefined when there is none. */
export function pickDeal<D extends DealTerms>(
  sale: Sale<D> & { readonly deal?: string | undefined },
): D | undefined {
  return dealsInForce(sale).find((deal) => sale.deal === undefined || deal.id === sale.deal)
}

function covers(deal: DealTerms, event: string): boolean {
  return deal.events === null || deal.events.includes(event)
}
