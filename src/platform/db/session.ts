import type pg from 'pg'
import { queryable } from './db.ts'
import type { Db, Queryable } from './db.ts'

/** What a transaction answers, and the statements it has sent and not yet waited for. */
export type Work<T> = { result: T; sent: readonly Promise<unknown>[] }

/**
 * A connection of its own for one transaction after the other, with statements pipelined: those sent without waiting
 * travel together, BEGIN with the first of them.
 */
export type Session = {
  /**
   * Commits when `work` returns and all it sent succeeded, else rolls back and throws the first error. When the
   * connection is lost while committing, the outcome is unknown to the caller, as it is to everybody.
   */
  transaction<T>(work: (tx: Queryable) => Promise<Work<T>>): Promise<T>
  close(): Promise<void>
}

/** `settings` are run-time parameters of the connection, which is made when it is first needed, and again when it broke. */
export function createSession(db: Db, options: { name: string; settings: Record<string, string> }): Session {
  let connection: pg.Client | undefined

  async function connected(): Promise<pg.Client> {
    if (connection !== undefined) return connection
    const client = await db.connect({ ...options, pipeline: true })
    client.on('end', () => {
      if (connection === client) connection = undefined
    })
    connection = client
    return client
  }

  return {
    async transaction(work) {
      const client = await connected()
      const begun = client.query('BEGIN')
      begun.catch(() => {})
      try {
        const { result, sent } = await work(queryable(client))
        // COMMIT does not travel with them: what was sent may be judged by how many rows it changed.
        for (const outcome of await Promise.allSettled([begun, ...sent]))
          if (outcome.status === 'rejected') throw outcome.reason
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {
          if (connection === client) connection = undefined
          client.end().catch(() => {})
        })
        throw error
      }
    },
    async close() {
      await connection?.end()
    },
  }
}
