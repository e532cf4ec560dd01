/**
 * Two loads that take turns of some seconds, each on its own service or both on one. The machine's speed changes from one minute to
 * the next by more than the targets leave room for; two turns that follow one another tell what one load is of the other.
 */
import { median } from './percentiles.ts'
import { number, orderRate } from './rows.ts'
import { sumErrors, together, type Measured } from './rush.ts'

export type Load = {
  /** Before the first turn. */
  warmUp(): Promise<Measured>
  sell(seconds: number): Promise<Measured>
}

export type Turns = {
  /** All turns of the second load together, with what went wrong in any turn or warm-up of both. */
  readonly second: Measured
  /** Orders a second of the second load as a share of the first's: the median of the pairs. */
  readonly share: number
  /** How the share came about. */
  readonly note: string
}

const TURN_S = 2

/** `seconds` for each; the first is named in the note. */
export async function inTurns(
  loads: readonly [first: Load, second: Load],
  { seconds, first }: { seconds: number; first: string },
): Promise<Turns> {
  const sides = loads.map((load) => ({ load, turns: [] as Measured[] })) as [Side, Side]
  const warmups: Measured[] = []
  for (const load of loads) warmups.push(await load.warmUp())
  const pairs = Math.max(1, Math.round(seconds / TURN_S))
  for (let pair = 0; pair < pairs; pair++)
    for (const { load, turns } of inOrderOfPair(sides, pair))
      turns.push(await load.sell(Math.min(TURN_S, seconds)))
  const [one, other] = sides.map(({ turns }) => turns) as [Measured[], Measured[]]
  return {
    second: { ...together(other), errors: sumErrors([...warmups, ...one, ...other]) },
    share: median(other.map((turn, nth) => orderRate(turn) / orderRate(one[nth]!))),
    note: `${first} in turns with it: ${number(orderRate(together(one)))} a second; the median of ${pairs} pairs of turns counts`,
  }
}

type Side = { load: Load; turns: Measured[] }

/** Who goes first takes turns as well. */
export function inOrderOfPair<Each>(sides: readonly Each[], pair: number): readonly Each[] {
  return pair % 2 === 0 ? sides : sides.toReversed()
}
