/** What planning an event's parts needs of the event, and what it makes beside rows. */
import type { Sector } from './planning.ts'
import type { TicketPlan } from './tickets.ts'

/** An event while it is planned. */
export type EventPlan = {
  readonly id: string
  readonly shard: number
  readonly path: string
  readonly serial: string
  readonly is_new: boolean
  /** The sectors of its map. */
  readonly sectors: readonly Sector[]
}

export type EventsPlan = {
  readonly tickets: TicketPlan[]
  /** Rules and promotions that are no longer listed. */
  readonly deleted: { table: 'rules' | 'promotions'; event: string; shard: number; ids: string[] }[]
  /** Promokeys that are to open other sets than before. */
  readonly moved_keys: { path: string; shard: number; id: string }[]
}
