/**
 * The ends of unpaid orders, in batches of their own beside those of the requests: they ask, and a batch of requests that has one in
 * it would have to ask for all. They have connections of their own, for all lanes: while the database works for one batch the
 * service reads and settles the other.
 */
import type { Session } from '../platform/db/session.ts'
import { isStoreAway } from '../platform/db/store-away.ts'
import type { Outcome } from './batch-steps.ts'
import type { LapseOrder } from './commands.ts'
import type { RunLapses } from './run-batch.ts'

export type DeskLapses = {
  /** As `Desk` has it. */
  lapse(orders: readonly string[]): Promise<number>
  isIdle(): boolean
}

export type DeskLapsesOptions = {
  /** Each has one batch at a time. */
  readonly sessions: readonly Session[]
  readonly runLapses: RunLapses
  /** The orders of the batches in flight, of requests and of lapses: each is in one of them only. */
  readonly in_flight: Set<string>
  /** Orders in a batch at most. */
  readonly batch_max: number
  /** Called when a batch has ended: requests may have waited for its orders. */
  readonly onEnded: () => void
}

export function createDeskLapses(options: DeskLapsesOptions): DeskLapses {
  const { sessions, runLapses, in_flight, batch_max, onEnded } = options
  /** The calls that are not over, and the end of the last of them: they go one after the other. */
  let running = 0
  let last: Promise<unknown> = Promise.resolve()

  async function lapseBatch(orders: readonly string[], session: Session): Promise<readonly Outcome[]> {
    const free = orders.filter((order) => !in_flight.has(order))
    if (free.length === 0) return []
    for (const order of free) in_flight.add(order)
    const commands = free.map((order): LapseOrder => ({ kind: 'lapse', order }))
    const outcomes = await runLapses(commands, session)
    for (const order of free) in_flight.delete(order)
    onEnded()
    return outcomes
  }

  /** An order that cannot be ended keeps no others from it; it is told of when they are. */
  async function lapseAll(orders: readonly string[]): Promise<number> {
    const batches: string[][] = []
    for (let at = 0; at < orders.length; at += batch_max) batches.push(orders.slice(at, at + batch_max))
    const outcomes: Outcome[] = []
    const works = sessions.map(async (session) => {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        const more = await lapseBatch(batch, session)
        outcomes.push(...more)
        if (more.some(isStoreAway)) return
      }
    })
    await Promise.all(works)
    const failed = outcomes.find((outcome) => outcome instanceof Error)
    if (failed !== undefined) throw failed
    return outcomes.filter((outcome) => outcome !== undefined).length
  }

  return {
    async lapse(orders) {
      running++
      const lapsing = last.then(() => lapseAll(orders))
      last = lapsing.catch(() => {})
      try {
        return await lapsing
      } finally {
        running--
        onEnded()
      }
    },
    isIdle: () => running === 0,
  }
}
