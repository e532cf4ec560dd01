/** Reads events and partners from the database into the shape of the catalog. */
import assert from 'node:assert/strict'
import { shardOf } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { inTurn } from '../platform/db/in-turn.ts'
import { statements } from './catalog-rows.ts'
import type { AccountRow, CustomFieldRow, DealRow, EventRow, PromotionRow, SetRow } from './catalog-rows.ts'
import type {
  Catalog,
  CustomField,
  Deal,
  EventEntry,
  Partner,
  PriceRule,
  Promotion,
  SetEntry,
} from './event-entry.ts'

/** The events of these ids that exist, by id. */
export async function loadEvents(db: Queryable, ids: readonly string[]): Promise<Map<string, EventEntry>> {
  const keys = [ids.map(shardOf), ids]
  const [event_rows, set_rows, promotion_rows, custom_field_rows] = await Promise.all([
    db.query<EventRow>(statements.load_events, keys),
    db.query<SetRow>(statements.load_sets, keys),
    db.query<PromotionRow>(statements.load_promotions, keys),
    db.query<CustomFieldRow>(statements.load_custom_fields, keys),
  ])
  if (event_rows.length === 0) return new Map()
  const orgs = [[...new Set(event_rows.map((row) => row.org.id))]]
  const [deal_rows, account_rows] = await Promise.all([
    db.query<DealRow>(statements.load_deals, orgs),
    db.query<AccountRow>(statements.load_accounts, orgs),
  ])
  const sets = Map.groupBy(set_rows, (row) => row.event)
  const promotions = Map.groupBy(promotion_rows, (row) => row.event)
  const custom_fields = Map.groupBy(custom_field_rows, (row) => row.event)
  const deals = Map.groupBy(deal_rows, (row) => row.org)
  const accounts = new Map(account_rows.map((row) => [`${row.kind} ${row.partner} ${row.currency}`, row.id]))
  return new Map(
    event_rows.map((row) => {
      const accountOf = (kind: 'org' | 'vendor', partner: string) =>
        accounts.get(`${kind} ${partner} ${row.currency}`)
      const org_account = accountOf('org', row.org.id)
      assert(org_account !== undefined, `the organizer of event ${row.id} has no account in ${row.currency}`)
      const { title, start, finish, ...fields } = row
      const entry: EventEntry = {
        ...fields,
        title: { text: title.text, desc: title.desc ?? '' },
        lifetime: { start, finish },
        sets: setEntries(sets.get(row.id) ?? []),
        promotions: (promotions.get(row.id) ?? []).map(promotionOf),
        custom_fields: (custom_fields.get(row.id) ?? []).map(customFieldOf),
        deals: (deals.get(row.org.id) ?? []).map((deal) =>
          dealOf(deal, accountOf('vendor', deal.vendor) ?? null),
        ),
        org_account,
      }
      return [entry.id, entry]
    }),
  )
}

/** The partners of these ids that exist, by id. */
export async function loadPartners(db: Queryable, ids: readonly string[]): Promise<Map<string, Partner>> {
  const rows = await db.query<Partner>(statements.load_partners, [ids])
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * The catalog as a transaction has it, read by its own connection: one that waited for another of the pool could wait for those
 * that wait for it.
 */
export function catalogIn(tx: Queryable): Pick<Catalog, 'events' | 'partner'> {
  const one_by_one = inTurn(tx)
  return {
    events: async (ids) => [...(await loadEvents(one_by_one, ids)).values()],
    partner: async (id) => (await loadPartners(one_by_one, [id])).get(id),
  }
}

function setEntries(rows: readonly SetRow[]): SetEntry[] {
  const sets = new Map<string, SetEntry & { rules: PriceRule[] }>()
  for (const row of rows) {
    const { id, pos, name, desc, price, with_seats, sector, promokey_required } = row
    const rules = sets.get(id)?.rules ?? []
    if (row.rule !== null) rules.push(ruleOf(row))
    sets.set(id, { id, pos, name, desc, price, rules, with_seats, sector, promokey_required })
  }
  return [...sets.values()]
}

function ruleOf(row: SetRow & { rule: string }): PriceRule {
  return { id: row.rule, lifetime: { start: row.rule_start, finish: row.rule_finish }, price: row.rule_price }
}

function promotionOf({ id, start, finish, sets, percentage, fix, levels }: PromotionRow): Promotion {
  return { id, lifetime: { start, finish }, sets, discount: discountOf({ percentage, fix, levels }) }
}

function discountOf({
  percentage,
  fix,
  levels,
}: Pick<PromotionRow, 'percentage' | 'fix' | 'levels'>): Promotion['discount'] {
  if (percentage !== null) return { percentage }
  if (fix !== null) return { fix }
  assert(levels !== null, 'a promotion has a discount')
  return { levels }
}

function customFieldOf({ id, scope, kind, name, required, bounds }: CustomFieldRow): CustomField {
  return { id, scope, kind, name, required, bounds }
}

function dealOf({ start, finish, ...terms }: DealRow, account: string | null): Deal {
  return { ...terms, lifetime: { start, finish }, account }
}
