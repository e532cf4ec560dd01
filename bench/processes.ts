/** The hot event on several processes of the service that share a database, the load spread over them, in turns with one process. */
import { hotEventLoad } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { inTurns } from './support/in-turns.ts'
import { atLeast, rowOf, type Row } from './support/rows.ts'
import type { Target } from './support/service.ts'

const PROCESSES = [2, 4]

/** Of each process, before the first turn: so many make the code of a process as fast as it gets (docs/performance.md). */
const WARMUP_VISITS = 30_000
const WARMUP_VISITS_QUICK = 50

export const processes: Scenario = {
  name: 'processes',
  summary: 'the hot event on two and on four processes of the service that share a database',
  needs_own_services: true,
  run,
}

async function run(bench: Bench): Promise<Row[]> {
  const { quick, seconds } = bench.options
  const visits = quick ? WARMUP_VISITS_QUICK : WARMUP_VISITS
  const loadOn = (target: Target) =>
    hotEventLoad(bench, target, { warmup_visits: visits * target.base_urls.length })
  const rows: Row[] = []
  for (const count of quick ? PROCESSES.slice(0, 1) : PROCESSES) {
    const measure = async (one: Target, several: Target) =>
      inTurns([await loadOn(one), await loadOn(several)], { seconds, first: 'one process' })
    const { second, share, note } = await bench.withService(
      (one) => bench.withService((several) => measure(one, several), { processes: count }),
      { processes: 1 },
    )
    rows.push(
      rowOf(`${count} processes: orders`, second, {
        per: 'order',
        goals: [atLeast({ value: share, bound: 0.8, unit: 'of one process' })],
        notes: [note],
      }),
    )
  }
  return rows
}
