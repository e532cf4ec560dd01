/** Exports of orders: asking for one, how far it is, and its end in the store. The job that makes them is in make-export.ts. */
import assert from 'node:assert/strict'
import { DomainError } from '../../kernel/domain-error.ts'
import { firstIdOf, newId, NO_SHARD } from '../../kernel/ids.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Db, Queryable } from '../../platform/db/db.ts'
import { startForgettingOld } from '../../platform/forget-old.ts'
import { enqueueJobs } from '../../platform/jobs/enqueue-jobs.ts'
import type { Log } from '../../platform/log.ts'
import { readClock } from '../list-orders.ts'
import { selectOrders, type OrderFilters } from '../order-selection.ts'
import { statements } from './exports-rows.ts'

export const EXPORT_ORDERS = 'export_orders'

export type ExportErrorCode = 'export_not_found' | 'exports_waiting'

/** Exports of a partner that are not made yet. They are made one at a time, for all partners together. */
export const EXPORTS_WAITING_MAX = 10

/** How long an export may be asked for, from when it was requested. */
export const EXPORTS_KEPT_DAYS = 30

/** How far an export is. Times are epoch milliseconds. */
export type Export = {
  readonly id: string
  readonly status: 'new' | 'in_progress' | 'done' | 'failed'
  readonly orders_done: number
  /** null until they are counted. */
  readonly orders_total: number | null
  /** Why it failed. */
  readonly error: string | null
  readonly created_at: number
  readonly finished_at: number | null
}

export type ExportRequest = {
  readonly filters: OrderFilters
  readonly email: string
  /** What the transport writes in the transaction: the answer it is going to give. */
  readonly keep?: (tx: Queryable, id: string) => Promise<unknown>
}

/**
 * Asks for an export of the orders that a list with these filters has now, for the address (kernel/mail-address.ts); answers its
 * id. Throws DomainError<ExportErrorCode> when too many of the partner are not made yet.
 */
export async function requestExport(
  db: Db,
  caller: Caller,
  { filters, email, keep }: ExportRequest,
): Promise<string> {
  return db.transaction(async (tx) => {
    await tx.query(statements.lock_partner, [caller.partner.id])
    const [found] = await tx.query<{ waiting: number }>(statements.count_waiting, [caller.partner.id])
    assert(found)
    if (found.waiting >= EXPORTS_WAITING_MAX)
      throw new DomainError<ExportErrorCode>('exports_waiting', { max: EXPORTS_WAITING_MAX })
    const now = await readClock(tx)
    const selection = selectOrders(caller, filters)
    const next_second = firstIdOf(Math.floor(now / 1000) + 1)
    const until_now = { ...selection, below: selection.below < next_second ? selection.below : next_second }
    const id = newId(NO_SHARD, now)
    const created_at = new Date(now).toISOString()
    await tx.execute(statements.insert_export, [
      id,
      caller.partner.id,
      email,
      JSON.stringify(until_now),
      created_at,
    ])
    await keep?.(tx, id)
    await Promise.all(
      enqueueJobs(tx, [{ task: EXPORT_ORDERS, payload: { export: id }, queue: EXPORT_ORDERS }]),
    )
    return id
  })
}

/** An export that the caller's partner asked for; throws DomainError<ExportErrorCode> when there is none. */
export async function getExport(db: Queryable, caller: Caller, id: string): Promise<Export> {
  const [found] = await db.query<Export>(statements.find_export, [id, caller.partner.id])
  if (found === undefined) throw new DomainError<ExportErrorCode>('export_not_found')
  return found
}

/** Deletes exports that were requested more than EXPORTS_KEPT_DAYS ago. Any number of processes may run it. */
export function startForgettingExports({ db, log }: { db: Db; log: Log }): { stop(): Promise<void> } {
  const statement = statements.forget_exports
  return startForgettingOld({ db, log, what: 'exports', statement, kept_days: EXPORTS_KEPT_DAYS })
}
