/**
 * What waits in a lane of the desk, in order of arrival. How many may wait is bounded, and for how long: when the database
 * is slower than what is asked of it, a request is refused while the client still waits for it, and before there is work
 * that nobody waits for any more. What was not begun has not happened, so to refuse it is safe at any time.
 */
import type { OrderRequest, OrderResult } from './commands.ts'
import { orderError } from './order-errors.ts'

export type Waiting = {
  readonly command: OrderRequest
  /** Of the clock that is never set back, milliseconds. */
  readonly since: number
  resolve(outcome: OrderResult): void
  reject(error: unknown): void
}

export type DeskQueue = {
  size(): number
  /** Puts it last, or rejects it with `desk_full`. */
  push(waiting: Waiting): void
  /**
   * Takes the first commands, at most `max`, each order once; one for an order that is in it already, or in `orders`, stays. When
   * there are enough that are alike to the first one (`ALIKE_MIN`), the others stay too.
   */
  take(max: number, orders: ReadonlySet<string>): Waiting[]
}

export type DeskQueueOptions = {
  /** Commands that wait at most. */
  readonly queue_max: number
  /**
   * Milliseconds that a command waits at most. While the first has waited for half of them none is let in behind it: that
   * those who are let in have time to be served.
   */
  readonly wait_max_ms: number
}

/**
 * New orders, completions and other changes are written by statements of their own, which cost more for being sent than for a row
 * more. So many alike make a batch; their buyers come again together, alike once more.
 */
const ALIKE_MIN = 8

export function createDeskQueue({ queue_max, wait_max_ms }: DeskQueueOptions): DeskQueue {
  let queue: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  function mayEnter({ since }: Waiting): boolean {
    if (queue.length >= queue_max) return false
    const first = queue[0]
    return first === undefined || since - first.since < wait_max_ms / 2
  }

  function refuseOverdue(): void {
    timer = undefined
    const at = performance.now()
    const overdue = queue.filter(({ since }) => at - since >= wait_max_ms)
    if (overdue.length > 0) {
      const refused = new Set(overdue)
      queue = queue.filter((one) => !refused.has(one))
      for (const { reject } of overdue) reject(orderError('desk_full'))
    }
    watch(at)
  }

  /** One timer for all: it is set for the first, and set again when that was served in time. */
  function watch(at: number): void {
    const first = queue[0]
    if (first === undefined || timer !== undefined) return
    timer = setTimeout(refuseOverdue, Math.ceil(first.since + wait_max_ms - at)).unref()
  }

  return {
    size: () => queue.length,
    push(waiting) {
      if (!mayEnter(waiting)) return waiting.reject(orderError('desk_full'))
      queue.push(waiting)
      watch(waiting.since)
    },
    take(max, in_flight) {
      const orders = new Set<string>()
      const batch: Waiting[] = []
      const later: Waiting[] = []
      const isWanted = wantedOf(queue)
      let at = 0
      for (; at < queue.length && batch.length < max; at++) {
        const waiting = queue[at] as Waiting
        const order = orderOf(waiting.command)
        const is_busy = order !== undefined && (orders.has(order) || in_flight.has(order))
        if (is_busy || !isWanted(waiting)) later.push(waiting)
        else {
          if (order !== undefined) orders.add(order)
          batch.push(waiting)
        }
      }
      queue = [...later, ...queue.slice(at)]
      return batch
    },
  }
}

/** Whether it is alike to the first one, when there are enough that are; else all are wanted. */
function wantedOf(queue: readonly Waiting[]): (waiting: Waiting) => boolean {
  const [first] = queue
  if (first === undefined) return () => true
  const isAlike = ({ command: { kind, status } }: Waiting) =>
    kind === first.command.kind && (status === 'done') === (first.command.status === 'done')
  return queue.filter(isAlike).length < ALIKE_MIN ? () => true : isAlike
}

/** The order that a command is for; undefined for a new one. */
export function orderOf(command: OrderRequest): string | undefined {
  return command.kind === 'create' ? undefined : command.order
}
