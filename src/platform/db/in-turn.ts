import type { Queryable } from './db.ts'

/**
 * The same statements, each sent when the one before has been answered: for code that sends several at once, on a
 * connection of the pool, which takes one at a time.
 */
export function inTurn(tx: Queryable): Queryable {
  let last: Promise<unknown> = Promise.resolve()
  function next<T>(send: () => Promise<T>): Promise<T> {
    const sent = last.then(send)
    last = sent.catch(() => {})
    return sent
  }
  return {
    query: (statement, values) => next(() => tx.query(statement, values)),
    execute: (statement, values) => next(() => tx.execute(statement, values)),
  }
}
