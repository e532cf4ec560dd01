import type { Queryable } from '../platform/db/db.ts'

/** The vacant tickets of one set, as far as this process knows them. */
export type SetVacancy = {
  pick(count: number, beside: readonly string[]): string[]
  add(id: string): void
  /** Whether it was there. */
  remove(id: string): boolean
  /** Reads on until there are `count` or all that there are; undefined when nothing has to be waited for. */
  stock(db: Queryable, count: number): Promise<void> | undefined
}
