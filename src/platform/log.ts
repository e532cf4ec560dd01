import { pino, stdSerializers, type Logger } from 'pino'

export type Log = Logger
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Structured logs on stderr, a line of JSON each. No keys and no personal data: a request is its method and path
 * without the query, and of a database error the row it quotes in `detail` is left out.
 */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, req: describeRequest, res: describeAnswer },
      redact: ['headers.authorization', '*.headers.authorization', 'authorization', 'key'],
    },
    // Written at once: the last lines before an exit are those that matter.
    { write: (line: string) => void process.stderr.write(line) },
  )
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = stdSerializers.err(error)
  const { code, constraint, cause } = error as Error & { code?: unknown; constraint?: unknown }
  return {
    type,
    message,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(cause instanceof Error ? { cause: cause.message } : {}),
    stack,
  }
}

function describeRequest(request: { method?: string; url?: string }): object {
  return { method: request.method, path: request.url?.split('?', 1)[0] }
}

function describeAnswer(answer: { statusCode?: number }): object {
  return { status: answer.statusCode }
}
