/** How soon a new installation sells: the first start makes the database and imports the demo catalog, the second finds them. */
import type { Bench, Scenario } from './support/bench.ts'
import type { Row } from './support/rows.ts'
import { makeDataFolder, startService } from './support/service.ts'

export const startTimes: Scenario = {
  name: 'start-times',
  summary: 'the first start of the service, with the demo catalog, and a second one, until it is ready',
  needs_own_services: true,
  run,
}

async function run(_bench: Bench): Promise<Row[]> {
  const folder = makeDataFolder()
  try {
    const rows: Row[] = []
    for (const what of ['first start, until ready', 'warm start, until ready']) {
      const service = await startService(folder.path)
      const { started_ms } = service
      const { service_peak_mb } = service.usage() ?? {}
      await service.stop()
      rows.push({ what, latencies: Float64Array.of(started_ms), memory_mb: service_peak_mb })
    }
    return rows
  } finally {
    folder.remove()
  }
}
