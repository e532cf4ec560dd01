/** What a run of the bench gives its scenarios: services, whose data are checked after use, and what was measured already. */
import { checkStored } from './check-stored.ts'
import { queryOnce } from './query.ts'
import { openOwnService, runningService, type ServiceWish, type Target } from './service.ts'
import type { Row } from './rows.ts'

export type Options = {
  /** Small and short, for what is right and not for what is fast. */
  quick: boolean
  clients: number
  seconds: number
  warmup_s: number
  /** The size of what the growth scenario stores; 1 is what its targets are for. */
  scale: number
}

export type Bench = {
  readonly options: Options
  /** False with --url: no other settings, no further processes, no references. */
  readonly has_own_services: boolean
  /** What was found wrong. */
  readonly faults: string[]
  /** Of PostgreSQL; undefined before the first service. */
  database_version(): string | undefined
  /**
   * Does `work` with a service, on a store that is new unless a running or a shared service is used; then checks that what was
   * acknowledged is stored and that every invariant holds. What does not is a fault.
   */
  withService<T>(work: (target: Target) => Promise<T>, wish?: ServiceWish): Promise<T>
  /** Does `work` at the first call with the name; later ones get the same result. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Scenario = {
  readonly name: string
  readonly summary: string
  /** It takes many minutes: only when it is named, with --all, or small with --quick. */
  readonly is_long?: true
  /** It writes to the store itself, wants several processes or compares services: not with --url. */
  readonly needs_own_services?: true
  /** Throws when it cannot be measured. */
  run(bench: Bench): Promise<Row[]>
}

type Opened = { target: Target; close(): Promise<void> }

/** `url` is that of a running service. With `options.quick` one service of the bench's own serves whoever wishes nothing special. */
export function createBench({ options, url }: { options: Options; url: string | undefined }): Bench {
  const faults: string[] = []
  const done = new Map<string, Promise<unknown>>()
  let shared: Promise<Opened> | undefined
  let database_version: string | undefined

  async function openOwn(wish: ServiceWish): Promise<Opened> {
    const { service, close } = await openOwnService(wish)
    return { target: service, close }
  }

  async function openShared(): Promise<Opened> {
    shared ??= url === undefined ? openOwn({}) : openRunning(url)
    const { target } = await shared
    return { target: { ...target, sales: [] }, close: async () => {} }
  }

  async function check(target: Target): Promise<void> {
    for (const sale of target.sales) faults.push(...(await checkStored(target, sale)))
    await target.parterre(['verify']).catch((error: Error) => faults.push(error.message))
  }

  return {
    options,
    has_own_services: url === undefined,
    faults,
    database_version: () => database_version,

    async withService(work, wish) {
      if (url !== undefined && wish !== undefined)
        throw new Error('this needs services of the bench: no --url')
      const is_shared = url !== undefined || (options.quick && wish === undefined)
      const { target, close } = await (is_shared ? openShared() : openOwn(wish ?? {}))
      try {
        database_version ??= await versionOf(target)
        const result = await work(target)
        await check(target)
        return result
      } finally {
        await close()
      }
    },

    once<T>(name: string, work: () => Promise<T>): Promise<T> {
      const found = (done.get(name) as Promise<T> | undefined) ?? work()
      done.set(name, found)
      return found
    },

    async close() {
      const opened = await shared
      await opened?.close()
    },
  }
}

async function openRunning(url: string): Promise<Opened> {
  return { target: await runningService(url), close: async () => {} }
}

async function versionOf({ database_url }: Target): Promise<string> {
  const [row] = await queryOnce<{ version: string }>(database_url, {
    text: `SELECT current_setting('server_version') AS version`,
  })
  return row!.version
}
