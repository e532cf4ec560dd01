import type { Queryable } from '../platform/db/db.ts'
import type { Ticket } from './tickets.ts'

/** What is shown of a ticket beside its set. */
export type ShownTicket = Pick<Ticket, 'serial' | 'number' | 'seat'>

/** The vacant tickets of one set, as far as this process knows them. */
export type SetVacancy = {
  pick(count: number, beside: readonly string[]): string[]
  /** Picks this one; false: it is not known to be vacant. */
  take(id: string): boolean
  /** It is vacant. What is known of it stays as it is without `shown`. */
  add(id: string, shown?: ShownTicket): void
  /** It is not vacant. */
  remove(id: string): void
  /** Undefined when nothing is known of it; of a seat it is known whether it is vacant or not. */
  shownOf(id: string): ShownTicket | undefined
  /** Reads on until there are `count` or all that there are; undefined when nothing has to be waited for. */
  stock(db: Queryable, count: number): Promise<void> | undefined
  /** How many seats are known. */
  readonly seats: number
}
