import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import type { Db } from '../platform/db/db.ts'
import { repeat } from '../platform/repeat.ts'
import type { Desk } from './commands.ts'
import { statements } from './orders-rows.ts'

export type LapseOptions = {
  readonly db: Db
  readonly desk: Pick<Desk, 'lapse'>
  readonly log: Logger
  readonly interval_ms: number
}

/** Orders found at a time. A look comes past the index entries of all that have just ended, so few looks are made. */
const ORDERS_PER_LOOK = 2000

/**
 * Ends unpaid orders whose lifetime is over, within about two intervals of their `expired_after`. Any number of processes
 * may run it: an order another one is ending, or a seller is changing, is passed over. `stop` waits for those it has found.
 */
export function startLapse({ db, desk, log, interval_ms }: LapseOptions): { stop(): Promise<void> } {
  async function lapseDue(stopping: AbortSignal): Promise<void> {
    for (;;) {
      const due = await db.query<{ id: string }>(statements.orders_to_lapse, [ORDERS_PER_LOOK])
      const ended = due.length === 0 ? 0 : await desk.lapse(startingAnywhere(due.map(({ id }) => id)))
      if (ended > 0) log.debug({ orders: ended }, 'unpaid orders lapsed')
      if (due.length < ORDERS_PER_LOOK || ended === 0 || stopping.aborted) return
    }
  }

  return repeat(lapseDue, {
    interval_ms,
    onError: (error) => log.error({ err: error }, 'lapsing orders failed'),
  })
}

/** Processes that have found the same orders begin at different ones, and meet the others' work late. */
function startingAnywhere(orders: readonly string[]): string[] {
  const start = randomInt(orders.length)
  return [...orders.slice(start), ...orders.slice(0, start)]
}
