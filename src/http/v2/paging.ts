/** Pages by number, as every list of v2 takes and answers them (decisions, 5). */
import { Type } from 'typebox'
import { readInteger, type Query } from '../query.ts'

const PAGE_MAX = 1_000_000_000
const PAGE_SIZE = 50
const PAGE_SIZE_MAX = 200

export type Paging = { readonly page: number; readonly page_size: number }

/** What the query of a list has for it. */
export const PAGING_QUERY = {
  page: Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 }),
  page_size: Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE }),
}

/** What the answer of a list has beside `data` and `refs`. */
export const PAGING_ANSWER = {
  pagination: Type.Object({
    page: Type.Integer(),
    page_size: Type.Integer(),
    total: Type.Integer({ description: 'The number of pages.' }),
  }),
  total_count: Type.Integer({ description: 'The number of records on all pages.' }),
}

/** Throws DomainError<QueryErrorCode>. */
export function readPaging(query: Query): Paging {
  return {
    page: readInteger(query, 'page', { min: 1, max: PAGE_MAX }) ?? 1,
    page_size: readInteger(query, 'page_size', { min: 1, max: PAGE_SIZE_MAX }) ?? PAGE_SIZE,
  }
}

/** The members `pagination` and `total_count` of the answer, as JSON without the braces around them. */
export function pagingJson({ page, page_size }: Paging, total_count: number): string {
  const total = Math.ceil(total_count / page_size)
  return `"pagination":{"page":${page},"page_size":${page_size},"total":${total}},"total_count":${total_count}`
}
