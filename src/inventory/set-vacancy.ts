import type { Queryable } from '../platform/db/db.ts'
import type { Ticket } from './tickets.ts'

/** What else is shown of a place without a seat. */
export type TicketNumber = Pick<Ticket, 'serial' | 'number'>

/** The vacant tickets of one set, as far as this process knows them. */
export type SetVacancy = {
  pick(count: number, beside: readonly string[]): string[]
  /** What is known of it stays as it is without `shown`. */
  add(id: string, shown?: TicketNumber): void
  /** What is known of a ticket that was picked; undefined: nothing. */
  numberOf(id: string): TicketNumber | undefined
  /** Whether it was there. */
  remove(id: string): boolean
  /** Reads on until there are `count` or all that there are; undefined when nothing has to be waited for. */
  stock(db: Queryable, count: number): Promise<void> | undefined
}
