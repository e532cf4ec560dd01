import assert from 'node:assert/strict'
import { shardOf } from '../kernel/ids.ts'
import type { Queryable } from '../platform/db/db.ts'
import { loadStatements } from '../platform/db/sql-file.ts'
import type { RefundRequest } from './refund-request.ts'
import type { RefundPolicy } from './rules/refund-amount.ts'

export const statements = loadStatements(new URL('./refunds-rows.sql', import.meta.url), [
  'terms_of_order',
  'tickets_in_use',
  'insert_request',
  'order_of_request',
  'load_request',
  'finish_request',
  'list_requests',
  'count_requests',
])

/** `refund_approval` is null without a deal: the organizer sold the order itself. */
export type TermsRow = {
  status: 'public' | 'stand_by' | 'finished' | 'cancelled'
  start: number
  finish: number
  refund_policy: RefundPolicy
  refund_approval: 'vendor' | 'org' | null
  vendor_account: string | null
  org_account: string | null
}

export async function termsOfOrder(tx: Queryable, order: string): Promise<TermsRow> {
  const [terms] = await tx.query<TermsRow>(statements.terms_of_order, [shardOf(order), order])
  assert(terms, `order ${order} has no event`)
  return terms
}

export async function loadRequest(tx: Queryable, id: string): Promise<RefundRequest> {
  const [request] = await tx.query<RefundRequest>(statements.load_request, [shardOf(id), id])
  assert(request, `refund request ${id} does not exist`)
  return request
}
