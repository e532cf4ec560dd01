import { createContext, Script } from 'node:vm'
import type { Matches } from './rules/custom-fields.ts'

/** Milliseconds of CPU that the patterns of one request may take together; a good one takes a fraction of one. */
const BUDGET_MS = 50
/** What a try that was broken off costs at least, so that there are no more than so many of them. */
const TRY_MIN_MS = 1

const scope = { pattern: '', text: '' }
const context = createContext(scope)
const script = new Script('new RegExp(pattern, "u").test(text)')

/**
 * Matches texts of sellers against patterns of organizers, for one request. A pattern such as `(a+)+$` can take years on a short
 * text, and nothing else runs meanwhile; so a match that does not end in the request's time is broken off and counts as none.
 * The time is that of the CPU. What breaks a match off goes by the clock, though, which runs on while a busy machine does
 * something else: a match that got less than its time is tried again.
 */
export function createMatcher(): Matches {
  let left_ms = BUDGET_MS
  return (pattern, text) => {
    Object.assign(scope, { pattern, text })
    while (left_ms >= TRY_MIN_MS) {
      const used = process.threadCpuUsage()
      const matched = runFor(Math.ceil(left_ms))
      const { user, system } = process.threadCpuUsage(used)
      const used_ms = (user + system) / 1000
      left_ms -= matched === undefined ? Math.max(used_ms, TRY_MIN_MS) : used_ms
      if (matched !== undefined) return matched
    }
    return false
  }
}

/** Undefined when it was broken off. */
function runFor(timeout: number): boolean | undefined {
  try {
    return script.runInContext(context, { timeout }) === true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
