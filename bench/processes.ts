/**
 * The hot event on several processes of the service that share a database, the load spread over them. They and one process take turns
 * of some seconds: the machine's speed changes from one minute to the next by more than the target leaves room for.
 */
import { buyHotEvent, openHotEvent } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import type { Sale } from './support/catalog.ts'
import { median } from './support/percentiles.ts'
import { atLeast, number, orderRate, rowOf, type Row } from './support/rows.ts'
import { together, type Measured } from './support/rush.ts'
import type { Target } from './support/service.ts'

const PROCESSES = [2, 4]

const TURN_S = 2

/** Of each process, before the first turn: code that has run little is slow, and costs several times the CPU. */
const WARMUP_VISITS = 10_000
const WARMUP_VISITS_QUICK = 50

export const processes: Scenario = {
  name: 'processes',
  summary: 'the hot event on two and on four processes of the service that share a database',
  needs_own_services: true,
  run,
}

type Side = { target: Target; sale: Sale; turns: Measured[] }

async function run(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of bench.options.quick ? PROCESSES.slice(0, 1) : PROCESSES) {
    const [one, several] = await bench.withService(
      (alone) => bench.withService((target) => inTurns(bench, [alone, target]), { processes: count }),
      { processes: 1 },
    )
    const shares = several.map((turn, nth) => orderRate(turn) / orderRate(one[nth]!))
    const measured = together(several)
    rows.push(
      rowOf(`${count} processes: orders`, measured, {
        per: 'order',
        goals: [atLeast({ value: median(shares), bound: 0.8, unit: 'of one process' })],
        notes: [
          `one process in turns with them: ${number(orderRate(together(one)))} a second; of ${shares.length} pairs of turns the median counts`,
        ],
      }),
    )
  }
  return rows
}

/** The turns of each. */
async function inTurns(bench: Bench, targets: readonly [Target, Target]): Promise<[Measured[], Measured[]]> {
  const open = async (target: Target): Promise<Side> => ({
    target,
    sale: await openHotEvent(bench, target),
    turns: [],
  })
  const [one, several] = [await open(targets[0]), await open(targets[1])]
  const { quick, seconds } = bench.options
  for (const { target, sale } of [one, several]) {
    const warmup_visits = target.base_urls.length * (quick ? WARMUP_VISITS_QUICK : WARMUP_VISITS)
    await buyHotEvent(bench, { target, sale, seconds: 0, warmup_visits })
  }
  const pairs = Math.max(1, Math.round(seconds / TURN_S))
  for (let pair = 0; pair < pairs; pair++)
    // Who goes first takes turns as well.
    for (const { target, sale, turns } of pair % 2 === 0 ? [one, several] : [several, one])
      turns.push(await buyHotEvent(bench, { target, sale, seconds: Math.min(TURN_S, seconds) }))
  return [one.turns, several.turns]
}
