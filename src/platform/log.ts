import { pino, stdSerializers, type Logger } from 'pino'

export type Log = Logger
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Structured logs on stderr, a line of JSON each. What is logged holds no keys and no personal data. */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    // Written at once: the last lines before an exit are those that matter.
    { write: (line: string) => void process.stderr.write(line) },
  )
}

/** PostgreSQL quotes the row in `detail` and `where`: these are left out, as is whatever else an error carries. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = stdSerializers.err(error)
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown }
  return { type, message, code, constraint, stack }
}
