import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './connect.ts'
import { isAlive, type Running } from './postmaster.ts'

const LOOK_EVERY_MS = 200
const LONGEST_WAIT_MS = 10_000

export type Kept = {
  /** The server that runs, or ran last. */
  current(): Running
  /** From now on it may end; answers the one that is to be ended. */
  letGo(): Promise<Running>
}

/** Starts the server again when it has ended and nobody let it go, as when the system killed it for its memory. */
export function keepRunning(
  first: Running,
  options: { startAgain: () => Promise<Running>; warn: Log },
): Kept {
  const { startAgain, warn } = options
  const letting_go = new AbortController()
  const { signal } = letting_go
  let running = first

  async function watch(): Promise<void> {
    let wait_ms = LOOK_EVERY_MS
    for (;;) {
      await sleep(wait_ms, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      if (isAlive(running.pid)) continue
      warn('postgres is gone; it is started again', { pid: running.pid })
      try {
        running = await startAgain()
        wait_ms = LOOK_EVERY_MS
        warn('postgres runs again', { pid: running.pid })
      } catch (error) {
        wait_ms = Math.min(2 * wait_ms, LONGEST_WAIT_MS)
        warn('postgres could not be started again', { err: error, wait_ms })
      }
    }
  }

  const watching = watch()
  return {
    current: () => running,
    async letGo() {
      letting_go.abort()
      await watching
      return running
    },
  }
}
