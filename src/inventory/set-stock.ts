/** What the sets of events consist of: how many tickets, how many of them vacant, and which seats. */
import assert from 'node:assert/strict'
import { keyColumns } from '../kernel/ids.ts'
import type { ShardKey } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { statements } from './set-stock-rows.ts'
import type { AmountsRow, SeatsRow } from './set-stock-rows.ts'

export type SetAmounts = { readonly amount: number; readonly vacant: number }

/** The rows of a set, front to back, with the numbers of their seats. */
export type SetSeats = readonly { readonly row: string; readonly numbers: readonly string[] }[]

/** The amounts of all sets of the events at this moment, by set id. */
export async function amountsOfSets(
  db: Queryable,
  events: readonly ShardKey[],
): Promise<ReadonlyMap<string, SetAmounts>> {
  const [row] = await db.query<AmountsRow>(statements.amounts_of_sets, keyColumns(events))
  assert(row)
  if (row.sets === '') return new Map()
  const [amounts, vacant] = [row.amounts.split(','), row.vacant.split(',')]
  const entries = row.sets
    .split(',')
    .map((set, nth) => [set, { amount: Number(amounts[nth]), vacant: Number(vacant[nth]) }] as const)
  return new Map(entries)
}

/** The seats of all seated sets of the events, whoever has them, by set id. */
export async function seatsOfSets(
  db: Queryable,
  events: readonly ShardKey[],
): Promise<ReadonlyMap<string, SetSeats>> {
  const rows = await db.query<SeatsRow>(statements.seats_of_sets, keyColumns(events))
  return Map.groupBy(rows, (row) => row.set)
}
