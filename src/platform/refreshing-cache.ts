/**
 * Records by id, kept in memory and read again now and then. A record is served as it is while `fresh_ms` old, then
 * served once more while it is being read again, and waited for when it is older than `usable_ms`. Reads of one id are
 * never doubled; those asked for in one turn of the event loop are one call of `load`.
 */
import { isDeepStrictEqual } from 'node:util'

export type RefreshingCache<Value> = {
  /** The record, or undefined when there is none; rejects when it has to be read and cannot be. */
  get(id: string): Promise<Value | undefined>
  /** One record, or every one, is no longer to be trusted. What is being read now answers only those who asked before. */
  drop(id?: string): void
}

export type RefreshingCacheOptions<Value> = {
  /** Answers the records that exist; what is not there is not remembered. */
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  /** How many records are kept; the least recently used goes first. */
  max: number
  ages: () => { fresh_ms: number; usable_ms: number }
  /** A record could not be read again while an older one was served. */
  onRefreshError: (error: unknown) => void
}

/** A record that is read again and has not changed stays the same object, so that what is derived from it can be kept by it. */
export function createRefreshingCache<Value>(options: RefreshingCacheOptions<Value>): RefreshingCache<Value> {
  type Slot = { value?: Value | undefined; read_at: number; reading?: Promise<Value | undefined> | undefined }
  const slots = new Map<string, Slot>()
  let turn: { ids: string[]; values: Promise<ReadonlyMap<string, Value>> } | undefined

  function loadThisTurn(id: string): Promise<ReadonlyMap<string, Value>> {
    if (turn === undefined) {
      const ids: string[] = []
      const values = Promise.resolve().then(() => {
        turn = undefined
        return options.load(ids)
      })
      turn = { ids, values }
    }
    turn.ids.push(id)
    return turn.values
  }

  async function read(id: string, slot: Slot): Promise<Value | undefined> {
    const read_at = performance.now()
    try {
      const value = (await loadThisTurn(id)).get(id)
      if (!isDeepStrictEqual(slot.value, value)) slot.value = value
      slot.read_at = read_at
      return slot.value
    } finally {
      slot.reading = undefined
      if (slot.value === undefined && slots.get(id) === slot) slots.delete(id)
    }
  }

  function slotOf(id: string): Slot {
    const slot = slots.get(id) ?? { read_at: -Infinity }
    slots.delete(id)
    slots.set(id, slot)
    const [oldest = id] = slots.keys()
    if (slots.size > options.max) slots.delete(oldest)
    return slot
  }

  return {
    async get(id) {
      const slot = slotOf(id)
      const { fresh_ms, usable_ms } = options.ages()
      const age_ms = performance.now() - slot.read_at
      if (slot.value !== undefined && age_ms <= fresh_ms) return slot.value
      const usable = slot.value !== undefined && age_ms <= usable_ms
      if (slot.reading === undefined) {
        slot.reading = read(id, slot)
        if (usable) slot.reading.catch(options.onRefreshError)
      }
      return usable ? slot.value : slot.reading
    },
    drop(id) {
      for (const dropped of id === undefined ? slots.keys() : [id]) {
        const slot = slots.get(dropped)
        if (slot) slots.set(dropped, { value: slot.value, read_at: -Infinity })
      }
    },
  }
}
