import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `condition` answers something truthy and returns it; fails after `timeout_ms`. */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  { timeout_ms = 5000, every_ms = 20 } = {},
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeout_ms
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > deadline) throw new Error(`not within ${timeout_ms} ms: ${condition.toString()}`)
    await sleep(every_ms)
  }
}
