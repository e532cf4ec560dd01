/** The answer of a list of orders, `{data, pagination, total_count, refs}` (decisions, 5): `refs` are those of all its orders. */
import assert from 'node:assert/strict'
import type { OrderResult } from '../../orders/commands.ts'
import { pagingJson, type Paging } from './paging.ts'
import { orderParts } from './present-order.ts'

type Refs = Record<string, Record<string, unknown>>

export type OrderList = {
  readonly results: readonly OrderResult[]
  readonly total_count: number
  readonly paging: Paging
  /** The vendor of each order, in the order of the orders. */
  readonly vendors: readonly { readonly id: string; readonly name: string }[]
}

/** JSON, in UTF-8. */
export function presentOrderList({ results, vendors, total_count, paging }: OrderList): Buffer {
  const parts = results.map((result, index) => {
    const vendor = vendors[index]
    assert(vendor)
    return orderParts(result, vendor)
  })
  const data = parts.map((part) => part.data).join(',')
  const refs = JSON.stringify(mergeRefs(parts.map((part) => part.refs)))
  return Buffer.from(`{"data":[${data}],${pagingJson(paging, total_count)},"refs":${refs}}`, 'latin1')
}

/** Most orders of a page name the same records, in the same words. */
function mergeRefs(texts: readonly string[]): Refs {
  const merged: Refs = { events: {}, partners: {}, promocodes: {}, sets: {}, venues: {} }
  for (const text of new Set(texts))
    for (const [name, records] of Object.entries(JSON.parse(text) as Refs))
      merged[name] = { ...merged[name], ...records }
  return merged
}
