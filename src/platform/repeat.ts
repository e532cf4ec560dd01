import { setTimeout as sleep } from 'node:timers/promises'

export type RepeatOptions = {
  /** From the end of one run to the begin of the next. */
  interval_ms: number
  /** A run failed; the next one comes all the same. */
  onError: (error: unknown) => void
}

/** Runs `work` now and ever again. `stop` lets the run at hand end, which it tells by the signal. */
export function repeat(
  work: (stopping: AbortSignal) => Promise<void>,
  { interval_ms, onError }: RepeatOptions,
): { stop(): Promise<void> } {
  const stopping = new AbortController()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await work(stopping.signal).catch(onError)
      await sleep(interval_ms, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}
