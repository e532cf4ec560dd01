/**
 * One thing that many ask for and that may be a moment old, read for all of them together. What is asked for now and then is
 * read for everyone who asks; what is asked for more often, up to READS_IN_A_ROW times and then once each FRESH_MS, and those
 * who ask between share what was read last. Nobody is answered by what began to be read more than FRESH_MS before the asking.
 */

/** What was read, as it was at one moment. */
export type Reading = {
  /** Until when it may be shown, by the clock of `performance.now`. */
  readonly fresh_until: number
}

export type SharedRead<Value extends Reading> = {
  /** What may be shown now; `read` is called when that is to be read. Rejects when what it waits for does. */
  get(read: () => Promise<Value>): Promise<Value>
  /** As `get`, when what was read so far is known to be outdated. */
  readAgain(read: () => Promise<Value>): Promise<Value>
  /** What is kept to be shared: nothing once it is no longer fresh. */
  kept(): Value | undefined
  /** It is not kept any longer; who asks is answered by a new reading. */
  forget(): void
}

/** From when reading begins. The listings promise a second; the rest is for reading and for the answer. */
export const FRESH_MS = 500
/** How often in a row it is read for everybody who asks. One more each FRESH_MS. */
export const READS_IN_A_ROW = 10

/** Whether it may still be shown; otherwise it is to be asked for again. */
export function isFresh({ fresh_until }: Reading): boolean {
  return performance.now() <= fresh_until
}

export function createSharedRead<Value extends Reading>(): SharedRead<Value> {
  let kept: { value: Value; timer: NodeJS.Timeout } | undefined
  let running: { reading: Promise<Value>; began_at: number } | undefined
  /** Begins when the one that runs has ended: a store that is slow is not asked for the same thing twice at a time. */
  let next: Promise<Value> | undefined
  const takeRead = createAllowance()

  function forget(): void {
    clearTimeout(kept?.timer)
    kept = undefined
  }

  /** Dropped when nobody is shown it any more, and what was made of it goes with it. */
  function keep(value: Value): void {
    forget()
    const timer = setTimeout(forget, Math.max(value.fresh_until - performance.now(), 0)).unref()
    kept = { value, timer }
  }

  function readAgain(read: () => Promise<Value>): Promise<Value> {
    const begun = { reading: read(), began_at: performance.now() }
    running = begun
    const end = (value?: Value) => {
      // Else another one began later, and is the newer.
      if (running !== begun) return
      running = undefined
      if (value) keep(value)
    }
    begun.reading.then(end, () => end())
    return begun.reading
  }

  async function readAfter(before: Promise<Value>, read: () => Promise<Value>): Promise<Value> {
    await before.catch(() => {})
    next = undefined
    return readAgain(read)
  }

  return {
    async get(read) {
      if (next !== undefined) return next
      if (running !== undefined) {
        const is_young = performance.now() - running.began_at <= FRESH_MS
        return is_young ? running.reading : (next = readAfter(running.reading, read))
      }
      if (kept !== undefined && isFresh(kept.value) && !takeRead()) return kept.value
      return readAgain(read)
    },
    readAgain,
    kept: () => kept?.value,
    forget,
  }
}

/** Answers whether there was a read left to take. */
function createAllowance(): () => boolean {
  let reads = READS_IN_A_ROW
  let counted_at = performance.now()
  return () => {
    const now = performance.now()
    reads = Math.min(READS_IN_A_ROW, reads + (now - counted_at) / FRESH_MS)
    counted_at = now
    if (reads < 1) return false
    reads--
    return true
  }
}
