import type { Queryable } from '../platform/db/db.ts'
import { statements } from './list-maps-rows.ts'
import { listableValues } from './listable.ts'
import type { Listable } from './listable.ts'
import { placeSeats } from './rules/place-seats.ts'
import type { LayoutRow, PlacedSeat } from './rules/place-seats.ts'

export type MapSector = {
  readonly id: string
  readonly name: string
  readonly with_seats: boolean
  /** Front to back; none without seats. */
  readonly rows: readonly LayoutRow[]
}

/** The scheme of a hall. */
export type HallMap = {
  readonly id: string
  readonly name: string
  readonly venue: string
  /** SVG documents by name. */
  readonly svg: Readonly<Record<string, string>>
  /** In the order of the scheme. */
  readonly sectors: readonly MapSector[]
}

export type ListMapsOptions = Listable & {
  /** The only maps listed; undefined: any. */
  readonly ids: readonly string[] | undefined
  /** Maps of this venue; undefined: of any. */
  readonly venue: string | undefined
}

/** The maps of the events that may be listed, in the order of their ids. One is read when it is asked for. */
export async function* listMaps(
  db: Queryable,
  { ids, venue, ...listable }: ListMapsOptions,
): AsyncGenerator<HallMap, void, undefined> {
  const values = [...listableValues(listable), ids, venue]
  const listed = await db.query<{ id: string }>(statements.list_maps, values)
  for (const { id } of listed) yield* await db.query<HallMap>(statements.load_map, [id])
}

/** The seats of a map with the ids of their sectors, sector by sector, front to back. */
export function* seatsOfMap({
  sectors,
}: HallMap): Generator<PlacedSeat & { sector: string }, void, undefined> {
  for (const { id, rows } of sectors) {
    for (const row of rows) for (const seat of placeSeats(row)) yield { sector: id, ...seat }
  }
}
