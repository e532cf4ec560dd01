import { shardOf } from '../../src/kernel/ids.ts'
import type { TestDatabase } from './database.ts'
import { importWorld, makeCatalog, makeEvent, makeSet } from './makers.ts'

/** What an event has to sell: `ids` are in order of row and seat, or of number. */
export type Stock = {
  event: string
  shard: number
  standing: { set: string; ids: string[] }
  seats: { set: string; ids: string[] }
}

/** An event of the test's own: so many places without seats, and 3 rows of 10 seats. */
export async function importStock(database: TestDatabase, ref: string, amount: number): Promise<Stock> {
  const seated = { ref: `${ref}_seats`, name: 'Seats', price: '500.00', with_seats: true, sector: 'hall' }
  const event = makeEvent(ref, { map: 'map', sets: [makeSet(`${ref}_standing`, { amount }), seated] })
  const { id } = await importWorld(
    database,
    makeCatalog({ events: [event], deals: [], accounts: [], keys: [] }),
  )
  const stockOf = async (set: string) => {
    const rows = await database.sql(
      'SELECT id FROM tickets WHERE "set" = $1 ORDER BY row_pos, seat_pos, number',
      [set],
    )
    return { set, ids: rows.map((row) => String(row['id'])) }
  }
  return {
    event: id(ref),
    shard: shardOf(id(ref)),
    standing: await stockOf(id(`${ref}_standing`)),
    seats: await stockOf(id(`${ref}_seats`)),
  }
}

/** Makes those of the tickets vacant that are reserved, behind the back of every process. */
export async function releaseHeld(
  { sql }: TestDatabase,
  { shard }: Stock,
  ids: readonly string[],
): Promise<void> {
  await sql(
    `WITH released AS (
       UPDATE tickets SET status = 'vacant', "order" = NULL, reserved_till = NULL,
         price = NULL, discount = NULL, nominal = NULL, extra = NULL
       WHERE shard = $1 AND id = ANY($2::text[]) AND status = 'reserved'
       RETURNING "set"),
     counted AS (SELECT "set", count(*)::integer AS n FROM released GROUP BY 1)
     UPDATE set_counts c SET vacant = vacant + n, held = held - n
     FROM counted WHERE c.shard = $1 AND c."set" = counted."set"`,
    [shard, ids],
  )
}

/** Has an order that nobody made reserve those of the tickets that are vacant, behind the back of every process. */
export async function reserveForNobody(
  { sql }: TestDatabase,
  { shard }: Stock,
  ids: readonly string[],
): Promise<void> {
  await sql(
    `WITH reserved AS (
       UPDATE tickets SET status = 'reserved', "order" = $3, reserved_till = now(),
         price = 1, discount = 0, nominal = 1, extra = 0
       WHERE shard = $1 AND id = ANY($2::text[]) AND status = 'vacant'
       RETURNING "set"),
     counted AS (SELECT "set", count(*)::integer AS n FROM reserved GROUP BY 1)
     UPDATE set_counts c SET vacant = vacant - n, held = held + n
     FROM counted WHERE c.shard = $1 AND c."set" = counted."set"`,
    [shard, ids, '0'.repeat(24)],
  )
}
