/**
 * Where the seats of a row are on the scheme of a hall (contract, The catalog file: `x`, `y`, `step` of a row; The gRPC listing
 * service: Point). The first seat is centred on x, y and each next one `step` further along x; a negative step numbers a row
 * from its right end. Points are whole, each rounded by itself so that the error does not add up along a row. A row without x
 * or y has no points, and of a row without a step only the first seat has one, of no known radius; nor has a seat one that is
 * beyond 32 bits. The contract does not say how large a seat is: its radius is two fifths of the step, so that neighbours do
 * not touch, and 1 at least.
 */

/** A row of a sector, as `sectors.rows` holds it front to back. */
export type LayoutRow = {
  readonly row: string
  readonly seats: readonly string[]
  readonly x?: number
  readonly y?: number
  readonly step?: number
}

/** Centre and radius, in the units of the scheme; `r` is 0 when it is not known. */
export type Point = { readonly x: number; readonly y: number; readonly r: number }

export type PlacedSeat = {
  readonly row: string
  readonly number: string
  readonly point: Point | undefined
}

const RADIUS_OF_STEP = 0.4
const COORDINATE_MAX = 2 ** 31 - 1

/** The seats of a row, in its order. */
export function* placeSeats(row: LayoutRow): Generator<PlacedSeat, void, undefined> {
  for (const [index, number] of row.seats.entries())
    yield { row: row.row, number, point: pointOf(row, index) }
}

function pointOf({ x, y, step }: LayoutRow, index: number): Point | undefined {
  if (x === undefined || y === undefined || (step === undefined && index > 0)) return undefined
  const point = {
    x: Math.round(x + index * (step ?? 0)),
    y: Math.round(y),
    r: step === undefined ? 0 : Math.max(1, Math.round(RADIUS_OF_STEP * Math.abs(step))),
  }
  return Object.values(point).every((value) => Math.abs(value) <= COORDINATE_MAX) ? point : undefined
}
