/** Promocodes: reading them, and which of those sent an order may have. */
import assert from 'node:assert/strict'
import type { EventEntry } from '../events/event-entry.ts'
import { shardOf } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './promo-rows.ts'
import type { PromocodeRow } from './promo-rows.ts'
import * as rules from './rules/promocode.ts'

export type Promocode = rules.Promocode

/** Why a promocode that was sent does not apply; `n` is how many tickets it needs. */
export type PromocodeFault = rules.PromocodeFault

/** What was found for each of the codes sent, in the order they were sent; a code sent again, in any case, is left out. */
export type FoundPromocode = { readonly code: string; readonly promocode: Promocode | undefined }

/** Looks for the codes among those of the event, whatever their case. */
export async function findPromocodes(
  db: Queryable,
  { shard, id }: Pick<EventEntry, 'shard' | 'id'>,
  codes: readonly string[],
): Promise<FoundPromocode[]> {
  if (codes.length === 0) return []
  const rows = await db.query<PromocodeRow & { pos: number }>(statements.find_promocodes, [shard, id, codes])
  const by_pos = new Map(rows.map(({ pos, ...row }) => [pos, promocodeOf(row)]))
  const seen = new Set<string>()
  return codes
    .map((code, index) => ({ code, promocode: by_pos.get(index + 1) }))
    .filter(({ code, promocode }) => {
      const identity = promocode?.id ?? code.toLowerCase()
      const is_new = !seen.has(identity)
      seen.add(identity)
      return is_new
    })
}

/** The promocodes of these ids, in their order. */
export async function loadPromocodes(
  db: Queryable,
  shard: number,
  ids: readonly string[],
): Promise<Promocode[]> {
  if (ids.length === 0) return []
  const rows = await db.query<PromocodeRow>(statements.load_promocodes, [shard, ids])
  const by_id = new Map(rows.map((row) => [row.id, promocodeOf(row)]))
  return ids.map((id) => by_id.get(id)).filter((code) => code !== undefined)
}

/** Those of any shards, by id. */
export async function promocodesById(db: Queryable, ids: Iterable<string>): Promise<Map<string, Promocode>> {
  const by_shard = [...Map.groupBy(new Set(ids), shardOf)]
  const loaded = await Promise.all(by_shard.map(([shard, group]) => loadPromocodes(db, shard, group)))
  return new Map(loaded.flat().map((code) => [code.id, code]))
}

/**
 * Which of the promocodes an order with so many tickets may have at `now` (epoch milliseconds), and why not the others, both in
 * the order sent.
 */
export function judgePromocodes(
  found: readonly FoundPromocode[],
  order: { readonly now: number; readonly tickets_count: number },
): { usable: Promocode[]; faults: PromocodeFault[] } {
  const usable: Promocode[] = []
  const faults: PromocodeFault[] = []
  for (const { promocode } of found) {
    const fault: PromocodeFault | undefined =
      promocode === undefined ? { code: 'promocode_not_found' } : rules.promocodeFault(promocode, order)
    if (fault !== undefined) faults.push(fault)
    else if (promocode !== undefined) usable.push(promocode)
  }
  return { usable, faults }
}

function promocodeOf({ percentage, fix, start, finish, ...row }: PromocodeRow): Promocode {
  assert(percentage !== null || fix !== null, 'a promocode has a discount')
  return {
    ...row,
    discount: percentage === null ? { fix: fix as number } : { percentage },
    lifetime: { start, finish },
  }
}
