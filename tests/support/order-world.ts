import { afterAll } from 'vitest'
import { verify } from '../../src/main/verify/verify.ts'
import { createClient, type Client, type OrderBody } from './client.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { importWorld, makeCatalog, type World } from './makers.ts'
import { startService } from './service.ts'

export type OrderWorld = World & {
  database: TestDatabase
  base_url: string
  /** The client that uses the key of this name. */
  client(name: string): Client
  /** Ids of the seats of `seats` in order of row and seat: row 1 is [0..9], row 2 is [10..19]. */
  seats: string[]
}

/**
 * A service of the file's own over the usual catalog. After the last test the store must be without a breach, whatever
 * the tests did. Unpaid orders do not lapse by themselves unless `parts` has `jobs`.
 */
export async function openOrderWorld(
  options: { document?: unknown; parts?: ('api' | 'jobs')[] } = {},
): Promise<OrderWorld> {
  const database = await createTestDatabase()
  const world = await importWorld(database, options.document ?? makeCatalog())
  const { base_url } = await startService({ database, parts: options.parts ?? ['api'] })
  afterAll(async () => {
    const breaches = await verify(database.db)
    if (breaches.length > 0) throw new Error(`the store is broken: ${JSON.stringify(breaches, null, 2)}`)
  })
  return {
    ...world,
    database,
    base_url,
    client: (name) => createClient(base_url, world.key(name)),
    seats: await seatsOf(database),
  }
}

async function seatsOf({ sql }: TestDatabase): Promise<string[]> {
  const rows = await sql('SELECT id FROM tickets WHERE sector IS NOT NULL ORDER BY row_pos, seat_pos, id')
  return rows.map((row) => String(row['id']))
}

/** How many tickets of each set an order's answer has, by the set's id. */
export function countsOf({ data }: OrderBody): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const ticket of data.tickets) counts[ticket.set] = (counts[ticket.set] ?? 0) + 1
  return counts
}

export function idsOf({ data }: OrderBody): string[] {
  return data.tickets.map((ticket) => ticket.id)
}
