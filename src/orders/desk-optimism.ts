/**
 * Whether a lane writes its batches without asking first (optimistic-batch.ts). That costs least while the process is right in what
 * it remembers; a batch that is refused has cost its work and is run again. When several processes sell the same last places of
 * a set, they are wrong again and again. So after a refusal the next batches ask, after each further one twice as many; a batch
 * that was right ends that.
 */
export type Optimism = {
  /** Asked once for each batch. */
  mayTry(): boolean
  /** The batch was written so. */
  wasRight(): void
  /** The database refused it. */
  wasWrong(): void
}

const ASKING_MIN = 4
const ASKING_MAX = 256

export function createOptimism(): Optimism {
  let asking_next = ASKING_MIN
  let left_to_ask = 0
  return {
    mayTry() {
      if (left_to_ask === 0) return true
      left_to_ask--
      return false
    },
    wasRight() {
      asking_next = ASKING_MIN
    },
    wasWrong() {
      // Begun before the refusal that this follows.
      if (left_to_ask > 0) return
      left_to_ask = asking_next
      asking_next = Math.min(asking_next * 2, ASKING_MAX)
    },
  }
}
