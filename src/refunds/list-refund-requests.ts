import type { Caller } from '../partners/caller.ts'
import type { Db } from '../platform/db/db.ts'
import type { RefundRequest, RefundStatus } from './refund-request.ts'
import { statements } from './refunds-rows.ts'

/** Epoch milliseconds, ends included; a side that is left out is open. */
type TimeRange = { readonly from?: number | undefined; readonly to?: number | undefined }

export type RefundFilters = {
  readonly created_at?: TimeRange | undefined
  readonly finished_at?: TimeRange | undefined
  readonly events?: readonly string[] | undefined
  readonly status?: readonly RefundStatus[] | undefined
}

export type ListRefundRequests = (
  caller: Caller,
  options: { readonly filters: RefundFilters; readonly page: number; readonly page_size: number },
) => Promise<{ readonly requests: readonly RefundRequest[]; readonly total_count: number }>

/** The refund requests of what the caller sold and of its own events, newest first; `page` counts from 1. */
export function createListRefundRequests({ db }: { db: Db }): ListRefundRequests {
  return (caller, { filters, page, page_size }) => {
    const { created_at, finished_at, events, status } = filters
    const values = [
      caller.partner.id,
      caller.events,
      events ?? null,
      status ?? null,
      ...timestamps(created_at),
      ...timestamps(finished_at),
    ]
    return db.transaction(async (tx) => {
      const [counted] = await tx.query<{ count: number }>(statements.count_requests, values)
      const requests = await tx.query<RefundRequest>(statements.list_requests, [
        ...values,
        page_size,
        (page - 1) * page_size,
      ])
      return { requests, total_count: counted?.count ?? 0 }
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY')
  }
}

function timestamps({ from, to }: TimeRange = {}): (string | null)[] {
  return [from, to].map((at) => (at === undefined ? null : new Date(at).toISOString()))
}
