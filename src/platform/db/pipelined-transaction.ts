import pg from 'pg'
import type { Queryable } from './db.ts'
import { arrayText } from './array-text.ts'
import type { Statement } from './sql-file.ts'

type Column = { readonly name: string; readonly parse: (text: string) => unknown }

/** The columns of the statements that are known to be prepared on a connection, by the names of the statements. */
export type Prepared = Map<string, readonly Column[]>

type Sent = Statement & {
  readonly values: readonly (string | null)[]
  columns: readonly Column[]
  readonly rows: (readonly (string | null)[])[]
  /** What the server says has been done, with the number of rows at its end. */
  done: string
}

/** What the driver's connection has and its types do not tell, or not as it is. */
type Wire = {
  readonly stream: { cork(): void; uncork(): void }
  close(statement: { type: 'S'; name: string }): void
  parse(statement: Statement): void
  bind(portal: {
    statement: string
    values: readonly unknown[]
    valueMapper: (value: unknown) => unknown
  }): void
  describe(portal: { type: 'P'; name: '' }): void
  execute(portal: undefined): void
  sync(): void
}

/**
 * Statements that are a transaction because there is one Sync behind all of them: PostgreSQL takes what comes before a Sync for one
 * transaction, which it commits there; when one fails it skips the others and rolls back. It answers all in one packet, where
 * statements of the driver's own are told one by one. The first time on a connection they are prepared and describe what
 * they return, later they are only executed.
 */
export class PipelinedTransaction extends pg.Query {
  /** Resolves when the transaction is committed. */
  readonly committed: Promise<void>
  /** Answers nothing before the transaction is committed. */
  readonly statements: Queryable
  /** The driver's, which ends the time limit of an answer. */
  callback: ((error?: Error) => void) | undefined
  readonly #client: pg.Client
  readonly #prepared: Prepared
  readonly #sent: Sent[] = []
  /** How many of them are answered. */
  #answered = 0
  #is_sent = false
  #settle!: { resolve(): void; reject(error: Error): void }

  constructor(client: pg.Client, prepared: Prepared) {
    super({ text: '' })
    this.#client = client
    this.#prepared = prepared
    this.committed = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.committed.catch(() => {})
    this.statements = {
      query: async <Row extends object>(statement: Statement, values: unknown[] = []) => {
        const sent = this.#add(statement, values)
        await this.committed
        return rowsOf(sent) as Row[]
      },
      execute: async (statement, values = []) => {
        const sent = this.#add(statement, values)
        await this.committed
        return Number(/\d+$/.exec(sent.done)?.[0] ?? 0)
      },
    }
  }

  /** Throws when a value cannot be sent, or nothing more can. */
  #add({ name, text }: Statement, values: readonly unknown[]): Sent {
    if (this.#is_sent) throw new Error('a statement came after its transaction was sent')
    const sent: Sent = { name, text, values: values.map(valueText), columns: [], rows: [], done: '' }
    this.#sent.push(sent)
    return sent
  }

  override submit = (connection: pg.Connection): null => {
    const wire = connection as unknown as Wire
    this.#is_sent = true
    wire.stream.cork()
    for (const sent of this.#sent) {
      const { name, text, values } = sent
      const columns = this.#prepared.get(name)
      if (columns === undefined) {
        // An earlier transaction may have prepared it and failed.
        wire.close({ type: 'S', name })
        wire.parse({ name, text })
      } else sent.columns = columns
      wire.bind({ statement: name, values, valueMapper: (value) => value })
      if (columns === undefined) wire.describe({ type: 'P', name: '' })
      wire.execute(undefined)
    }
    wire.sync()
    wire.stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#current().columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text') as Column['parse'],
    }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#current().rows.push(fields)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const sent = this.#current()
    sent.done = text
    if (sent.name !== '') this.#prepared.set(sent.name, sent.columns)
    this.#answered++
  }

  /** The server tells of a failure before it rolls back; the locks are gone when it is ready again, or the connection is lost. */
  handleError(error: Error, connection: pg.Connection): void {
    const fail = () => {
      connection.off('readyForQuery', fail)
      connection.off('end', fail)
      this.callback?.(error)
      this.#settle.reject(error)
    }
    if (!(error instanceof pg.DatabaseError)) return fail()
    // It may have failed because the server has it no more, or not as it was.
    const failed = this.#sent[this.#answered]
    if (failed !== undefined) this.#prepared.delete(failed.name)
    connection.on('readyForQuery', fail)
    connection.on('end', fail)
  }

  handleReadyForQuery(): void {
    this.callback?.()
    this.#settle.resolve()
  }

  #current(): Sent {
    return this.#sent[this.#answered] as Sent
  }
}

/** What cannot be parsed, such as a number that is too large, fails who asked for it. */
function rowsOf({ columns, rows }: Sent): object[] {
  return rows.map((fields) => {
    const row: Record<string, unknown> = {}
    for (const [index, { name, parse }] of columns.entries()) {
      const text = fields[index] ?? null
      row[name] = text === null ? null : parse(text)
    }
    return row
  })
}

function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return arrayText(value)
  throw new TypeError(`a parameter cannot be a ${typeof value}`)
}
