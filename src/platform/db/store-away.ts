import { StoreTooSlow } from './time-limit.ts'

/**
 * SQLSTATEs of a server that cannot serve for now: connection exceptions, insufficient resources (too many connections, no
 * memory, disk full), shutting down or starting, a statement or a wait for a lock stopped by its timeout.
 */
const AWAY_STATES = /^(?:08...|53...|57P0[1-5]|57014|55P03)$/

const AWAY_SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])

/** pg gives these errors no code: a connection that ended, one that took too long, an answer that did, a pool with none to spare. */
const AWAY_MESSAGES =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Whether an error of a statement or a connection means that the database is away, so that trying later can help. */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof StoreTooSlow) return true
  const { code } = error as Error & { code?: unknown }
  if (typeof code !== 'string') return AWAY_MESSAGES.test(error.message)
  return AWAY_STATES.test(code) || AWAY_SOCKET_CODES.has(code)
}
