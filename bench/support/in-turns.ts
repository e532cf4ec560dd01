/**
 * Two loads that take turns of some seconds, each on its own or both on one service. The machine's speed changes from one minute to
 * the next by more than the targets leave room for; two turns that follow one another tell what one load is of the other.
 */
import { median } from './percentiles.ts'
import { number, orderRate } from './rows.ts'
import { together, type Measured } from './rush.ts'

/** For so many seconds, of a service that is warm. */
export type Load = (seconds: number) => Promise<Measured>

export type Turns = {
  /** All its turns together. */
  readonly first: Measured
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
  const turns: [Measured[], Measured[]] = [[], []]
  const pairs = Math.max(1, Math.round(seconds / TURN_S))
  for (let pair = 0; pair < pairs; pair++)
    // Who goes first takes turns as well.
    for (const nth of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      turns[nth].push(await loads[nth](Math.min(TURN_S, seconds)))
  const [all_first, all_second] = [together(turns[0]), together(turns[1])]
  return {
    first: all_first,
    second: all_second,
    share: median(turns[1].map((turn, nth) => orderRate(turn) / orderRate(turns[0][nth]!))),
    note: `${first} in turns with it: ${number(orderRate(all_first))} a second; the median of ${pairs} pairs of turns counts`,
  }
}
