import pg from 'pg'

/** Does `work` on a connection of its own. */
export async function withConnection<T>(
  database_url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The rows of one statement. */
export function queryOnce<Row extends object>(
  database_url: string,
  statement: { text: string; values?: readonly unknown[] },
): Promise<Row[]> {
  return withConnection(database_url, async (client) => {
    const { rows } = await client.query<Row>(statement.text, [...(statement.values ?? [])])
    return rows
  })
}
