import { createContext, Script } from 'node:vm'
import type { Matches } from './rules/custom-fields.ts'

/** Milliseconds that the patterns of one request may take together; a good one takes a fraction of one. */
const BUDGET_MS = 50

const scope = { pattern: '', text: '' }
const context = createContext(scope)
const script = new Script('new RegExp(pattern, "u").test(text)')

/**
 * Matches texts of sellers against patterns of organizers, for one request. A pattern such as `(a+)+$` can take years on a short
 * text, and nothing else runs meanwhile; so a match that does not end in the request's time is broken off and counts as none.
 */
export function createMatcher(): Matches {
  let left_ms = BUDGET_MS
  return (pattern, text) => {
    if (left_ms < 1) return false
    const started_at = performance.now()
    try {
      Object.assign(scope, { pattern, text })
      return script.runInContext(context, { timeout: Math.ceil(left_ms) }) === true
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
      throw error
    } finally {
      left_ms -= performance.now() - started_at
    }
  }
}
