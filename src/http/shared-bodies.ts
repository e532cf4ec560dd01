import { hash } from 'node:crypto'
import { createSharedRead, FRESH_MS } from '../platform/shared-read.ts'
import type { Reading, SharedRead } from '../platform/shared-read.ts'
import { createEncodedBody } from './encoded-body.ts'
import type { EncodedBody } from './encoded-body.ts'

type SharedBody = EncodedBody & Reading

export type SharedBodies = {
  /**
   * The body that answers what `question` (JSON) says, which is all that it depends on but for the moment: who asks, too. What
   * `write` answers is shared as platform/shared-read.ts has it.
   */
  of(question: unknown, write: () => Promise<Buffer>): Promise<EncodedBody>
  /** How much memory the bodies take that are kept. */
  bytes(): number
}

/** Sixty pages of 200 events with ten sets each: more than two cores can write while they are fresh. */
const BYTES_MAX = 64 * 1024 * 1024
/** Of how many questions it is known how often they are asked: a third of a megabyte. */
const QUESTIONS_MAX = 1000

/** Bodies for all who ask the same at about the same time. Beyond `bytes_max` those unused for longest are dropped. */
export function createSharedBodies({ bytes_max = BYTES_MAX } = {}): SharedBodies {
  const slots = new Map<string, SharedRead<SharedBody>>()

  function slotOf(key: string): SharedRead<SharedBody> {
    const slot = slots.get(key) ?? createSharedRead<SharedBody>()
    slots.delete(key)
    slots.set(key, slot)
    const [oldest] = slots
    if (oldest !== undefined && slots.size > QUESTIONS_MAX) {
      oldest[1].forget()
      slots.delete(oldest[0])
    }
    return slot
  }

  function bytes(): number {
    let sum = 0
    for (const slot of slots.values()) sum += bytesOf(slot)
    return sum
  }

  function dropUnused(): void {
    let left = bytes()
    for (const slot of slots.values()) {
      if (left <= bytes_max) return
      left -= bytesOf(slot)
      slot.forget()
    }
  }

  async function read(write: () => Promise<Buffer>): Promise<SharedBody> {
    const fresh_until = performance.now() + FRESH_MS
    const body = createEncodedBody(await write())
    return { ...body, fresh_until }
  }

  return {
    async of(question, write) {
      // Filters and the events of a key may be long.
      const slot = slotOf(hash('sha256', JSON.stringify(question)))
      let is_new = false
      const body = await slot.get(() => {
        is_new = true
        return read(write)
      })
      if (is_new) dropUnused()
      return body
    },
    bytes,
  }
}

function bytesOf(slot: SharedRead<SharedBody>): number {
  return slot.kept()?.bytes() ?? 0
}
