/** The hot event on several processes of the service that share a database, the load spread over them. */
import { hotEventOn, hotEventOnce } from './hot-event.ts'
import type { Bench, Scenario } from './support/bench.ts'
import { atLeast, number, orderRate, rowOf, type Row } from './support/rows.ts'

const PROCESSES = [2, 4]

export const processes: Scenario = {
  name: 'processes',
  summary: 'the hot event on two and on four processes of the service that share a database',
  needs_own_services: true,
  run,
}

async function run(bench: Bench): Promise<Row[]> {
  const alone = await hotEventOnce(bench)
  const one = orderRate(alone)
  const rows: Row[] = []
  for (const count of bench.options.quick ? PROCESSES.slice(0, 1) : PROCESSES) {
    // Each process has served as many as the one had: code that has run little is slow, and costs several times the CPU.
    const measured = await hotEventOn(bench, { processes: count }, alone.warmup_visits * count)
    const share = orderRate(measured) / one
    rows.push(
      rowOf(`${count} processes: orders`, measured, {
        per: 'order',
        goals: [atLeast({ value: share, bound: 0.8, unit: 'of one process' })],
        notes: [`one process: ${number(one)} a second`],
      }),
    )
  }
  return rows
}
