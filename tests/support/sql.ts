import { Client } from 'pg'

/** Runs one statement on a connection of its own. */
export async function runSql(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** The URL of another database of the same server. The host may be empty (a socket), which URL does not parse. */
export function urlOfDatabase(url: string, name: string): string {
  const match = /^(\w+:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(url)
  if (!match) throw new Error('the URL of the test server is not one of a database')
  return `${match[1]}/${name}${match[2] ?? ''}`
}
