import { coverageOf } from '../deals/who-may-sell.ts'
import type { Listable } from '../events/listable.ts'
import type { Caller } from '../partners/caller.ts'
import type { Queryable } from '../platform/db/db.ts'

/** The events that the caller may list now: those its deals in force cover and its own, as far as its key goes. */
export async function listableBy(db: Queryable, caller: Caller): Promise<Listable> {
  return { scopes: await coverageOf(db, caller.partner.id, Date.now()), only: caller.events }
}
