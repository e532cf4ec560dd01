/**
 * Object ids: 24 lower-case hex digits, 12 bytes: 4 seconds since the epoch, 2 shard, 3 random per process,
 * 3 counter (contract, Type conventions). Every record that belongs to an event carries the shard of its event,
 * so that the id alone routes a statement to its partition.
 */
import { randomBytes, randomInt } from 'node:crypto'

const OBJECT_ID = /^[0-9a-f]{24}$/

/** Records that belong to no event (partners, venues, deals, keys) live in this shard. */
export const NO_SHARD = 0

const process_part = randomBytes(3).toString('hex')
let counter = randomInt(0x1000000)

export function isObjectId(value: unknown): value is string {
  return typeof value === 'string' && OBJECT_ID.test(value)
}

/**
 * A new id. `shard` is the signed 16-bit number of the column; `at` is epoch milliseconds.
 * Ids made by one process in one second are distinct up to 16.7 million of them.
 */
export function newId(shard: number, at: number): string {
  counter = (counter + 1) & 0xffffff
  const seconds = Math.floor(at / 1000)
    .toString(16)
    .padStart(8, '0')
  return (
    seconds +
    (shard & 0xffff).toString(16).padStart(4, '0') +
    process_part +
    counter.toString(16).padStart(6, '0')
  )
}

/** The shard inside an id, as the signed 16-bit number of a `smallint` column. */
export function shardOf(id: string): number {
  const unsigned = Number.parseInt(id.slice(8, 12), 16)
  return unsigned > 0x7fff ? unsigned - 0x10000 : unsigned
}

/** A record and the shard that it is looked for in. */
export type ShardKey = { readonly shard: number; readonly id: string }

/** The shards and the ids, a column each, as statements take them. */
export function keyColumns(keys: readonly ShardKey[]): [shards: number[], ids: string[]] {
  return [keys.map(({ shard }) => shard), keys.map(({ id }) => id)]
}

/** The records in the order of shards and ids, in which every transaction locks rows of one table. */
export function inLockOrder<Key extends ShardKey>(keys: readonly Key[]): Key[] {
  return keys.toSorted((a, b) => a.shard - b.shard || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

const SECONDS_MAX = 0xffffffff

/** What sorts before all ids of the second, and after all of the one before; seconds since the epoch, also infinite ones. */
export function firstIdOf(second: number): string {
  if (second > SECONDS_MAX) return 'g'
  return second <= 0 ? '' : second.toString(16).padStart(8, '0')
}

/** The time inside an id, epoch milliseconds (whole seconds). */
export function createdAt(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) * 1000
}
