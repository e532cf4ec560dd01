/**
 * The uses of promocodes and the tickets under promokeys that one transaction takes: locked first, then counted in memory as
 * the commands are settled, then saved. The locks come after those of tickets and before those of accounts: the promocodes in
 * the order of shards and ids, then the promokeys in that of theirs.
 */
import assert from 'node:assert/strict'
import { inLockOrder, keyColumns, shardOf } from '../kernel/ids.ts'
import type { ShardKey } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './promo-rows.ts'
import type { LockedPromocodeRow, PromokeyRow } from './promo-rows.ts'
import { promokeyOf } from './promokeys.ts'
import { hasUseLeft } from './rules/promocode.ts'
import type { Promokey } from './rules/promokey.ts'

/** What to lock: ids in the shard of their event. */
export type PromoAsk = {
  readonly shard: number
  readonly promocodes: readonly string[]
  readonly promokeys: readonly string[]
}

/** What an order's holding of a key becomes. */
export type KeyMove = {
  readonly key: string
  readonly order: string
  /** How many tickets more count against the limit; negative: less. */
  readonly tickets: number
  /** The order is live and has the key: it alone, if the key is for one order at a time. */
  readonly holds: boolean
}

export type PromoUses = {
  /** Whether the locked promocode has a use left after those taken here. */
  hasUseLeft(promocode: string): boolean
  /** Notes a use of a locked promocode; there is one left. */
  takeUse(promocode: string): void
  /** The locked key as it is after what was noted here; undefined when it was not locked, or there is none. */
  promokey(key: string): Promokey | undefined
  /** Notes a change of a locked key, which `promokeyFault` allows. */
  moveKey(move: KeyMove): void
  /** Writes what was noted; the statements are sent at once, and fail when what they change is not as it was locked. */
  save(tx: Queryable): Promise<unknown>[]
}

/** Locks what the commands of a transaction may take or give back; the statements are sent at once. */
export async function openPromoUses(tx: Queryable, asks: readonly PromoAsk[]): Promise<PromoUses> {
  const promocodes = keysOf(asks, (ask) => ask.promocodes)
  const promokeys = keysOf(asks, (ask) => ask.promokeys)
  const [codes, keys] = await Promise.all([
    promocodes.length === 0
      ? []
      : tx.query<LockedPromocodeRow>(statements.lock_promocodes, keyColumns(promocodes)),
    promokeys.length === 0 ? [] : tx.query<PromokeyRow>(statements.lock_promokeys, keyColumns(promokeys)),
  ])
  return createPromoUses({ codes, keys: keys.map(promokeyOf) })
}

/** Of a transaction whose commands have nothing to do with promocodes and promokeys. */
export function noPromoUses(): PromoUses {
  return createPromoUses({ codes: [], keys: [] })
}

type Locked = {
  readonly codes: readonly LockedPromocodeRow[]
  readonly keys: readonly Promokey[]
}

function createPromoUses(before: Locked): PromoUses {
  const codes = new Map(before.codes.map((code) => [code.id, { ...code }]))
  const keys = new Map(before.keys.map((key) => [key.id, { ...key }]))
  return {
    hasUseLeft(id) {
      const code = codes.get(id)
      return code !== undefined && hasUseLeft(code)
    },
    takeUse(id) {
      const code = codes.get(id)
      assert(code !== undefined && hasUseLeft(code), 'a use is taken of a promocode that has none')
      code.uses++
    },
    promokey: (id) => keys.get(id),
    moveKey({ key: id, order, tickets, holds }) {
      const key = keys.get(id)
      assert(key !== undefined, 'a promokey is moved that is not locked')
      const holder = holds ? order : key.holder === order ? null : key.holder
      keys.set(id, { ...key, taken: key.taken + tickets, holder: key.single_order ? holder : null })
    },
    save: (tx) => [
      ...saveUses(tx, { before: before.codes, codes }),
      ...saveKeys(tx, { before: before.keys, keys }),
    ],
  }
}

type Codes = {
  readonly before: readonly LockedPromocodeRow[]
  readonly codes: ReadonlyMap<string, LockedPromocodeRow>
}

function saveUses(tx: Queryable, { before, codes }: Codes): Promise<unknown>[] {
  const taken = before
    .map(({ id, uses }) => ({ id, by: (codes.get(id)?.uses ?? uses) - uses }))
    .filter(({ by }) => by > 0)
  if (taken.length === 0) return []
  const values = [taken.map(({ id }) => shardOf(id)), taken.map(({ id }) => id), taken.map(({ by }) => by)]
  return [tx.query(statements.take_promocode_uses, values)]
}

type Keys = { readonly before: readonly Promokey[]; readonly keys: ReadonlyMap<string, Promokey> }

function saveKeys(tx: Queryable, { before, keys }: Keys): Promise<unknown>[] {
  const moved = before
    .map((key) => ({ key, after: keys.get(key.id) ?? key }))
    .filter(({ key, after }) => key.taken !== after.taken || key.holder !== after.holder)
  if (moved.length === 0) return []
  const values = [
    moved.map(({ key }) => shardOf(key.id)),
    moved.map(({ key }) => key.id),
    moved.map(({ key, after }) => after.taken - key.taken),
    moved.map(({ key }) => key.holder),
    moved.map(({ after }) => after.holder),
  ]
  return [tx.query(statements.move_promokeys, values)]
}

/** Each once, in the order of shards and ids. */
function keysOf(asks: readonly PromoAsk[], idsOf: (ask: PromoAsk) => readonly string[]): ShardKey[] {
  const keys = asks.flatMap((ask) => idsOf(ask).map((id) => [id, { shard: ask.shard, id }] as const))
  return inLockOrder([...new Map(keys).values()])
}
