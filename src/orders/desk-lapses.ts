/**
 * The ends of unpaid orders, in batches of their own beside those of the requests: they ask, and a batch of requests that has one in
 * it would have to ask for all. They have a connection of their own, for all lanes.
 */
import type { Session } from '../platform/db/session.ts'
import type { LapseOrder } from './commands.ts'
import type { RunLapses } from './run-batch.ts'

export type DeskLapses = {
  /**
   * Ends those of the orders that are still unpaid and past their lifetime; answers how many it ended. One on which a request runs is
   * passed over.
   */
  lapse(orders: readonly string[]): Promise<number>
  isIdle(): boolean
}

export type DeskLapsesOptions = {
  readonly session: Session
  readonly runLapses: RunLapses
  /** The orders of the batches in flight, of requests and of lapses: each is in one of them only. */
  readonly in_flight: Set<string>
  /** Orders in a batch at most. */
  readonly batch_max: number
  /** Called when a batch has ended: there may be requests that waited for its orders. */
  readonly onEnded: () => void
}

export function createDeskLapses(options: DeskLapsesOptions): DeskLapses {
  const { session, runLapses, in_flight, batch_max, onEnded } = options
  /** The end of the batch that is the last one so far: the connection has one at a time. */
  let last: Promise<unknown> = Promise.resolve()
  let running = 0

  async function runBatch(orders: readonly string[]): Promise<number> {
    const free = orders.filter((order) => !in_flight.has(order))
    if (free.length === 0) return 0
    for (const order of free) in_flight.add(order)
    const commands = free.map((order): LapseOrder => ({ kind: 'lapse', order }))
    try {
      const outcomes = await runLapses(commands, session)
      const failed = outcomes.find((outcome) => outcome instanceof Error)
      if (failed !== undefined) throw failed
      return outcomes.filter((outcome) => outcome !== undefined).length
    } finally {
      for (const order of free) in_flight.delete(order)
    }
  }

  return {
    async lapse(orders) {
      let ended = 0
      for (let at = 0; at < orders.length; at += batch_max) {
        running++
        const batch = last.then(() => runBatch(orders.slice(at, at + batch_max)))
        last = batch.catch(() => {})
        try {
          ended += await batch
        } finally {
          running--
          onEnded()
        }
      }
      return ended
    },
    isIdle: () => running === 0,
  }
}
