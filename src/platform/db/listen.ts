import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5000

export type Listener = {
  /** False while the connection is away: notifications are being missed. */
  isListening(): boolean
  close(): Promise<void>
}

export type ListenOptions = {
  db: Db
  /** A lower-case identifier. */
  channel: string
  onNotify: (payload: string) => void
  /** Listening begins, again after a break: what was notified before is not known. */
  onListening: () => void
  log?: Log | undefined
}

/** Listens for `NOTIFY channel` on a connection of its own, which comes back by itself, until it is closed. */
export function listen({ db, channel, onNotify, onListening, log }: ListenOptions): Listener {
  const closing = new AbortController()
  let listening = false

  async function listenOnce(): Promise<void> {
    const client = await db.connect({ name: `listen ${channel}` })
    const end = () => client.end()
    const ended = new Promise((resolve) => client.once('end', resolve))
    try {
      closing.signal.throwIfAborted()
      closing.signal.addEventListener('abort', end)
      client.on('notification', (message) => onNotify(message.payload ?? ''))
      await client.query(`LISTEN ${channel}`)
      listening = true
      onListening()
      await ended
    } finally {
      listening = false
      closing.signal.removeEventListener('abort', end)
      await end()
    }
  }

  async function keepListening(): Promise<void> {
    let wait_ms = FIRST_WAIT_MS
    while (!closing.signal.aborted) {
      try {
        await listenOnce()
        wait_ms = FIRST_WAIT_MS
      } catch (error) {
        if (!closing.signal.aborted) log?.warn({ err: error, channel }, 'cannot listen')
      }
      await sleep(wait_ms, undefined, { signal: closing.signal }).catch(() => {})
      wait_ms = Math.min(2 * wait_ms, LONGEST_WAIT_MS)
    }
  }

  const done = keepListening()
  return {
    isListening: () => listening,
    close: () => {
      closing.abort()
      return done
    },
  }
}
