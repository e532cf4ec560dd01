import { bestAvailable } from './best-available.ts'
import { editStorm } from './edit-storm.ts'
import { growth } from './growth.ts'
import { grpcSeats } from './grpc-seats.ts'
import { hotEvent } from './hot-event.ts'
import { idle } from './idle.ts'
import { lapse } from './lapse.ts'
import { manyEvents } from './many-events.ts'
import { overload } from './overload.ts'
import { processes } from './processes.ts'
import { seats } from './seats.ts'
import { sellOut } from './sell-out.ts'
import { startTimes } from './start-times.ts'
import type { Scenario } from './support/bench.ts'
import { v1Events } from './v1-events.ts'
import { v1Seats } from './v1-seats.ts'

/** In the order they are run in. */
export const SCENARIOS: readonly Scenario[] = [
  hotEvent,
  sellOut,
  seats,
  bestAvailable,
  manyEvents,
  editStorm,
  processes,
  overload,
  idle,
  lapse,
  v1Seats,
  v1Events,
  grpcSeats,
  startTimes,
  growth,
]
