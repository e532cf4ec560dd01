import { DomainError } from '../kernel/domain-error.ts'
import type { GrpcErrorCode } from './errors.ts'

/** Of one key in one process: more is a client that forgets its calls. */
const OPEN_CALLS_MAX = 100

type Usage = { open: number; second: number; calls: number }

export type Limits = ReturnType<typeof createLimits>

/** `rate_limit`: calls a second that a key may make; 0 sets no limit. */
export function createLimits(rate_limit: number) {
  // Of the keys that have calls open, or had some this second.
  const usages = new Map<string, Usage>()

  function forgetIdle(second: number): void {
    for (const [key, usage] of usages) if (usage.open === 0 && usage.second < second) usages.delete(key)
  }

  function usageOf(key: string): Usage {
    const second = Math.floor(performance.now() / 1000)
    const found = usages.get(key)
    if (found === undefined) {
      forgetIdle(second)
      const usage = { open: 0, second, calls: 0 }
      usages.set(key, usage)
      return usage
    }
    if (found.second < second) Object.assign(found, { second, calls: 0 })
    return found
  }

  return {
    /** Counts a call of the key (its id) in; answers what counts it out. Throws `rate_exceeded`, `calls_exceeded`. */
    enter(key: string): () => void {
      const usage = usageOf(key)
      if (rate_limit > 0 && usage.calls >= rate_limit)
        throw new DomainError<GrpcErrorCode>('rate_exceeded', { max: rate_limit })
      if (usage.open >= OPEN_CALLS_MAX)
        throw new DomainError<GrpcErrorCode>('calls_exceeded', { max: OPEN_CALLS_MAX })
      usage.calls++
      usage.open++
      return () => void usage.open--
    },
  }
}
