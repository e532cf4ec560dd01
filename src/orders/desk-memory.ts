/**
 * What a process remembers of the database from one batch to the next: the orders it saved last, the accounts it charged, what
 * time it is there, and numbers for new orders that it has drawn and not given out. With what it knows of vacant tickets
 * (inventory/vacancy.ts) that is enough to write most batches without asking first (optimistic-batch.ts). All of it is a hint but
 * the numbers, which nobody else has; those that are left at the end are given to no order.
 */
import type { KnownAccounts } from '../partners/ledger.ts'
import { createRecentOrders } from './recent-orders.ts'
import type { RecentOrders } from './recent-orders.ts'

export type DeskMemory = {
  readonly recent: RecentOrders
  readonly accounts: KnownAccounts
  /** The database's clock, epoch milliseconds, as it must be by now; undefined when it was read too long ago. */
  now(): number | undefined
  /** So many numbers for new orders; undefined when there are not so many. */
  takeNumbers(count: number): number[] | undefined
  /**
   * They were drawn by a transaction that has committed, or taken here and not used. Not those of another one: after a crash the
   * database may give out again what was drawn in a transaction that it has forgotten.
   */
  addNumbers(numbers: readonly number[]): void
  /** How many numbers to draw with a batch of so many new orders, for those that come after it. */
  numbersWanted(creates: number): number
  /** The database's clock, epoch milliseconds, as it was read just now. */
  noteClock(now: number): void
}

/** About a kilobyte each. */
const RECENT_ORDERS_MAX = 10_000

/** By then two clocks are some milliseconds apart. */
const CLOCK_KEPT_MS = 10_000

/** Enough for the batches that begin before this one is answered. */
const NUMBERS_OF_BATCHES = 4
const NUMBERS_MIN = 64

export function createDeskMemory(): DeskMemory {
  const numbers: number[] = []
  let clock: { now: number; read_at: number } | undefined

  return {
    recent: createRecentOrders({ orders_max: RECENT_ORDERS_MAX }),
    accounts: new Map(),
    now() {
      if (clock === undefined) return undefined
      const age_ms = performance.now() - clock.read_at
      return age_ms > CLOCK_KEPT_MS ? undefined : Math.floor(clock.now + age_ms)
    },
    takeNumbers: (count) => (numbers.length < count ? undefined : numbers.splice(0, count)),
    addNumbers: (more) => void numbers.push(...more),
    numbersWanted: (creates) =>
      Math.max(0, Math.max(NUMBERS_MIN, creates * NUMBERS_OF_BATCHES) - numbers.length),
    noteClock(now) {
      clock = { now, read_at: performance.now() }
    },
  }
}
