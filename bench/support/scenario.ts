import type { Measured } from './rush.ts'
import type { Target } from './service.ts'

export type Options = {
  clients: number
  seconds: number
  warmup_s: number
  /** Sells the demo catalog's instead of an event made for the run. */
  demo: boolean
}

export type Scenario = {
  name: string
  summary: string
  /** Makes what it sells, runs, and checks that nothing acknowledged is lost. Throws when something is. */
  run(target: Target, options: Options): Promise<Measured>
}
